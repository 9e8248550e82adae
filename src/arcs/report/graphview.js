// The graph view of the report, of notebooks and of the app.
//
// It draws a graph (nodes with names, edges with strengths) into an element and lets people pan,
// zoom, search, look at a neighbourhood, hide weak edges, and choose nodes and edges with pointer
// or keys. What is said about the chosen one is up to whoever made the view (onNode, onEdge).
// Names are text: they are only ever set as textContent.

import { layeredLayout, ringLayout } from "./layers.js";
import { MOST_EDGES, hub, incidence, neighbourhood } from "./neighbourhood.js";
import { Viewport } from "./viewport.js";
import { Toolbar } from "./graphtools.js";

const SVG = "http://www.w3.org/2000/svg";
const LONGEST_LABEL = 22;
const FONT = "12px system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif";

/** An SVG element with attributes; children are elements or text. */
export function svgElement(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A name as drawings show it: long ones are cut in the middle. */
export function shownName(name) {
  const letters = [...name.trim()];
  if (letters.length <= LONGEST_LABEL) return letters.join("") || "?";
  return `${letters.slice(0, LONGEST_LABEL - 8).join("")}…${letters.slice(-7).join("")}`;
}

const measuring = document.createElement("canvas").getContext("2d");
function sizeOf(name) {
  measuring.font = FONT;
  return { width: Math.max(38, measuring.measureText(shownName(name)).width + 22), height: 26 };
}

/** The interactive drawing of one graph. */
export class GraphView {
  /**
   * @param {HTMLElement} host - is emptied
   * @param {{onNode?: Function, onEdge?: Function, onDraw?: Function}} hooks - called with the
   *   number of the node or edge that is pointed at or chosen, or with null
   */
  constructor(host, hooks = {}) {
    this.hooks = hooks;
    this.drawing = "layers";
    this.centre = null;
    this.radius = 1;
    this.chosen = null;
    this.limit = 0;
    this.measure = "weight";
    this.svg = svgElement("svg", { class: "gv-svg", tabindex: "0", role: "application", "aria-label": "graph: arrow keys go from variable to variable, E from edge to edge, Enter opens the neighbourhood, plus and minus zoom, 0 shows everything" });
    this.viewport = new Viewport(this.svg);
    this.tools = new Toolbar(this);
    this.stage = document.createElement("div");
    this.stage.className = "gv-stage";
    this.stage.append(this.svg);
    host.classList.add("gv");
    host.replaceChildren(this.tools.element, this.stage, this.tools.status);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("click", (event) => { if (event.target === this.svg && !this.viewport.dragged) this.clear(); });
    this.show({ nodes: [], edges: [] });
  }

  /** Draw another graph; the view stays where it is if the variables are the same. */
  show(graph) {
    const same = this.graph && graph.nodes.length === this.graph.nodes.length
      && graph.nodes.every((node, k) => node.name === this.graph.nodes[k].name);
    const before = this.graph;
    this.graph = graph;
    this.sizes = graph.nodes.map((node) => sizeOf(node.name));
    this.tools.graphChanged(same);
    this.applyLimit();
    const large = graph.edges.length > MOST_EDGES;
    if (!same || (large && before.edges.length <= MOST_EDGES && this.centre === null)) {
      this.centre = large ? hub(this.at) : null;
      this.radius = large ? this.readableRadius() : 1;
    }
    if (!same) this.chosen = null;
    else if (this.chosen?.edge !== undefined) this.chosen = null;
    this.draw();
  }

  /** Two steps, if that still is a picture. */
  readableRadius() {
    const { nodes, cut } = neighbourhood(this.centre, 2, this.at, this.graph.edges);
    return cut || nodes.length > 30 ? 1 : 2;
  }

  /** Which edges pass the threshold, and who they join. */
  applyLimit() {
    const size = (edge) => edge.values?.[this.measure] ?? 0;
    this.visible = this.graph.edges.map((edge) => !(this.limit > 0) || size(edge) >= this.limit);
    this.at = incidence(this.graph.nodes.length, this.graph.edges, this.visible);
  }

  // --- what is drawn -----------------------------------------------------------------------------
  /** Draw what is near one variable, or everything (null). */
  look(centre, radius = this.radius) {
    this.centre = centre;
    this.radius = radius;
    this.draw();
    if (centre !== null) this.chooseNode(centre);
  }

  draw() {
    const { graph } = this;
    const all = graph.nodes.map((_, k) => k);
    const part = this.centre === null ? { nodes: all, cut: false } : neighbourhood(this.centre, this.radius, this.at, graph.edges);
    this.nodes = [...part.nodes].sort((a, b) => a - b);
    const place = new Map(this.nodes.map((node, k) => [node, k]));
    this.edges = graph.edges.map((_, k) => k).filter((k) => place.has(graph.edges[k].source) && place.has(graph.edges[k].target) && (this.centre === null || this.visible[k]));
    const sizes = this.nodes.map((node) => this.sizes[node]);
    const pairs = this.edges.map((k) => [place.get(graph.edges[k].source), place.get(graph.edges[k].target)]);
    const box = this.svg.getBoundingClientRect();
    const shape = box.width && box.height ? box.width / box.height : 1.6;
    const layout = this.drawing === "ring" ? ringLayout(sizes, pairs, this.ringOrder(place)) : layeredLayout(sizes, pairs, shape);
    this.points = new Map(this.nodes.map((node, k) => [node, layout.points[k]]));
    this.paint(layout);
    this.viewport.fit(layout.width, layout.height);
    this.tools.drawn(part.cut);
    this.mark(this.chosen, true);
    this.hooks.onDraw?.(this);
  }

  ringOrder(place) {
    const order = (this.graph.order || this.graph.nodes.map((_, k) => k)).filter((node) => place.has(node));
    return order.map((node) => place.get(node));
  }

  paint(layout) {
    this.edgeGroups = new Map(this.edges.map((k, i) => [k, this.paintEdge(k, layout.paths[i])]));
    this.nodeGroups = new Map(this.nodes.map((node) => [node, this.paintNode(node)]));
    const bands = layout.bands.map(([top, bottom], level) => svgElement("g", { class: "band" },
      svgElement("rect", { x: -5000, y: top - 9, width: 10000 + layout.width, height: bottom - top + 18 }),
      svgElement("text", { x: 6, y: top - 12 }, level === 0 ? "first causes" : `layer ${level + 1}`)));
    // Strong edges are drawn last, over the weak ones.
    this.svg.replaceChildren(...bands, ...[...this.edgeGroups.values()].reverse(), ...this.nodeGroups.values());
  }

  paintEdge(k, points) {
    const edge = this.graph.edges[k];
    const strength = edge.strength ?? 0;
    const width = 0.9 + 3 * Math.min(Math.abs(strength), 1);
    const head = arrowHead(points, 8 + 1.5 * width, 3.4 + 1.1 * width, this.drawing === "layers");
    const line = curve([...points.slice(0, -1), head.neck], this.drawing === "layers");
    const sign = strength < 0 ? "negative" : "positive";
    const classes = ["edge", sign, edge.reversible ? "open" : "", edge.kind || "", edge.required ? "required" : ""];
    const group = svgElement("g", { class: classes.filter(Boolean).join(" "), "data-edge": k },
      svgElement("path", { class: "hit", d: line }),
      svgElement("path", { class: "line", d: line, "stroke-width": width.toFixed(2), ...(strength < 0 ? { "stroke-dasharray": `${(3.4 * width).toFixed(1)} ${(1.8 * width + 1).toFixed(1)}` } : {}) }),
      svgElement("polygon", { class: "head", points: head.corners.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" ") }));
    group.prepend(svgElement("title", {}, this.edgeTitle(edge)));
    const confidence = edge.values?.confidence;
    if (confidence !== undefined) group.setAttribute("opacity", (0.18 + 0.82 * confidence).toFixed(2));
    if (!this.visible[k]) group.classList.add("hidden");
    group.addEventListener("pointerenter", () => { if (!this.viewport.fingers.size) this.mark({ edge: k }, true); });
    group.addEventListener("pointerleave", () => { if (!this.viewport.fingers.size) this.mark(this.chosen, true); });
    group.addEventListener("click", () => { if (!this.viewport.dragged) this.chooseEdge(k); });
    return group;
  }

  edgeTitle(edge) {
    const names = `${this.graph.nodes[edge.source].name} → ${this.graph.nodes[edge.target].name}`;
    const confidence = edge.values?.confidence === undefined ? "" : `, confidence ${edge.values.confidence.toFixed(2)}`;
    return `${names}: ${edge.coefficient ?? ""}${edge.reversible ? ", direction open" : ""}${confidence}`;
  }

  paintNode(node) {
    const { x, y } = this.points.get(node), { width, height } = this.sizes[node];
    const { name, boxed } = this.graph.nodes[node];
    const group = svgElement("g", { class: `node${boxed ? " boxed" : ""}`, "data-node": node },
      svgElement("title", {}, name),
      svgElement("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: boxed ? 3 : height / 2 }),
      svgElement("text", { x, y: y + 4.2 }, shownName(name)));
    const hidden = this.at[node].filter((k) => !this.edgeGroups.has(k)).length;
    if (hidden) {
      group.append(svgElement("circle", { class: "more", cx: x + width / 2 - 3, cy: y - height / 2 + 2, r: 8 }),
        svgElement("text", { class: "more", x: x + width / 2 - 3, y: y - height / 2 + 5 }, hidden > 99 ? "99+" : `+${hidden}`));
    }
    if (node === this.centre) group.classList.add("centre");
    if (this.limit > 0 && !this.at[node].length) group.classList.add("lonely");
    group.addEventListener("pointerenter", () => { if (!this.viewport.fingers.size) this.mark({ node }, true); });
    group.addEventListener("pointerleave", () => { if (!this.viewport.fingers.size) this.mark(this.chosen, true); });
    group.addEventListener("click", () => { if (!this.viewport.dragged) this.chooseNode(node); });
    group.addEventListener("dblclick", () => this.look(node));
    return group;
  }

  // --- what is chosen ------------------------------------------------------------------------------
  chooseNode(node) {
    if (!this.points.has(node)) { this.look(node); return; }
    this.chosen = { node };
    this.viewport.reveal(this.points.get(node));
    this.mark(this.chosen);
  }

  chooseEdge(edge) {
    if (!this.edgeGroups.has(edge)) this.look(this.graph.edges[edge].source);
    this.chosen = { edge };
    this.mark(this.chosen);
  }

  clear() {
    this.chosen = null;
    this.mark(null);
  }

  /** Light up a node with its neighbours, or an edge with its ends, and tell who listens. */
  mark(what, passing = false) {
    for (const group of [...this.nodeGroups.values(), ...this.edgeGroups.values()]) group.classList.remove("lit", "chosen");
    this.svg.classList.toggle("focused", what !== null);
    const edges = what === null ? [] : what.edge !== undefined ? [what.edge] : this.at[what.node];
    for (const k of edges) {
      this.edgeGroups.get(k)?.classList.add("lit");
      for (const node of [this.graph.edges[k].source, this.graph.edges[k].target]) this.nodeGroups.get(node)?.classList.add("lit");
    }
    if (what?.node !== undefined) this.nodeGroups.get(what.node)?.classList.add("lit", "chosen");
    if (what?.edge !== undefined) this.edgeGroups.get(what.edge)?.classList.add("chosen");
    if (what?.edge !== undefined) this.hooks.onEdge?.(what.edge, passing);
    else this.hooks.onNode?.(what === null ? null : what.node, passing);
  }

  /** Light up what is chosen in a view beside this one. */
  echo(node) {
    const silent = this.hooks;
    this.hooks = {};
    this.mark(node === null || !this.points.has(node) ? this.chosen : { node });
    this.hooks = silent;
  }

  /** The node whose name is, begins with or holds `text`; -1 if there is none. */
  find(text) {
    const wanted = text.trim().toLowerCase();
    const names = this.graph.nodes.map((node) => node.name.trim().toLowerCase());
    for (const fits of [(name) => name === wanted, (name) => name.startsWith(wanted), (name) => name.includes(wanted)]) {
      const index = names.findIndex(fits);
      if (index >= 0) return index;
    }
    return -1;
  }

  // --- keys ----------------------------------------------------------------------------------------
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    if (event.key in arrows) this.step(...arrows[event.key]);
    else if (event.key === "+" || event.key === "=") this.viewport.zoom(0.75);
    else if (event.key === "-") this.viewport.zoom(1 / 0.75);
    else if (event.key === "0") this.viewport.reset();
    else if (event.key === "e" || event.key === "E") this.nextEdge(event.key === "e" ? 1 : -1);
    else if (event.key === "Enter" && this.chosen?.node !== undefined) this.look(this.chosen.node);
    else if (event.key === "Escape") this.clear();
    else if (event.key === "/") this.tools.find.focus();
    else return;
    event.preventDefault();
  }

  /** The nearest node in that direction. */
  step(dx, dy) {
    if (!this.nodes.length) return;
    const here = this.chosenNode();
    if (here === null) { this.chooseNode(this.centre ?? hub(this.at)); return; }
    const from = this.points.get(here);
    let best = null, least = Infinity;
    for (const [node, { x, y }] of this.points) {
      const along = (x - from.x) * dx + (y - from.y) * dy, across = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
      if (node !== here && along > 1 && along + 2 * across < least) [best, least] = [node, along + 2 * across];
    }
    if (best !== null) this.chooseNode(best);
  }

  chosenNode() {
    if (this.chosen?.node !== undefined) return this.points.has(this.chosen.node) ? this.chosen.node : null;
    return this.chosen ? this.graph.edges[this.chosen.edge].source : null;
  }

  nextEdge(by) {
    const around = this.walk ?? this.chosen?.node;
    if (this.chosen?.node !== undefined) this.walk = this.chosen.node;
    const list = (this.chosen?.node === undefined ? this.at[around] : this.at[this.chosen.node])?.filter((k) => this.edgeGroups.has(k));
    if (!list?.length) return;
    const now = this.chosen?.edge === undefined ? -1 : list.indexOf(this.chosen.edge);
    this.chooseEdge(list[(now + by + list.length) % list.length]);
  }
}

