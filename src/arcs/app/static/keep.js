// The keep page: save and open a work, export, and do it again without the page.

import { address, ask } from "./api.js";
import { element } from "./graphtools.js";

const NAMES = { table: "edges with figures (CSV)", edges: "edge list", adjacency: "adjacency matrix", graphml: "GraphML", dot: "Graphviz DOT", json: "JSON", dagitty: "DAGitty", bnlearn: "bnlearn", tetrad: "Tetrad", svg: "picture (SVG)", cx2: "Cytoscape (CX2)", sif: "Cytoscape (SIF)" };

export class KeepPage {
  constructor(host, app) {
    this.host = host;
    this.app = app;
  }

  async show() {
    const title = (this.app.state.table?.title || "work").replace(/\..*$/, "");
    this.folder = element("input", { id: "folder", size: 36, value: this.folder?.value || `${title}-work` });
    this.told = element("p", { class: "soft", id: "saved", role: "status" });
    const links = this.app.exports.map((format) => element("li", {}, element("a", { href: address(`export/${format}`), download: true }, NAMES[format] || format)));
    this.texts = element("div", {});
    this.host.replaceChildren(element("div", { class: "two" },
      element("div", {}, element("h2", {}, "Keep this work"),
        element("p", { class: "set-line" }, element("label", {}, "Folder ", this.folder), element("button", { type: "button", class: "primary", id: "save", onclick: () => this.save() }, "Save"),
          element("button", { type: "button", id: "open", onclick: () => this.app.openFolder(this.folder.value) }, "Open")), this.told,
        element("p", { class: "soft" }, "Every fit with its result, edges, report and graph files, what you said, a fingerprint of the data, and the commands that do it all again."),
        element("h2", {}, "Export the current fit"), element("ul", { class: "exports" }, links),
        element("p", {}, element("a", { href: address("report"), target: "_blank", rel: "noopener" }, "Open the report"))),
      element("div", {}, element("h2", {}, "Do it again without this page"), this.texts)));
    await this.recipe();
  }

  async recipe() {
    try {
      const told = await ask("recipe");
      this.texts.replaceChildren(...this.text("Command line", told.command, "command"), ...this.text("Python", told.python, "python"));
    } catch (error) {
      this.texts.replaceChildren(element("p", { class: "soft" }, error.message));
    }
  }

  text(heading, content, id) {
    const copy = element("button", { type: "button", class: "small", onclick: async () => { await navigator.clipboard.writeText(content); copy.textContent = "copied"; } }, "copy");
    return [element("h3", {}, heading, " ", copy), element("pre", { id, tabindex: "0" }, content)];
  }

  async save() {
    await this.app.busy("Saving …", async () => {
      const told = await ask("save", { folder: this.folder.value });
      this.told.textContent = `${told.files.length} files in ${told.folder}`;
    });
  }
}
