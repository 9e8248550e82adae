// What is said about the chosen variable or edge, and what can be done about it.

import { ask } from "./api.js";
import { number, plainTable, scatter } from "./charts.js";
import { element } from "./graphtools.js";
import { forbid, require_, setTier, tierOf, turn } from "./knowledge.js";

const TIERS = 5;

export class Panel {
  constructor(host, page) {
    this.host = host;
    this.page = page;
    this.turn = 0;
  }

  /** Say again what is chosen: the graph is another one. */
  refresh() {
    const { chosen } = this.page.view;
    if (chosen === null) this.hint();
    else this.node(chosen.node, false);
  }

  hint() {
    this.turn++;
    this.host.replaceChildren(element("p", { class: "soft" }, "Click a variable for its equation, an edge for the data behind it. Then argue: forbid an edge, and see at once what the data say instead."),
      element("p", { class: "soft" }, "Keys: arrows go from variable to variable, E from edge to edge, F forbids, R requires, T turns, Enter opens the neighbourhood, / searches."));
  }

  /** Ask, and answer only if nothing else was chosen meanwhile. */
  async answer(action, said, draw) {
    const mine = ++this.turn;
    try {
      const told = await ask(action, said);
      if (mine !== this.turn) return;
      draw(told);
      this.host.parentElement.scrollTop = 0;
    } catch (error) {
      if (mine === this.turn) this.page.app.complain(error);
    }
  }

  node(node, passing) {
    if (this.page.comparing || this.page.view?.graph.live) return;
    if (passing) return;
    if (node === null) { this.hint(); return; }
    this.answer("node", { node }, (told) => this.drawNode(node, told));
  }

  edge(k, passing) {
    const edge = this.page.view.graph.edges[k];
    if (passing || this.page.comparing || this.page.view.graph.live) return;
    this.answer("edge", { source: edge.source, target: edge.target }, (told) => this.drawEdge(edge, told));
  }

  drawNode(node, told) {
    const { page } = this, knowledge = page.knowledge(), name = told.name;
    const list = (heading, nodes) => [element("h4", {}, `${heading} (${nodes.length})`), element("p", { class: "chips" }, nodes.map((other) =>
      element("button", { type: "button", class: "chip", onclick: () => page.view.chooseNode(other) }, page.name(other))))];
    const tier = element("select", { id: "tier", onchange: () => page.argue(setTier(knowledge, name, tier.value === "" ? null : Number(tier.value)), tier.value === "" ? `${name} in no tier` : `${name} in tier ${Number(tier.value) + 1}`) },
      element("option", { value: "" }, "no tier"), Array.from({ length: TIERS }, (_, k) => element("option", { value: String(k), selected: tierOf(knowledge, name) === k }, `tier ${k + 1}`)));
    this.host.replaceChildren(element("h3", {}, name), element("p", { class: "equation" }, told.equation),
      element("div", { class: "acts" }, element("label", {}, "In time: ", tier),
        element("button", { type: "button", onclick: () => page.view.look(node) }, "Neighbourhood"), element("button", { type: "button", onclick: () => page.app.whatIf.ask(node) }, "What if?")),
      ...list("Causes", told.parents), ...list("Effects", told.children),
      ...(told.residuals ? [element("h4", {}, "Residuals against prediction"), scatter(told.residuals, "predicted", "residual", () => 0)] : []));
  }

  drawEdge(edge, told) {
    const { page } = this, knowledge = page.knowledge(), [from, to] = [page.name(edge.source), page.name(edge.target)];
    const act = (id, text, next, said) => element("button", { type: "button", id, class: "act", onclick: () => page.argue(next, said) }, text);
    const change = (value) => (value > 0 ? `BIC would rise by ${number(value)}` : `BIC would fall by ${number(-value)}`);
    const facts = told.nats !== undefined ? [
      ["strength", `the score loses ${number(told.nats)} nats without it`],
      ["direction", told.reversible ? "open: the data cannot tell it from its reversal" : "identified"],
      ["confidence", told.confidence === null ? "not asked for yet" : number(told.confidence, 2)],
    ] : [
      ["coefficient", `${number(told.coefficient)} (95% interval ${number(told.interval_low)} to ${number(told.interval_high)})`],
      ["standardised", number(told.strength)], ["p-value", told.p_value !== null && told.p_value < 1e-16 ? "< 1e−16" : number(told.p_value)],
      ["direction", told.reversible ? "open: the data cannot tell it from its reversal" : "identified"],
      ["confidence", told.confidence === null ? "not asked for yet" : number(told.confidence, 2)],
      ["if removed", told.removed === undefined ? "–" : change(told.removed)],
      ["if turned", told.turned_cycle ? "would close a cycle" : told.turned === undefined ? "–" : change(told.turned)],
    ];
    const beta = told.coefficient, rows = told.rows;
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const line = rows && ((x) => mean(rows.y) + beta * (x - mean(rows.x)));
    this.host.replaceChildren(element("h3", {}, `${from} → ${to}`),
      element("div", { class: "acts" }, act("forbid", "Forbid", forbid(knowledge, from, to), `forbade ${from} → ${to}`), act("turn", "Turn", turn(knowledge, from, to), `turned ${from} → ${to}`),
        act("require", "Require", require_(knowledge, from, to), `required ${from} → ${to}`)),
      element("dl", { class: "pairs" }, facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
      ...(told.table ? [element("h4", {}, `${to}, if ${from} were set`), plainTable(told.table)] : []), ...(told.remark ? [element("p", { class: "soft" }, told.remark)] : []),
      ...(rows ? [element("h4", {}, `The rows behind it${rows.regime ? ", coloured by condition" : ""}`), scatter(rows, from, to, line),
        element("p", { class: "soft" }, `${rows.x.length.toLocaleString("en")} of ${rows.of.toLocaleString("en")} rows${rows.set?.some(Boolean) ? `; hollow: ${to} was set, which says nothing of this edge` : ""}`)] : []));
  }

  /** F, R and T on a chosen edge. */
  key(key) {
    this.host.querySelector({ f: "#forbid", r: "#require", t: "#turn" }[key])?.click();
  }
}
