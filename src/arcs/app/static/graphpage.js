// The graph page: progress while a fit runs, then the graph, what is known, and the history.

import { ask } from "./api.js";
import { number, searchCurve } from "./charts.js";
import { GraphView } from "./graphview.js";
import { element } from "./graphtools.js";
import { sentences } from "./knowledge.js";
import { Panel } from "./panel.js";

const whole = (value) => Math.round(value).toLocaleString("en").replace("-", "−");

export class GraphPage {
  constructor(host, app) {
    this.app = app;
    this.host = host;
    this.facts = element("dl", { class: "facts" });
    const button = (id, text, title, act) => element("button", { type: "button", id, title, onclick: act }, text);
    this.undo = button("undo", "↶ Undo", "back to the fit before", () => this.step(-1));
    this.redo = button("redo", "↷ Redo", "forward again", () => this.step(1));
    this.trust = button("trust", "How sure?", "confidence by bootstrap, in the background", () => this.resample());
    this.again = button("again", "Fit anew", "from a random order, with what is known", () => app.fit(this.knowledge(), null, "fitted anew"));
    this.prepared = element("p", { class: "soft prepared" });
    this.history = element("ol", { class: "history", "aria-label": "history of fits" });
    this.known = element("div", { class: "known" });
    this.graphHost = element("div", { class: "graph-host" });
    this.besideHost = element("div", { class: "graph-host beside", hidden: true });
    this.live = element("div", { class: "live", hidden: true, "aria-live": "polite" });
    this.aside = element("aside", { class: "panel", "aria-live": "polite" });
    host.replaceChildren(element("div", { class: "line top" }, this.facts, element("span", { class: "buttons" }, this.undo, this.redo, this.again, this.trust)),
      this.prepared, this.live, element("div", { class: "work" }, element("div", { class: "pictures" }, this.besideHost, this.graphHost), element("div", { class: "side" }, this.aside, this.known, element("h3", {}, "History"), this.history)));
    this.panel = new Panel(this.aside, this);
    this.view = new GraphView(this.graphHost, { onNode: (node, passing) => this.panel.node(node, passing), onEdge: (edge, passing) => this.panel.edge(edge, passing) });
    this.view.svg.addEventListener("keydown", (event) => { if ("frt".includes(event.key)) this.panel.key(event.key); });
  }

  get fit() {
    const { fits, current } = this.app.state;
    return fits.find((fit) => fit.number === current);
  }

  knowledge() {
    return this.fit ? this.fit.knowledge : {};
  }

  name(node) {
    return this.view.graph.nodes[node].name;
  }

  show(state) {
    if (state.job) this.started(state.job.kind, state.job);
    else this.ended();
    this.list();
    this.panel.hint();
    if (state.fits.length) this.load();
    else this.view.show({ nodes: [], edges: [] });
  }

  /** The page came into view: a drawing made while it was hidden had no size. */
  shown() {
    if (this.view.graph.nodes.length) this.view.draw();
    if (this.comparing) this.beside.draw();
  }

  async load() {
    try {
      const told = await ask("graph");
      this.leaveComparison();
      this.view.show(told.graph);
      this.sidebar(told.facts);
      this.panel.refresh();
    } catch (error) {
      this.app.complain(error);
    }
  }

