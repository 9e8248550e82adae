// Pan and zoom of an SVG drawing by moving its viewBox: wheel, drag, two fingers, buttons, keys.

const SMALLEST = 60;

/** The visible part of a drawing. */
export class Viewport {
  constructor(svg) {
    this.svg = svg;
    this.whole = { x: 0, y: 0, width: 100, height: 100 };
    this.view = { ...this.whole };
    this.fingers = new Map();
    this.travelled = 0;
    this.size = { width: 100, height: 100 };
    new ResizeObserver(() => this.refit()).observe(svg);
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      svg.addEventListener(end, (event) => {
        this.fingers.delete(event.pointerId);
        svg.classList.remove("moving");
      });
    }
  }

  /** A new drawing of that size; what is not legible at a glance is shown in part. */
  fit(width, height) {
    this.size = { width, height };
    const box = this.svg.getBoundingClientRect();
    const room = box.width && box.height ? box.width / box.height : 1.6;
    // Small drawings are not blown up beyond twice their size.
    const wide = Math.max(width, height * room, box.width / 2);
    const tall = wide / room;
    this.whole = { x: (width - wide) / 2, y: (height - tall) / 2, width: wide, height: tall };
    this.show({ ...this.whole });
  }

  /** The element has another size: a drawing that was shown whole stays so. */
  refit() {
    const whole = ["x", "y", "width", "height"].every((part) => this.view[part] === this.whole[part]);
    if (whole) this.fit(this.size.width, this.size.height);
  }

  show(next) {
    this.view = next;
    this.svg.setAttribute("viewBox", [next.x, next.y, next.width, next.height].join(" "));
  }

  reset() {
    this.show({ ...this.whole });
  }

  zoom(factor, at) {
    const { view } = this;
    const width = Math.min(Math.max(view.width * factor, SMALLEST), this.whole.width * 4);
    const scale = width / view.width;
    const p = at || { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    this.show({ x: p.x - (p.x - view.x) * scale, y: p.y - (p.y - view.y) * scale, width, height: view.height * scale });
  }

  pan(dx, dy) {
    this.show({ ...this.view, x: this.view.x + dx * this.view.width, y: this.view.y + dy * this.view.height });
  }

  /** Move as little as brings a point into view, and near enough to read. */
  reveal(point) {
    const { view } = this;
    const margin = 40;
    const inside = point.x > view.x + margin && point.x < view.x + view.width - margin
      && point.y > view.y + margin && point.y < view.y + view.height - margin;
    const legible = this.svg.getBoundingClientRect().width / view.width > 0.55;
    if (inside && legible) return;
    const width = Math.min(view.width, 700), height = view.height * (width / view.width);
    this.show({ x: point.x - width / 2, y: point.y - height / 2, width, height });
  }

  locate(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  /** Whether the pointer was dragged since it went down: then a click is none. */
  get dragged() {
    return this.travelled > 3;
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), this.locate(event));
  }

  press(event) {
    this.fingers.set(event.pointerId, event);
    this.grabbed = this.locate(event);
    this.travelled = this.spread = 0;
  }

  move(event) {
    if (!this.fingers.has(event.pointerId)) return;
    const before = this.fingers.get(event.pointerId);
    this.travelled += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size === 2) {
      const [a, b] = [...this.fingers.values()];
      const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (this.spread) this.zoom(this.spread / distance, this.grabbed);
      this.spread = distance;
    } else if (this.dragged) {
      // Captured only now, so that a plain click still reaches the node under the pointer.
      this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add("moving");
      const now = this.locate(event);
      this.show({ ...this.view, x: this.view.x + this.grabbed.x - now.x, y: this.view.y + this.grabbed.y - now.y });
    }
  }
}
