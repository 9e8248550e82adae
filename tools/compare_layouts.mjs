// Our layered layout beside those of ELK and dagre: crossings, milliseconds, area, length of edges.
//
//   npm install --no-save elkjs @dagrejs/dagre && cp src/arcs/report/layers.js tools/layers.mjs
//   node tools/compare_layouts.mjs
//
// Random DAGs, means over five of each size. The libraries are fetched for the comparison only.
import dagre from "@dagrejs/dagre";
import ELK from "elkjs/lib/elk.bundled.js";

import { layeredLayout } from "./layers.mjs";

const SIZES = [[11, 17], [20, 30], [30, 50], [40, 80], [60, 120], [100, 150]];
const GAPS = { layer: 46, node: 18 };

function randomDag(p, m, seed) {
  let state = seed;
  const draw = () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
  const edges = new Map();
  while (edges.size < m) {
    const [a, b] = [Math.floor(draw() * p), Math.floor(draw() * p)].sort((x, y) => x - y);
    if (a !== b) edges.set(a * p + b, [a, b]);
  }
  return [...edges.values()];
}

function crossings(paths) {
  const pieces = paths.flatMap((path, k) => path.slice(1).map((end, i) => [k, path[i], end]));
  const side = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  let count = 0;
  pieces.forEach(([k, a, b], i) => {
    for (const [l, c, d] of pieces.slice(i + 1)) {
      if (k !== l && side(a, b, c) * side(a, b, d) < -1e-6 && side(c, d, a) * side(c, d, b) < -1e-6) count++;
    }
  });
  return count;
}

const lengthOf = (paths) => paths.reduce((sum, path) => sum + path.slice(1).reduce((part, end, i) => part + Math.hypot(end.x - path[i].x, end.y - path[i].y), 0), 0);

const methods = {
  own: async (nodes, edges) => layeredLayout(nodes, edges),
  elk: async (nodes, edges) => {
    const found = await new ELK().layout({
      id: "root",
      layoutOptions: { "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.edgeRouting": "POLYLINE", "elk.layered.spacing.nodeNodeBetweenLayers": String(GAPS.layer) },
      children: nodes.map((node, k) => ({ id: `n${k}`, ...node })),
      edges: edges.map(([a, b], k) => ({ id: `e${k}`, sources: [`n${a}`], targets: [`n${b}`] })),
    });
    const paths = found.edges.map(({ sections: [part] }) => [part.startPoint, ...(part.bendPoints || []), part.endPoint]);
    return { paths, width: found.width, height: found.height };
  },
  dagre: async (nodes, edges) => {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ ranksep: GAPS.layer, nodesep: GAPS.node });
    graph.setDefaultEdgeLabel(() => ({}));
    nodes.forEach((node, k) => graph.setNode(String(k), { ...node }));
    edges.forEach(([a, b]) => graph.setEdge(String(a), String(b)));
    dagre.layout(graph);
    const paths = edges.map(([a, b]) => graph.edge(String(a), String(b)).points);
    return { paths, width: graph.graph().width, height: graph.graph().height };
  },
};

const rows = [];
for (const [p, m] of SIZES) {
  const nodes = Array.from({ length: p }, () => ({ width: 60, height: 26 }));
  for (const [by, layout] of Object.entries(methods)) {
    const sums = { crossings: 0, ms: 0, area: 0, length: 0 };
    for (let seed = 1; seed <= 5; seed++) {
      const started = performance.now();
      const found = await layout(nodes, randomDag(p, m, seed * 7919));
      sums.ms += performance.now() - started;
      sums.crossings += crossings(found.paths);
      sums.area += (found.width * found.height) / 1000;
      sums.length += lengthOf(found.paths);
    }
    rows.push({ graph: `${p} nodes, ${m} edges`, by, ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number((sum / 5).toFixed(1))])) });
  }
}
console.table(rows);
