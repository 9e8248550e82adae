// The what-if page: set a variable and see every other one; total effects of one on another.

import { ask } from "./api.js";
import { intervalBar, number, plainTable } from "./charts.js";
import { element } from "./graphtools.js";

const MOST = 60;

/** The node with the most others below it (the first of several): where there is something to see. */
export function mostEffects({ nodes, edges }) {
  const below = nodes.map(() => []);
  for (const edge of edges) below[edge.source].push(edge.target);
  const reach = (start) => {
    const seen = new Set([start]);
    for (const node of seen) for (const next of below[node]) seen.add(next);
    return seen.size;
  };
  let best = 0, most = 0;
  nodes.forEach((_, node) => {
    const size = below[node].length ? reach(node) : 1;
    if (size > most) [best, most] = [node, size];
  });
  return best;
}

export class WhatIfPage {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.set = new Map();
  }

  ask(node) {
    this.set = new Map([[node, null]]);
    this.app.go("what-if");
  }

  names() {
    return this.app.graph.view.graph.nodes.map((node) => node.name);
  }

  /** The levels of a category; nothing for a number. */
  levels(node) {
    return this.app.graph.view.graph.levels?.[node];
  }

  show() {
    const names = this.names();
    if (!names.length) return;
    if (![...this.set.keys()].every((node) => node < names.length) || !this.set.size) {
      const { view } = this.app.graph;
      this.set = new Map([[view.chosenNode() ?? mostEffects(view.graph), null]]);
    }
    const options = (chosen) => names.map((name, k) => element("option", { value: String(k), selected: k === chosen }, name));
    this.lines = element("div", { class: "lines" });
    this.rows = element("div", { class: "answer", "aria-live": "polite" });
    this.effects = element("div", { class: "answer" });
    const add = element("button", { type: "button", onclick: () => { const free = names.findIndex((_, k) => !this.set.has(k)); if (free >= 0) { this.set.set(free, null); this.draw(options); } } }, "Set another variable, too");
    this.host.replaceChildren(element("div", { class: "two" },
      element("div", {}, element("h2", {}, "If we set …"), this.lines, add, this.rows),
      element("div", {}, element("h2", {}, "Total effects"), this.effects)));
    this.draw(options);
  }

  async draw(options) {
    this.lines.replaceChildren(...[...this.set].map(([node, value]) => this.line(node, value, options)));
    await this.refresh();
  }

  line(node, value, options) {
    const choose = element("select", { class: "what", "aria-label": "variable to set", onchange: () => { this.replace(node, Number(choose.value), null); this.draw(options); } }, options(node));
    const levels = this.levels(node);
    const input = levels ? element("select", { class: "to", "aria-label": "value", onchange: () => { this.set.set(node, input.value); this.refresh(); } }, levels.map((level) => element("option", { value: level, selected: level === value }, level)))
      : element("input", { type: "number", step: "any", class: "to", "aria-label": "value", value: value === null ? "" : String(value), placeholder: "value", onchange: () => { this.set.set(node, input.value === "" ? null : Number(input.value)); this.refresh(); } });
    const drop = this.set.size > 1 ? element("button", { type: "button", class: "small", "aria-label": "leave it alone", onclick: () => { this.set.delete(node); this.draw(options); } }, "×") : null;
    return element("p", { class: "set-line" }, "set ", choose, " to ", input, drop);
  }

  replace(old, node, value) {
    this.set = new Map([...this.set].map(([key, kept]) => (key === old ? [node, value] : [key, kept])));
  }

  async refresh() {
    try {
      const names = this.names(), first = [...this.set.keys()][0];
      await this.showEffects(first, names);
      const wanted = [...this.set].map(([node, value]) => [names[node], value]);
      if (wanted.some(([, value]) => value === null)) await this.propose();
      const told = await ask("what-if", { do: Object.fromEntries([...this.set].map(([node, value]) => [names[node], value])) });
      this.showRows(told, names);
    } catch (error) {
      this.app.complain(error);
    }
  }

  /** One standard deviation up, where no value was given. */
  async propose() {
    const names = this.names();
    const columns = new Map((this.app.state.table?.columns || []).map((column) => [column.name, column]));
    [...this.set].forEach(([node, value], k) => {
      if (value !== null) return;
      const column = columns.get(names[node]), levels = this.levels(node);
      const proposed = levels ? levels.at(-1) : column?.kind === "number" ? Number((column.mean + column.sd).toPrecision(3)) : 1;
      this.set.set(node, proposed);
      this.lines.querySelectorAll(".to")[k].value = String(proposed);
    });
  }

  async showEffects(node, names) {
    const { effects, tables } = await ask("effects", { node });
    if (tables) {
      this.effects.replaceChildren(...(tables.length ? tables.flatMap((table) => [element("h4", {}, names[table.target]), plainTable(table)])
        : [element("p", { class: "soft" }, `${names[node]} has no effect on any other variable in this graph`)]));
      return;
    }
    const largest = Math.max(...effects.map((row) => Math.abs(row.standardised)), 1e-12);
    this.effects.replaceChildren(element("p", { class: "soft" }, effects.length ? `of one unit of ${names[node]} on everything it reaches, with 95% intervals given the graph; bars in standard deviations`
      : `${names[node]} has no effect on any other variable in this graph`),
    effects.length ? element("table", { class: "ranking", id: "effects" }, element("tbody", {}, effects.slice(0, MOST).map((row) => {
      const unit = row.effect ? row.standardised / row.effect : 0;
      const tell = element("button", { type: "button", class: "chip", title: "what this effect rests on", onclick: () => this.tell(node, row.target) }, names[row.target]);
      return element("tr", {}, element("th", { scope: "row" }, tell), element("td", {}, intervalBar(row.standardised, row.low === null ? null : row.low * unit, row.high === null ? null : row.high * unit, largest)),
        element("td", { class: "num" }, number(row.effect)), element("td", { class: "num soft" }, `${number(row.low)} … ${number(row.high)}`),
        row.share === null ? null : element("td", { class: "num soft", title: "share of resamples in which there is such an effect" }, `${Math.round(100 * row.share)}%`));
    }))) : "", element("pre", { class: "told", hidden: true, "aria-live": "polite" }));
  }

  /** One effect in words: the estimate, the directions that are open, the graphs of resamples. */
  async tell(source, target) {
    try {
      const told = this.effects.querySelector(".told");
      told.textContent = (await ask("effect", { source, target })).text;
      told.hidden = false;
    } catch (error) {
      this.app.complain(error);
    }
  }

  showRows(told, names) {
    if (told.shares) {
      const moved = told.shares.filter((row) => row.set || Math.abs(row.after - row.before) > 1e-9);
      const rows = moved.slice(0, MOST).map((row) => [names[row.node] + (row.level ? ` = ${row.level}` : ""), row.before, row.after]);
      this.rows.replaceChildren(plainTable({ columns: ["variable", "now", "then"], rows }), element("p", { class: "soft" }, "Probabilities of levels, means of numbers."));
      this.rows.querySelector("table").id = "predictions";
      return;
    }
    const moved = told.rows.filter((row) => row.set || Math.abs(row.sds) > 1e-9);
    const still = told.rows.length - moved.length;
    const largest = Math.max(...moved.filter((row) => !row.set).map((row) => Math.abs(row.sds)), 1e-12);
    const head = ["variable", "change in standard deviations", "mean now", "then", "change (95% interval)"];
    this.rows.replaceChildren(element("table", { class: "ranking", id: "predictions" }, element("thead", {}, element("tr", {}, head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, moved.slice(0, MOST).map((row) => this.row(row, names, largest)))),
    element("p", { class: "soft" }, still ? `${still} variables do not change.` : "Every variable changes."));
  }

  row(row, names, largest) {
    const sd = row.sds ? row.change / row.sds : 1, known = row.low !== null && row.high !== null;
    return element("tr", { class: row.set ? "is-set" : "" }, element("th", { scope: "row" }, names[row.node]),
      element("td", {}, row.set ? "set" : intervalBar(row.sds, known ? row.low / sd : null, known ? row.high / sd : null, largest)),
      element("td", { class: "num" }, number(row.before)), element("td", { class: "num", title: `a new observation: ${number(row.new_low)} to ${number(row.new_high)}` }, number(row.after)),
      element("td", { class: "num" }, known && !row.set ? `${number(row.change)} (${number(row.low)} … ${number(row.high)})` : number(row.change)));
  }
}
