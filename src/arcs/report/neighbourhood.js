// Which part of a large graph to draw: what is near one variable.

/** Graphs of more edges than this open as the neighbourhood of their best connected variable. */
export const MOST_EDGES = 150;
/** A neighbourhood is cut, weakest edges first, where it would become threads again. */
export const MOST_NODES = 48;

/** For each node the numbers of its edges, strongest first (edges come sorted by strength). */
export function incidence(count, edges, visible) {
  const at = Array.from({ length: count }, () => []);
  edges.forEach((edge, k) => {
    if (!visible[k]) return;
    at[edge.source].push(k);
    at[edge.target].push(k);
  });
  return at;
}

/** The node with most edges; the first of several. */
export function hub(at) {
  let best = 0;
  at.forEach((list, k) => { if (list.length > at[best].length) best = k; });
  return best;
}

/**
 * Nodes within `radius` steps of `centre`, nearest and strongest first, at most `most`.
 * @returns {{nodes: number[], cut: boolean}}
 */
export function neighbourhood(centre, radius, at, edges, most = MOST_NODES) {
  const found = new Map([[centre, 0]]);
  let frontier = [centre];
  for (let step = 1; step <= radius; step++) {
    const next = [];
    for (const node of frontier) {
      for (const k of at[node]) {
        const other = edges[k].source === node ? edges[k].target : edges[k].source;
        if (found.has(other)) continue;
        if (found.size >= most) return { nodes: [...found.keys()], cut: true };
        found.set(other, step);
        next.push(other);
      }
    }
    frontier = next;
  }
  return { nodes: [...found.keys()], cut: false };
}
