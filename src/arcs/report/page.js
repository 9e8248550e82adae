"use strict";
(() => {
  const data = JSON.parse(document.getElementById("payload").textContent);
  const svg = document.querySelector("#graph svg");
  const panel = document.getElementById("panel");
  const hint = panel.innerHTML;
  const nodes = new Map([...svg.querySelectorAll(".node")].map((g) => [Number(g.dataset.node), g]));
  const edges = new Map([...svg.querySelectorAll(".edge")].map((g) => [Number(g.dataset.edge), g]));
  const visible = data.edges.map(() => true);
  let pinned = null;

  // --- view: pan and zoom by moving the viewBox -------------------------------------------------
  const whole = svg.viewBox.baseVal;
  const start = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let view = { ...start };
  svg.removeAttribute("width");
  svg.removeAttribute("height");

  function show(next) {
    view = next;
    svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
  }
  function zoom(factor, at) {
    const width = Math.min(Math.max(view.width * factor, 60), start.width * 4);
    const scale = width / view.width;
    const p = at || { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    show({ x: p.x - (p.x - view.x) * scale, y: p.y - (p.y - view.y) * scale,
           width, height: view.height * scale });
  }
  function locate(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(svg.getScreenCTM().inverse());
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), locate(event));
  }, { passive: false });

  const fingers = new Map();
  let grabbed = null, spread = 0, travelled = 0;
  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    grabbed = locate(event);
    travelled = 0;
    spread = 0;
  });
  svg.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.get(event.pointerId);
    travelled += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (spread) zoom(spread / distance, grabbed);
      spread = distance;
    } else if (travelled > 3) {
      // Captured only now, so that a plain click still reaches the node under the pointer.
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("moving");
      const now = locate(event);
      show({ ...view, x: view.x + grabbed.x - now.x, y: view.y + grabbed.y - now.y });
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      svg.classList.remove("moving");
    });
  }
  document.getElementById("zoom-in").addEventListener("click", () => zoom(0.75));
  document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.75));
  document.getElementById("zoom-fit").addEventListener("click", () => show({ ...start }));

  function bringIntoView(index) {
    const box = nodes.get(index).getBBox();
    const legible = svg.getScreenCTM().a > 0.7;
    const inside = box.x > view.x && box.x + box.width < view.x + view.width
      && box.y > view.y && box.y + box.height < view.y + view.height;
    if (legible && inside) return;
    const width = Math.min(view.width, 600), height = view.height * (width / view.width);
    show({ x: box.x + box.width / 2 - width / 2, y: box.y + box.height / 2 - height / 2, width, height });
  }

  // --- one variable: neighbours and equation ----------------------------------------------------
  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }
  function listOf(heading, found, end) {
    const parts = [element("h4", `${heading} (${found.length})`)];
    const list = element("ul");
    for (const edge of found) {
      const open = edge.reversible ? ", direction open" : "";
      list.append(element("li", `${data.nodes[edge[end]].name}: ${edge.coefficient}${open}`));
    }
    if (found.length) parts.push(list);
    return parts;
  }
  function describe(index) {
    const shownEdges = data.edges.filter((_, k) => visible[k]);
    const into = shownEdges.filter((edge) => edge.target === index);
    const out = shownEdges.filter((edge) => edge.source === index);
    panel.replaceChildren(
      element("h3", data.nodes[index].name),
      element("p", data.nodes[index].equation, "equation"),
      ...listOf("Causes (parents)", into, "source"),
      ...listOf("Effects (children)", out, "target"));
  }
  function focus(index) {
    for (const group of [...nodes.values(), ...edges.values()]) group.classList.remove("lit", "chosen");
    svg.classList.toggle("focused", index !== null);
    if (index === null) {
      panel.innerHTML = hint;
      return;
    }
    nodes.get(index).classList.add("lit", "chosen");
    data.edges.forEach((edge, k) => {
      if (!visible[k] || (edge.source !== index && edge.target !== index)) return;
      edges.get(k).classList.add("lit");
      nodes.get(edge.source).classList.add("lit");
      nodes.get(edge.target).classList.add("lit");
    });
    describe(index);
  }
  for (const [index, group] of nodes) {
    group.setAttribute("tabindex", "0");
    group.addEventListener("pointerenter", () => { if (!fingers.size) focus(index); });
    group.addEventListener("pointerleave", () => { if (!fingers.size) focus(pinned); });
    group.addEventListener("focus", () => { if (group.matches(":focus-visible")) focus(index); });
    group.addEventListener("click", (event) => {
      event.stopPropagation();
      if (travelled > 3) return;
      pinned = pinned === index ? null : index;
      focus(index);
    });
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { pinned = index; focus(index); }
      if (event.key === "Escape") { pinned = null; focus(null); }
    });
  }
  svg.addEventListener("click", () => {
    if (travelled > 3) return;
    pinned = null;
    focus(null);
  });

  // --- search by name -----------------------------------------------------------------------------
  const find = document.getElementById("find");
  function search() {
    const text = find.value.trim().toLowerCase();
    find.setCustomValidity("");
    if (!text) { pinned = null; focus(null); return; }
    const names = data.nodes.map((node) => node.name.trim().toLowerCase());
    let index = names.indexOf(text);
    if (index < 0) index = names.findIndex((name) => name.startsWith(text));
    if (index < 0) index = names.findIndex((name) => name.includes(text));
    if (index < 0) {
      find.setCustomValidity("There is no such variable.");
      pinned = null;
      focus(null);
      return;
    }
    pinned = index;
    bringIntoView(index);
    focus(index);
  }
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { search(); find.reportValidity(); }
  });

  // --- threshold ------------------------------------------------------------------------------------
  const slider = document.getElementById("threshold");
  const measure = document.getElementById("measure");
  const shown = document.getElementById("shown");
  const tableRows = new Map([...document.querySelectorAll("#edges tbody tr")]
    .map((row) => [Number(row.dataset.edge), row]));
  const sizeOf = (edge) => edge.values[measure.value] ?? 0;

  function applyThreshold() {
    const limit = Number(slider.value);
    const joined = new Set();
    data.edges.forEach((edge, k) => {
      visible[k] = sizeOf(edge) >= limit;
      edges.get(k).classList.toggle("hidden", !visible[k]);
      tableRows.get(k).classList.toggle("faded", !visible[k]);
      if (visible[k]) { joined.add(edge.source); joined.add(edge.target); }
    });
    const count = visible.filter(Boolean).length;
    for (const [index, group] of nodes) group.classList.toggle("lonely", limit > 0 && !joined.has(index));
    shown.textContent = limit > 0 ? `${limit.toFixed(2)}: ${count} of ${data.edges.length} edges`
                                  : `${data.edges.length} edges`;
    focus(pinned);
  }
  function measureChanged() {
    const largest = Math.max(0, ...data.edges.map(sizeOf));
    slider.max = String(Math.max(Math.ceil(largest * 100) / 100, 0.01));
    slider.value = "0";
    applyThreshold();
  }
  slider.addEventListener("input", applyThreshold);
  measure.addEventListener("change", measureChanged);
  measureChanged();

  // --- tables that sort -----------------------------------------------------------------------------
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
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, column));
    });
  }
})();