  sidebar(facts) {
    const pairs = [["edges", facts.edges], ["directions identified", facts.identified], ["BIC", whole(facts.bic)], ["rows", facts.rows.toLocaleString("en")], ["seconds", number(facts.seconds, 2)]];
    if (facts.stopped !== "finished") pairs.push(["stopped", facts.stopped]);
    this.facts.replaceChildren(...pairs.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, String(value)))));
    this.prepared.textContent = (facts.sentences || []).join(" ");
    const said = sentences(this.knowledge());
    this.known.replaceChildren(element("h3", {}, "What you said"), said.length ? element("ul", {}, said.map(([text, rest]) => element("li", {}, text,
      element("button", { type: "button", class: "small", title: "take it back", "aria-label": `take back: ${text}`, onclick: () => this.argue(rest, `took back: ${text}`) }, "×"))))
      : element("p", { class: "soft" }, "nothing yet: choose an edge to require, forbid or turn it, a variable to put it into a tier"));
    this.list();
  }

  list() {
    const { fits, current } = this.app.state;
    this.history.replaceChildren(...[...fits].reverse().map((fit) => {
      const go = element("button", { type: "button", class: "entry", "aria-current": fit.number === current ? "true" : null, onclick: () => this.goTo(fit.number) },
        element("strong", {}, `${fit.number}. ${fit.said || "fit"}`), element("span", {}, `${fit.edges} edges, BIC ${whole(fit.bic)}${fit.from ? `, from ${fit.from}` : ""}`));
      const beside = fit.number === current ? null : element("button", { type: "button", class: "small", title: "show the differences to the current fit", onclick: () => this.compare(fit.number) }, "compare");
      return element("li", {}, go, beside);
    }));
    const at = fits.findIndex((fit) => fit.number === current);
    this.undo.disabled = at <= 0;
    this.redo.disabled = at < 0 || at === fits.length - 1;
  }

  // --- arguing -----------------------------------------------------------------------------------
  /** Say something and fit again from the present order. */
  argue(knowledge, said) {
    return this.app.fit(knowledge, this.app.state.current, said);
  }

  async goTo(numberOf) {
    await ask("show", { number: numberOf });
    const state = await ask("state");
    Object.assign(this.app.state, { current: state.current, fits: state.fits, choices: state.choices });
    await this.load();
  }

  step(by) {
    const { fits, current } = this.app.state;
    const at = fits.findIndex((fit) => fit.number === current) + by;
    if (fits[at]) this.goTo(fits[at].number);
  }

  /** Two fits side by side; what is in one only stands out. */
  async compare(first) {
    try {
      const second = this.app.state.current, told = await ask("compare", { first, second });
      this.comparing = first;
      this.besideHost.hidden = false;
      this.beside ||= new GraphView(this.besideHost, { onNode: (node, passing) => { if (!passing) this.view.echo(node); } });
      for (const [view, graph] of [[this.beside, told.first], [this.view, told.second]]) {
        view.chosen = null;
        view.show(graph);
      }
      const [changed] = this.differing(told);
      if (this.view.centre !== null && changed) for (const view of [this.beside, this.view]) view.look(changed.source);
      this.describeDifference(first, second, told);
      this.aside.scrollIntoView({ block: "nearest" });
      this.aside.parentElement.scrollTop = 0;
    } catch (error) {
      this.app.complain(error);
    }
  }

  differing({ first, second }) {
    return [...second.edges.filter((edge) => edge.kind !== "same"), ...first.edges.filter((edge) => edge.kind === "removed")];
  }

  describeDifference(first, second, { count, first: old, second: now }) {
    const differing = this.differing({ first: old, second: now });
    this.aside.replaceChildren(element("h3", {}, `Fit ${first} (left) and fit ${second} (right)`),
      element("p", {}, `BIC ${count.bic < 0 ? "falls" : "rises"} by ${number(Math.abs(count.bic), 4)} (larger is better).`),
      element("p", { class: "differences" }, ...["added", "removed", "turned", "same"].flatMap((kind) => [element("span", { class: kind }, `${count[kind]} ${kind === "same" ? "the same" : kind}`), " "])),
      element("ul", {}, differing.slice(0, 40).map((edge) => element("li", { class: edge.kind }, `${now.nodes[edge.source].name} → ${now.nodes[edge.target].name} ${edge.kind}`))),
      element("button", { type: "button", id: "leave", onclick: () => this.load() }, "Back to the graph"));
  }

  leaveComparison() {
    this.comparing = null;
    this.besideHost.hidden = true;
  }

  // --- while something runs --------------------------------------------------------------------
  started(kind, job = { curve: [], last: {} }) {
    this.kind = kind;
    this.curve = [...job.curve];
    const stop = element("button", { type: "button", id: "stop", onclick: () => ask("stop") }, kind === "fit" ? "Stop, and keep the best" : "Stop");
    this.line = element("span", { class: "doing" }, kind === "fit" ? "fitting …" : "resampling …");
    this.chart = element("div", { class: "chart-host" });
    this.bar = element("progress", { max: "1" });
    this.live.replaceChildren(element("div", { class: "line" }, this.line, this.bar, stop), this.chart);
    this.live.hidden = false;
    this.live.classList.toggle("slim", kind !== "fit");
    if (job.last?.stage) this.progress(job.last);
  }

  progress(event) {
    if (this.live.hidden) this.started("fit");
    this.line.textContent = [event.stage, event.best === null ? "" : `score ${number(event.best, 7)}`, event.edges === null ? "" : `${event.edges} edges`, `${event.elapsed.toFixed(1)} s`].filter(Boolean).join(" · ");
    if (event.total) this.bar.value = event.iteration / event.total;
    if (event.best !== null) this.curve.push([event.elapsed, event.best, event.edges || 0]);
    if (this.curve.length > 1 && event.elapsed > 0.4) this.chart.replaceChildren(searchCurve(this.curve));
  }

  /** The graph so far: nodes stay where they are, edges come and go (those of conditions are not shown). */
  picture(edges) {
    const names = this.app.state.fits.length ? null : Object.entries(this.app.state.choices.roles).filter(([, role]) => role === "variable" || role === "category").map(([name]) => name);
    if (!names || names.length > 200) return;
    this.view.drawing = "ring";
    this.view.show({ nodes: names.map((name) => ({ name })), edges: edges.filter((ends) => Math.max(...ends) < names.length).slice(0, 150).map(([source, target]) => ({ source, target, strength: 0.3 })), live: true });
  }

  ended() {
    this.live.hidden = true;
    this.live.replaceChildren();
  }

  async fitted() {
    this.ended();
    if (this.view.graph.live) this.view.drawing = "layers";
    await this.load();
  }

  async resample() {
    try {
      if (this.comparing) await this.load();
      await ask("bootstrap", { resamples: 50 });
    } catch (error) {
      this.app.complain(error);
    }
  }

  async confidence({ number: fitted, done, total }) {
    if (this.live.hidden) this.started("bootstrap");
    this.line.textContent = `${done} of ${total} resamples: paler edges come back less often`;
    this.bar.value = done / total;
    document.body.dataset.resamples = String(done);
    if (fitted === this.app.state.current && !this.comparing) await this.load();
  }
}
