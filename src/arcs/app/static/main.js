// The app: which page is shown, what the window is at, and what the server tells by itself.

import { Refusal, ask, listen } from "./api.js";
import { DataPage } from "./data.js";
import { GraphPage } from "./graphpage.js";
import { KeepPage } from "./keep.js";
import { WhatIfPage } from "./whatif.js";

const PAGES = ["data", "graph", "what-if", "keep"];

class App {
  constructor() {
    this.banner = document.getElementById("banner");
    this.status = document.getElementById("status");
    const section = (name) => document.getElementById(`page-${name}`);
    this.data = new DataPage(section("data"), this);
    this.graph = new GraphPage(section("graph"), this);
    this.whatIf = new WhatIfPage(section("what-if"), this);
    this.keep = new KeepPage(section("keep"), this);
    for (const name of PAGES) this.tab(name).addEventListener("click", () => this.go(name));
    document.querySelector("nav").addEventListener("keydown", (event) => this.tabKey(event));
  }

  async begin() {
    const state = await ask("state");
    Object.assign(this, { samples: state.samples, roles: state.roles, methods: state.methods, exports: state.exports, leftover: state.leftover });
    this.enter(state, state.fits.length || state.job ? "graph" : "data");
    if (state.remark) this.say(state.remark);
    this.events = listen({
      hello: () => this.back(),
      down: () => this.down(),
      started: ({ kind }) => this.graph.started(kind),
      progress: (event) => this.graph.progress(event),
      picture: ({ edges }) => this.graph.picture(edges),
      fitted: ({ number }) => this.fitted(number),
      failed: ({ text }) => { this.graph.ended(); this.complain(new Refusal(text)); },
      confidence: (event) => this.graph.confidence(event),
      resampled: () => this.graph.ended(),
    });
  }

  // --- pages -----------------------------------------------------------------------------------
  tab(name) {
    return document.getElementById(`tab-${name}`);
  }

  go(name) {
    this.page = name;
    for (const other of PAGES) {
      document.getElementById(`page-${other}`).hidden = other !== name;
      this.tab(other).setAttribute("aria-selected", String(other === name));
      this.tab(other).tabIndex = other === name ? 0 : -1;
    }
    if (name === "what-if") this.whatIf.show();
    if (name === "keep") this.keep.show();
    if (name === "graph") this.graph.shown();
  }

  tabKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const open = PAGES.filter((name) => !this.tab(name).disabled);
    const next = open[(open.indexOf(this.page) + by + open.length) % open.length];
    this.go(next);
    this.tab(next).focus();
  }

  /** Take over what the window is at. */
  enter(state, page) {
    this.state = state;
    this.quiet();
    document.title = state.table ? `${state.table.title} – ARCS` : "ARCS";
    for (const name of ["what-if", "keep"]) this.tab(name).disabled = !state.fits.length;
    this.tab("graph").disabled = !state.fits.length && !state.job;
    this.data.show(state);
    this.graph.show(state);
    this.go(page);
  }

  // --- fitting ---------------------------------------------------------------------------------
  async fit(knowledge, from, said) {
    this.quiet();
    try {
      this.tab("graph").disabled = false;
      this.asked = performance.now();
      await ask("fit", { knowledge, from, said });
      this.go("graph");
    } catch (error) {
      this.graph.ended();
      this.complain(error);
    }
  }

  async fitted(number) {
    const state = await ask("state");
    Object.assign(this.state, { fits: state.fits, current: state.current, job: state.job });
    for (const name of ["graph", "what-if", "keep"]) this.tab(name).disabled = false;
    await this.graph.fitted(number);
    const seconds = (performance.now() - this.asked) / 1000;
    if (this.asked) this.status.textContent = `fit ${number}: ${seconds.toFixed(2)} s from the click to the graph`;
    document.body.dataset.fitted = String(number);
  }

  async openFolder(folder) {
    await this.busy("Opening …", async () => {
      const state = await ask("open", { folder });
      this.enter(state, "graph");
      this.say(state.remark || `opened ${folder}`);
    });
  }

  // --- the connection --------------------------------------------------------------------------
  down() {
    this.lost = true;
    this.complain(new Refusal("The server does not answer. If it was ended, start arcs app again and open the address that it prints: the fits of this window are offered there."));
  }

  async back() {
    if (!this.lost) return;
    this.lost = false;
    const had = this.state.fits.length;
    this.enter(await ask("state"), this.page);
    if (had && !this.state.fits.length) this.complain(new Refusal("The server was started anew; what this window had is on the data page, under “Go on with”."));
  }

  // --- messages ----------------------------------------------------------------------------------
  complain(error) {
    this.banner.textContent = error instanceof Refusal ? error.message : `Something went wrong in the page: ${error.message}`;
    this.banner.className = "problem";
    this.banner.hidden = false;
    if (!(error instanceof Refusal)) console.error(error);
  }

  say(text) {
    this.banner.textContent = text;
    this.banner.className = "remark";
    this.banner.hidden = false;
  }

  quiet() {
    this.banner.hidden = true;
  }

  async busy(text, work) {
    this.status.textContent = text;
    document.body.classList.add("busy");
    try {
      await work();
      this.status.textContent = "";
    } catch (error) {
      this.status.textContent = "";
      this.complain(error);
    }
    document.body.classList.remove("busy");
  }
}

const app = new App();
app.begin().catch((error) => app.complain(error));
