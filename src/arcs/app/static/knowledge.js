// What the person says about the graph: statements are added to and taken from, never mixed up.

const EMPTY = { required: [], forbidden: [], tiers: [], roots: [], leaves: [] };
const same = ([a, b]) => ([c, d]) => a === c && b === d;

/** Statements as plain lists. */
export function statements(knowledge) {
  return structuredClone({ ...EMPTY, ...knowledge });
}

function without(pairs, pair) {
  return pairs.filter((other) => !same(pair)(other));
}

export function require_(knowledge, from, to) {
  const next = statements(knowledge);
  next.forbidden = without(next.forbidden, [from, to]);
  next.required = [...without(without(next.required, [from, to]), [to, from]), [from, to]];
  return next;
}

export function forbid(knowledge, from, to) {
  const next = statements(knowledge);
  next.required = without(next.required, [from, to]);
  next.forbidden = [...without(next.forbidden, [from, to]), [from, to]];
  return next;
}

/** The edge is there, the other way round. */
export function turn(knowledge, from, to) {
  return require_(forbid(knowledge, from, to), to, from);
}

/** Put a variable into a tier (numbered from 0), or take it out (null). */
export function setTier(knowledge, name, tier) {
  const next = statements(knowledge);
  next.tiers = next.tiers.map((group) => group.filter((other) => other !== name));
  if (tier !== null) {
    while (next.tiers.length <= tier) next.tiers.push([]);
    next.tiers[tier].push(name);
  }
  while (next.tiers.length && !next.tiers[next.tiers.length - 1].length) next.tiers.pop();
  return next;
}

export function tierOf(knowledge, name) {
  const at = statements(knowledge).tiers.findIndex((group) => group.includes(name));
  return at < 0 ? null : at;
}

/** Every statement as a sentence and the knowledge without it. */
export function sentences(knowledge) {
  const known = statements(knowledge), found = [];
  for (const [kind, sign] of [["required", "must be there"], ["forbidden", "must not be there"]]) {
    for (const pair of known[kind]) {
      found.push([`${pair[0]} → ${pair[1]} ${sign}`, { ...known, [kind]: without(known[kind], pair) }]);
    }
  }
  known.tiers.forEach((group, tier) => group.forEach((name) => found.push([`${name} is in tier ${tier + 1}`, setTier(known, name, null)])));
  for (const kind of ["roots", "leaves"]) {
    for (const name of known[kind]) found.push([`${name} is a ${kind === "roots" ? "root" : "leaf"}`, { ...known, [kind]: known[kind].filter((other) => other !== name) }]);
  }
  return found;
}
