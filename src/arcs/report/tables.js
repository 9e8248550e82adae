// Tables that sort by a click on a heading, and long ones that can be searched.

import { element } from "./graphtools.js";

const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (cell.dataset.value === undefined) return cell.textContent.trim().toLowerCase();
  const number = Number(cell.dataset.value);
  return Number.isNaN(number) ? -Infinity : number;
};
function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const numeric = heads[column].classList.contains("num");
  const current = heads[column].getAttribute("aria-sort");
  const direction = current === (numeric ? "descending" : "ascending")
    ? (numeric ? "ascending" : "descending") : (numeric ? "descending" : "ascending");
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
  rows.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
function filterField(table) {
  const field = element("input", { type: "search", class: "filter", placeholder: "find in table", "aria-label": "find in table" });
  const count = element("output", { class: "count" });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = words.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : "";
  });
  return element("p", { class: "tabletools" }, [field, count]);
}

export function livelyTables(root) {
  for (const table of root.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = element("button", { type: "button" }, head.textContent);
      if (head.title) button.title = head.title;
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, column));
    });
    if (table.tBodies[0].rows.length > 12) table.parentElement.before(filterField(table));
  }
}
