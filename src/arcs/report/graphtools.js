// The controls above a graph view: search, neighbourhood, threshold, drawing, zoom; and its key.

/** An HTML element with attributes; children are elements or text. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const MEASURES = { weight: "|standardised weight|", confidence: "confidence", direction_confidence: "confidence in direction" };
let views = 0;

/** Controls of one view; they call it, and it tells them what was drawn. */
export class Toolbar {
  constructor(view) {
    this.view = view;
    const list = `gv-names-${++views}`;
    this.names = element("datalist", { id: list });
    this.find = element("input", { type: "search", class: "gv-find", list, placeholder: "variable", autocomplete: "off", oninput: () => this.search(false) });
    this.find.addEventListener("keydown", (event) => { if (event.key === "Enter") this.search(true); });
    this.reach = element("select", { class: "gv-reach", "aria-label": "how much to draw", onchange: () => this.reachChanged() },
      ...[["", "everything"], ["1", "neighbours"], ["2", "2 steps"], ["3", "3 steps"]].map(([value, text]) => element("option", { value }, text)));
    this.measure = element("select", { class: "gv-measure", "aria-label": "measure", onchange: () => this.measureChanged() });
    this.threshold = element("input", { type: "range", class: "gv-threshold", min: "0", max: "1", step: "0.01", value: "0", "aria-label": "threshold", oninput: () => this.limitChanged() });
    this.drawing = element("select", { class: "gv-drawing", "aria-label": "drawing", onchange: () => { view.drawing = this.drawing.value; view.draw(); } },
      element("option", { value: "layers" }, "layers"), element("option", { value: "ring" }, "ring"));
    const button = (name, text, title, act) => element("button", { type: "button", class: name, title, "aria-label": title, onclick: act }, text);
    this.element = element("div", { class: "gv-tools" }, element("label", {}, "Find ", this.find), this.names,
      element("label", {}, "Show ", this.reach), element("label", {}, "as ", this.drawing),
      element("label", {}, "Hide below ", this.measure), this.threshold,
      element("span", { class: "gv-zoom" }, button("gv-in", "+", "zoom in", () => view.viewport.zoom(0.75)),
        button("gv-out", "−", "zoom out", () => view.viewport.zoom(1 / 0.75)), button("gv-fit", "fit", "show everything", () => view.viewport.reset())));
    this.status = element("p", { class: "gv-status" }, element("output", { class: "gv-shown" }), key());
    this.shown = this.status.firstChild;
  }

  graphChanged(same) {
    const { nodes, edges } = this.view.graph;
    const present = new Set(edges.flatMap((edge) => Object.keys(edge.values || {})));
    // Of a p-value the small ones count: a threshold from below would keep the wrong edges.
    const measures = ["weight", ...[...present].filter((name) => name !== "weight" && !name.includes("p_value"))];
    const chosen = same && measures.includes(this.measure.value) ? this.measure.value : "weight";
    this.measure.replaceChildren(...measures.map((name) => element("option", { value: name }, MEASURES[name] || name)));
    this.measure.value = chosen;
    if (!same) {
      this.names.replaceChildren(...nodes.map((node) => element("option", { value: node.name })));
      this.find.value = "";
      this.measureChanged(false);
    }
  }

  search(report) {
    const { view } = this, text = this.find.value.trim();
    this.find.setCustomValidity("");
    if (!text) { view.clear(); return; }
    const index = view.find(text);
    if (index < 0) {
      this.find.setCustomValidity("There is no such variable.");
      if (report) this.find.reportValidity();
      view.clear();
    } else if (view.centre !== null) view.look(index);
    else view.chooseNode(index);
  }

  reachChanged() {
    const { view } = this, radius = Number(this.reach.value);
    if (!radius) view.look(null);
    else view.look(view.centre ?? view.chosenNode() ?? busiest(view), radius);
  }

  measureChanged(redraw = true) {
    const { view } = this;
    view.measure = this.measure.value;
    const largest = Math.max(0, ...view.graph.edges.map((edge) => edge.values?.[view.measure] ?? 0));
    this.threshold.max = String(Math.max(Math.ceil(largest * 100) / 100, 0.01));
    this.threshold.value = "0";
    this.limitChanged(redraw);
  }

  limitChanged(redraw = true) {
    const { view } = this;
    view.limit = Number(this.threshold.value);
    if (!redraw) return;
    const kept = { ...view.viewport.view };
    view.applyLimit();
    view.draw();
    if (view.centre === null) view.viewport.show(kept);
  }

  drawn(cut) {
    const { view } = this;
    const total = view.graph.edges.length, visible = view.visible.filter(Boolean).length;
    this.reach.value = view.centre === null ? "" : String(view.radius);
    this.drawing.value = view.drawing;
    const limit = view.limit > 0 ? `${view.limit.toFixed(2)}: ${visible} of ${total} edges` : `${total} edges`;
    if (view.centre === null) { this.shown.textContent = limit; return; }
    const name = view.graph.nodes[view.centre].name;
    this.shown.textContent = `around ${name}: ${view.nodes.length} of ${view.graph.nodes.length} variables, ${view.edges.length} of ${limit}${cut ? "; strongest only" : ""}`;
  }
}

function busiest(view) {
  let best = 0;
  view.at.forEach((list, k) => { if (list.length > view.at[best].length) best = k; });
  return best;
}

function key() {
  const sample = (name, text) => element("span", {}, element("i", { class: `gv-sample ${name}` }), text);
  return element("span", { class: "gv-key" }, sample("positive", "positive"), sample("negative", "negative"), sample("open", "hollow head: direction open"),
    sample("boxed", "intervened upon"), sample("faint", "paler: less certain"));
}