/** A smooth line through points; between layers it leaves and arrives vertically. */
function curve(points, vertical) {
  const text = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const last = points.length - 1;
  // Change of x per y: none at the ends, that of the neighbours in between.
  const slope = points.map((_, i) => (i === 0 || i === last ? 0 : (points[i + 1].x - points[i - 1].x) / (points[i + 1].y - points[i - 1].y || 1)));
  let d = `M${text(points[0].x, points[0].y)}`;
  for (let i = 1; i <= last; i++) {
    const [a, b] = [points[i - 1], points[i]];
    const reach = (b.y - a.y) / (last === 1 ? 2.2 : 3);
    if (!vertical) d += ` L${text(b.x, b.y)}`;
    else d += ` C${text(a.x + slope[i - 1] * reach, a.y + reach)} ${text(b.x - slope[i] * reach, b.y - reach)} ${text(b.x, b.y)}`;
  }
  return d;
}

/** Corners of the head, and where the line ends under it. */
function arrowHead(points, length, half, vertical) {
  const tip = points[points.length - 1], before = points[points.length - 2];
  const [dx, dy] = vertical ? [0, Math.sign(tip.y - before.y) || 1] : [tip.x - before.x, tip.y - before.y];
  const norm = Math.hypot(dx, dy) || 1, ux = dx / norm, uy = dy / norm;
  const base = { x: tip.x - ux * length, y: tip.y - uy * length };
  const corners = [tip, { x: base.x - uy * half, y: base.y + ux * half }, { x: base.x + uy * half, y: base.y - ux * half }];
  return { corners, neck: { x: tip.x - ux * length * 0.85, y: tip.y - uy * length * 0.85 } };
}
