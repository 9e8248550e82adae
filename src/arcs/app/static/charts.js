// Small pictures: histograms, scatter plots, the curve of a search, bars with intervals.

import { svgElement } from "./graphview.js";
import { element } from "./graphtools.js";

/** Three significant digits, a true minus sign. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

function drawing(width, height, label, ...children) {
  return svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label }, ...children);
}

export function histogram(counts) {
  const [width, height] = [110, 26], most = Math.max(...counts, 1), step = width / counts.length;
  return drawing(width, height, "histogram", ...counts.map((count, k) => svgElement("rect", {
    x: k * step + 0.4, y: height - (count / most) * height, width: step - 0.8, height: (count / most) * height, class: "bar" })));
}

/** Bars of the most frequent labels of a text column. */
/** Rows of text and numbers, the first column as heads. */
export function plainTable({ columns, rows }) {
  return element("table", { class: "ranking" }, element("thead", {}, element("tr", {}, columns.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, rows.map(([head, ...cells]) => element("tr", {}, element("th", { scope: "row" }, typeof head === "number" ? number(head) : head),
      cells.map((cell) => element("td", { class: "num" }, typeof cell === "number" ? number(cell) : cell))))));
}

export function labelBars(labels) {
  const most = Math.max(...labels.map(([, count]) => count), 1);
  return element("span", { class: "labels" }, labels.slice(0, 6).map(([text, count]) => {
    const bar = element("span", { class: "label", title: `${text}: ${count}` }, text);
    bar.style.setProperty("--share", String(count / most));
    return bar;
  }));
}

function scale(values, from, to) {
  let low = Math.min(...values), high = Math.max(...values);
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  return Object.assign((value) => from + ((value - low) / (high - low)) * (to - from), { low, high });
}

/** Points; rows in which the variable was set are drawn apart, regimes in colours. */
export function scatter(points, xLabel, yLabel, line) {
  const [width, height, left, floor] = [300, 220, 40, 190];
  const x = scale(points.x, left, width - 8), y = scale(points.y, floor, 10);
  const dots = points.x.map((value, k) => svgElement("circle", {
    cx: x(value).toFixed(1), cy: y(points.y[k]).toFixed(1), r: 1.8,
    class: `dot${points.set?.[k] ? " set" : ""}${points.regime ? ` regime-${points.regime[k] % 8}` : ""}` }));
  const text = (px, py, content, anchor = "middle") => svgElement("text", { x: px, y: py, "text-anchor": anchor }, content);
  const extra = [];
  if (line) {
    const ends = [x.low, x.high].map((at) => [x(at), Math.max(8, Math.min(floor, y(line(at))))]);
    extra.push(svgElement("line", { x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1], class: "fitted" }));
  }
  return drawing(width, height, `${yLabel} against ${xLabel}`,
    svgElement("rect", { x: left, y: 6, width: width - left - 4, height: floor - 2, class: "frame" }), ...dots, ...extra,
    text(left, floor + 16, number(x.low), "start"), text(width - 6, floor + 16, number(x.high), "end"),
    text((left + width) / 2, floor + 27, xLabel), text(left - 4, floor + 2, number(y.low, 2), "end"), text(left - 4, 15, number(y.high, 2), "end"),
    svgElement("text", { transform: `translate(12 ${floor / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel));
}

/** Score and edges over time. */
export function searchCurve(curve) {
  const [width, height, left, floor] = [620, 190, 64, 160];
  if (curve.length < 2) return drawing(width, height, "score over time");
  const x = scale(curve.map((row) => row[0]), left, width - 50), y = scale(curve.map((row) => row[1]), floor, 14);
  const edges = scale([0, ...curve.map((row) => row[2])], floor, 14);
  const path = (of, at) => `M${curve.map((row) => `${x(row[0]).toFixed(1)},${of(row[at]).toFixed(1)}`).join(" L")}`;
  const text = (px, py, content, anchor, name = "") => svgElement("text", { x: px, y: py, "text-anchor": anchor, class: name }, content);
  return drawing(width, height, "score over time",
    svgElement("rect", { x: left, y: 8, width: width - left - 50, height: floor - 2, class: "frame" }),
    svgElement("path", { d: path(edges, 2), class: "curve edges" }), svgElement("path", { d: path(y, 1), class: "curve score" }),
    text(left - 5, 18, number(y.high, 4), "end"), text(left - 5, floor, number(y.low, 4), "end"), text(8, floor / 2 + 8, "score", "start", "score"),
    text(width - 44, 18, String(edges.high), "start", "edges"), text(width - 44, floor / 2 + 8, "edges", "start", "edges"),
    text(left, floor + 18, "0 s", "start"), text(width - 50, floor + 18, `${curve[curve.length - 1][0].toFixed(1)} s`, "end"));
}

/** One row of a ranking: a bar from zero, with the interval as a line over it. */
export function intervalBar(value, low, high, largest) {
  const [width, height] = [220, 18], middle = width / 2;
  const at = (v) => middle + Math.max(-1.1, Math.min(1.1, v / (largest || 1))) * (middle - 8);
  const parts = [svgElement("line", { x1: middle, x2: middle, y1: 0, y2: height, class: "zero" }),
    svgElement("rect", { x: Math.min(middle, at(value)), y: 4, width: Math.max(Math.abs(at(value) - middle), 0.5), height: 10, class: value < 0 ? "minus" : "plus" })];
  if (low !== null && high !== null && low !== undefined) parts.push(svgElement("line", { x1: at(low), x2: at(high), y1: 9, y2: 9, class: "interval" }));
  return drawing(width, height, `${number(value)}`, ...parts);
}
