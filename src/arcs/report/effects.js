// Total effects of one variable as a ranked bar plot with intervals.

import { element } from "./graphtools.js";

/** Bars on a common scale; a thin line is the interval. */
export function effectBars(effects, more) {
  if (!effects.length) return element("p", { class: "hint" }, "No effect on any other variable.");
  const ends = effects.flatMap((entry) => [entry.size, entry.low ?? entry.size, entry.high ?? entry.size, 0]);
  const low = Math.min(...ends), span = Math.max(...ends) - low || 1;
  const place = (value) => (100 * (value - low)) / span;
  const between = (made, from, to) => {
    made.style.left = `${place(Math.min(from, to))}%`;
    made.style.width = `${Math.abs(place(to) - place(from))}%`;
    return made;
  };
  const rows = effects.map((entry) => {
    const known = entry.low !== null && entry.high !== null;
    const title = `${entry.name}: ${entry.effect} per unit; standardised ${entry.size.toPrecision(3)}`
      + (known ? `, 95 % interval ${entry.low.toPrecision(3)} to ${entry.high.toPrecision(3)}` : "");
    return element("div", { class: "effect", title },
      element("span", { class: "effect-name" }, entry.name),
      element("span", { class: "effect-track" },
        between(element("span", { class: entry.size < 0 ? "effect-bar minus" : "effect-bar" }), 0, entry.size),
        known ? between(element("span", { class: "effect-interval" }), entry.low, entry.high) : null),
      element("span", { class: "effect-value" }, entry.size.toPrecision(2)));
  });
  return element("div", { class: "effects" }, rows, more ? element("p", { class: "hint" }, `and ${more} more`) : null);
}
