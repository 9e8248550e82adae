// The report's own script: what is said about a chosen variable or edge.

import { GraphView } from "./graphview.js";
import { element } from "./graphtools.js";
import { effectBars } from "./effects.js";
import { livelyTables } from "./tables.js";

const best = JSON.parse(document.getElementById("payload").textContent);
let data = best;
const panel = document.getElementById("panel");
const hint = [...panel.childNodes];
const tableRows = new Map([...document.querySelectorAll("#edges tbody tr")].map((row) => [Number(row.dataset.edge), row]));

const view = new GraphView(document.getElementById("graph"), {
  onNode: (node) => (node === null ? panel.replaceChildren(...hint) : describeNode(node)),
  onEdge: (edge) => describeEdge(data.edges[edge]),
  onDraw: ({ visible }) => { if (data === best) visible.forEach((shown, k) => tableRows.get(k)?.classList.toggle("faded", !shown)); },
});
view.show(data);
for (const button of document.querySelectorAll("[data-graph]")) {
  button.addEventListener("click", () => {
    data = button.dataset.graph === "average" ? best.average : best;
    document.querySelectorAll("[data-graph]").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
    panel.replaceChildren(...hint);
    view.show(data);
  });
}

// --- the chosen one -------------------------------------------------------------------------------
function listOf(heading, found, end) {
  const items = found.map((edge) => element("li", {}, `${data.nodes[edge[end]].name}: ${edge.coefficient}${edge.reversible ? ", direction open" : ""}`));
  return [element("h4", {}, `${heading} (${found.length})`), items.length ? element("ul", {}, items) : null];
}

function describeNode(index) {
  const shown = view.at[index].map((k) => data.edges[k]);
  panel.replaceChildren(
    element("h3", {}, data.nodes[index].name),
    element("p", { class: "equation" }, best.nodes[index].equation),
    ...(best.figure === "coefficient" ? [element("h4", {}, "Total effects (standardised, 95 % intervals given the graph)"),
      effectBars(best.nodes[index].effects, best.nodes[index].more)] : []),
    ...[...listOf("Causes (parents)", shown.filter((edge) => edge.target === index), "source"),
      ...listOf("Effects (children)", shown.filter((edge) => edge.source === index), "target")].filter(Boolean));
}

function describeEdge(edge) {
  const figures = Object.entries(edge.values).map(([name, value]) => element("li", {}, `${name.replaceAll("_", " ")}: ${Number(value).toPrecision(3)}`));
  panel.replaceChildren(
    element("h3", {}, `${data.nodes[edge.source].name} → ${data.nodes[edge.target].name}`),
    element("p", {}, `${best.figure} ${edge.coefficient}; ${edge.reversible ? "the data cannot tell the direction from its reversal" : "direction identified"}`),
    element("ul", {}, figures));
}

livelyTables(document);
