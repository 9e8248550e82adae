// The data page: a file, its columns and their roles, what is done about rough edges, settings.

import { ask, upload } from "./api.js";
import { histogram, labelBars, number } from "./charts.js";
import { element } from "./graphtools.js";

const MISSING = { error: "refuse them", drop: "drop their rows", level: "a level of their own (categories)", pairwise: "covariance of shared rows", em: "covariance by EM" };
const KINDS = { hard: "cut a variable off from its parents", soft: "change its noise or coefficients", unknown: "unknown: find what they changed" };
const MEANS = { auto: "whatever describes the data best", common: "no means", free: "all means", sparse: "few means", mixed: "means of single conditions", none: "take all rows alike" };
const SCALES = { none: "as it is", log: "logarithm", "normal-scores": "normal scores" };
const WAYS = { quantiles: "with equally many rows", width: "of equal width", hartemink: "that keep what columns tell of each other" };
const CUTS = Object.fromEntries(Object.entries(WAYS).flatMap(([way, text]) => [2, 3, 4, 5].map((count) => [`${way}-${count}`, `${count} levels ${text}`])));
const MOST_ROWS = 400;

export class DataPage {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.file = element("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,.gz,.parquet,.pq", onchange: () => this.take(this.file.files[0]) });
    for (const kind of ["dragover", "drop"]) {
      document.addEventListener(kind, (event) => {
        event.preventDefault();
        host.classList.toggle("dragged", kind === "dragover");
        if (kind === "drop" && event.dataTransfer.files.length) this.take(event.dataTransfer.files[0]);
      });
    }
  }

  async take(file) {
    if (!file) return;
    await this.app.busy(`Reading ${file.name} …`, async () => this.app.enter(await upload(file), "data"));
  }

  async sample(name) {
    await this.app.busy("Writing the data …", async () => this.app.enter(await ask("sample", { name }), "data"));
  }

  show(state) {
    this.state = state;
    const parts = [this.doors(state)];
    if (state.table) {
      this.notes = element("div", { class: "notes", "aria-live": "polite" });
      parts.push(this.head(state.table), this.notes, this.policies(), this.columns(state.table), this.settings());
      this.refresh(ask("audit"));
    }
    this.host.replaceChildren(...parts);
  }

  doors(state) {
    const pick = element("label", { class: "drop", for: "file" }, element("strong", {}, "Drop a CSV or Parquet file"), element("span", {}, " or choose one: "), this.file);
    const samples = Object.entries(this.app.samples).map(([name, about]) => element("button", { type: "button", class: "card", "data-sample": name, onclick: () => this.sample(name) },
      element("strong", {}, name), element("span", {}, about)));
    const left = (this.app.leftover || []).map((work) => element("button", { type: "button", class: "card left", onclick: () => this.app.openFolder(work.folder) },
      element("strong", {}, `Go on with ${work.title}`), element("span", {}, `${work.fits} fits of a server that was ended; nothing is lost`)));
    const folder = element("input", { id: "work-folder", size: 28, placeholder: "folder of a saved work or result", "aria-label": "folder of a saved work or result" });
    const again = element("form", { class: "again", onsubmit: (event) => { event.preventDefault(); this.app.openFolder(folder.value); } }, folder, " ", element("button", { id: "open-work" }, "Open"));
    const intro = state.table ? null : element("div", { class: "intro" }, element("h1", {}, "Look at the data, watch the search, argue with the graph."),
      element("p", {}, "Your data stay on this machine. Begin with a file of your own, or with one of the sets below."));
    return element("div", { class: state.table ? "doors small" : "doors" }, intro, pick, left, samples, again);
  }

  head(table) {
    this.size = element("span", { class: "size" });
    return element("div", { class: "line" }, element("h2", {}, table.title), this.size,
      element("button", { type: "button", class: "primary", id: "learn", onclick: () => this.app.fit({}, null, "first fit") }, "Learn the network"));
  }

  select(name, options, title) {
    const chosen = this.state.choices[name];
    return element("select", { id: name, title, onchange: (event) => this.choose({ [name]: event.target.value }) },
      Object.entries(options).map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
  }

  tick(name, text) {
    const box = element("input", { type: "checkbox", id: name, onchange: () => this.choose({ [name]: box.checked }) });
    box.checked = this.state.choices[name];
    return element("label", {}, box, ` ${text}`);
  }

  policies() {
    const { choices } = this.state;
    const experiments = Object.values(choices.roles).includes("intervention");
    const control = element("input", { id: "control", size: 10, value: choices.control, placeholder: "control", onchange: () => this.choose({ control: control.value }) });
    return element("div", { class: "policies" },
      element("label", {}, "Missing values: ", this.select("missing", MISSING)), element("label", {}, "Scale of all variables: ", this.select("transform", { ...SCALES, none: "as they are", auto: "as the data suggest", ...CUTS })), this.tick("drop_constant", "keep columns that do not vary as isolated nodes"),
      experiments ? [element("label", {}, "Interventions ", this.select("intervention_kind", KINDS)), element("label", {}, "label of untouched rows ", control),
        this.tick("drop_unmeasured", "ignore targets that are not columns")] : [],
      experiments || Object.values(choices.roles).includes("condition") ? element("label", {}, "Between conditions differ: ", this.select("condition_policy", MEANS)) : []);
  }

  columns(table) {
    const heads = ["column", "role", "scale", "distribution", "mean", "sd", "range", "missing", "remark"];
    const shown = table.columns.slice(0, MOST_ROWS);
    const more = table.columns.length - shown.length;
    return element("div", { class: "scroller" }, element("table", { class: "columns" },
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, shown.map((column) => this.row(column)))),
    more > 0 ? element("p", { class: "soft" }, `… and ${more} more columns, all as proposed`) : null);
  }

  row(column) {
    const role = this.state.choices.roles[column.name];
    const choose = element("select", { class: "role", "aria-label": `role of ${column.name}`, onchange: (event) => this.choose({ roles: { ...this.state.choices.roles, [column.name]: event.target.value } }) },
      Object.entries(this.app.roles).map(([value, text]) => element("option", { value, selected: value === role }, text)));
    const figures = column.kind === "number" ? [number(column.mean), number(column.sd), `${number(column.low)} … ${number(column.high)}`, column.missing ? String(column.missing) : ""]
      : ["", "", `${column.distinct} values`, ""];
    const row = element("tr", { class: `is-${role}`, "data-column": column.name }, element("th", { scope: "row" }, column.name), element("td", {}, choose), element("td", {}, column.kind === "number" ? this.scale(column.name) : ""),
      element("td", { class: "distribution" }, column.kind === "number" ? histogram(column.histogram) : labelBars(column.labels)),
      figures.map((text) => element("td", { class: "num" }, text)), element("td", { class: "soft" }, column.why));
    return row;
  }

  scale(name) {
    const now = this.state.choices.scales[name] || "";
    return element("select", { class: "scale", "aria-label": `scale of ${name}`, onchange: (event) => this.choose({ scales: { ...this.state.choices.scales, [name]: event.target.value } }) },
      Object.entries({ "": "–", ...SCALES, ...CUTS }).map(([value, text]) => element("option", { value, selected: value === now }, text)));
  }

  /** The columns as a fit would see them: histograms, of categories rows by level. */
  preview(counts, levels) {
    for (const row of this.host.querySelectorAll("tr[data-column]")) {
      const column = this.state.table.columns.find((one) => one.name === row.dataset.column);
      const shown = levels[column.name] ? labelBars(levels[column.name])
        : column.kind === "number" ? histogram(counts[column.name] || column.histogram) : labelBars(column.labels);
      row.querySelector(".distribution").replaceChildren(shown);
    }
  }

  async choose(change) {
    Object.assign(this.state.choices, change);
    if (change.roles) {
      const fresh = this.policies();
      this.host.querySelector(".policies").replaceWith(fresh);
      for (const row of this.host.querySelectorAll("tr[data-column]")) row.className = `is-${change.roles[row.dataset.column]}`;
    }
    await this.refresh(ask("choose", change), change);
  }

  async refresh(asked, change = null) {
    try {
      const told = await asked;
      this.state.choices = told.choices;
      const { audit } = told;
      if (told.preview && (change || Object.keys({ ...told.preview, ...told.levels }).length)) this.preview(told.preview, told.levels);
      this.size.textContent = audit ? `${audit.n.toLocaleString("en")} rows, ${audit.p.toLocaleString("en")} variables${audit.intervened ? `, ${Object.keys(audit.intervened).length} intervened upon` : ""}` : "";
      const list = (name, texts) => texts.map((text) => element("p", { class: name }, text));
      this.notes.replaceChildren(...list("problem", told.problems), ...list("warning", told.warnings || []), ...list("remark", told.notes || []));
      this.host.querySelector("#learn").disabled = told.problems.length > 0;
    } catch (error) {
      this.app.complain(error);
    }
  }

  settings() {
    const inside = element("div", { class: "settings" });
    const method = element("select", { id: "method", onchange: () => { this.choose({ method: method.value, settings: {} }); this.fill(inside, method.value); } },
      this.app.methods.map((name) => element("option", { value: name, selected: name === this.state.choices.method }, name)));
    const seed = element("input", { type: "number", id: "seed", value: this.state.choices.seed, onchange: () => this.choose({ seed: Number(seed.value) }) });
    const fold = element("details", { class: "fold", ontoggle: () => { if (fold.open) this.fill(inside, method.value); } },
      element("summary", {}, "Settings"), element("div", { class: "policies" }, element("label", {}, "Method ", method), element("label", {}, "Seed ", seed)), inside);
    return fold;
  }

  async fill(inside, method) {
    const told = await ask("settings", { method });
    inside.replaceChildren(element("p", {}, told.about), ...told.settings.map((entry) => this.setting(entry)));
  }

  setting(entry) {
    const now = this.state.choices.settings[entry.name];
    const input = element("input", { id: `set-${entry.name}`, value: now === undefined ? "" : String(now), placeholder: entry.default === null ? "none" : String(entry.default), onchange: () => this.set(entry.name, input.value) });
    return element("div", { class: "setting" }, element("label", { for: input.id }, entry.name), input, element("span", { class: "soft" }, [entry.about, entry.allowed ? `(${entry.allowed})` : ""].filter(Boolean).join(" ")));
  }

  set(name, text) {
    const settings = { ...this.state.choices.settings };
    if (!text.trim()) delete settings[name];
    else {
      try { settings[name] = JSON.parse(text); } catch { settings[name] = text; }
    }
    return this.choose({ settings });
  }
}
