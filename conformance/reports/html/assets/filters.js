// Search and filters over the matrices that are already on the page.

const matrices = [...document.querySelectorAll("table.matrix")].map((table) => ({
  table,
  section: table.closest(".operation"),
  heads: [...table.querySelectorAll("th.head")],
  columns: [...table.querySelectorAll(".apis th")],
  bodies: [...table.tBodies].map((body) => ({ body, rows: [...body.querySelectorAll("tr.clause")].map(rowOf) })),
}));
const rowCount = document.querySelectorAll("tr.clause").length;
const shownAtFirst = new Set(checkboxes("target").filter((box) => "shown" in box.dataset).map((box) => box.value));
let shownNow = [...shownAtFirst].join("\n");
let fading = false;

function rowOf(row) {
  const cells = [...row.cells].slice(1);
  return { row, text: row.dataset.search, cells, sorts: cells.map((cell) => ` ${cell.dataset.s ?? cell.className} `) };
}

/** Show what the state asks for, and say how much that is. */
function filter(state) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const only = state.only.map((sort) => ` ${sort} `);
  showColumns(state);
  let shown = 0;
  for (const { section, bodies } of matrices) {
    let some = 0;
    for (const { body, rows } of bodies) {
      const left = rows.filter((row) => filterRow(row, words, only)).length;
      body.hidden = left === 0;
      some += left;
    }
    section.hidden = some === 0;
    shown += some;
  }
  fading = only.length > 0;
  document.getElementById("said").textContent = `${shown} of ${rowCount} clauses`;
  keepReachable();
}

/** Whether a row is shown: where it has all the words and a visible cell of a wanted sort. */
function filterRow({ row, text, cells, sorts }, words, only) {
  const isWanted = (at) => only.length === 0 || only.some((sort) => sorts[at].includes(sort));
  let some = false;
  for (let at = 0; at < cells.length; at += 1) {
    if (cells[at].hidden) continue;
    const wanted = isWanted(at);
    some ||= wanted;
    if (fading || only.length > 0) cells[at].classList.toggle("faded", !wanted);
  }
  const shown = some && words.every((word) => text.includes(word));
  if (row.hidden === shown) row.hidden = !shown;
  return shown;
}

function shownTargets(state) {
  const shown = new Set(shownAtFirst);
  for (const target of state.without) shown.delete(target);
  for (const target of state.with) shown.add(target);
  return shown;
}

function showColumns(state) {
  const shown = shownTargets(state);
  const now = [...shown].join("\n");
  if (now === shownNow) return;
  shownNow = now;
  for (const { heads, columns, bodies } of matrices) {
    for (const head of heads) head.hidden = !shown.has(head.dataset.target);
    columns.forEach((column, at) => {
      const hidden = !shown.has(column.dataset.target);
      if (column.hidden === hidden) return;
      column.hidden = hidden;
      for (const { rows } of bodies) for (const { cells } of rows) showCell(cells[at], hidden, column.dataset.label);
    });
  }
}

function showCell(cell, hidden, label) {
  cell.hidden = hidden;
  if (label) cell.dataset.api = label;
}

/** Make the controls show the state. */
function showFilters(state) {
  const query = document.getElementById("query");
  const shown = shownTargets(state);
  if (query.value !== state.q) query.value = state.q;
  for (const box of checkboxes("only")) box.checked = state.only.includes(box.value);
  for (const box of checkboxes("target")) box.checked = shown.has(box.value);
}

function checkboxes(name) {
  return [...document.querySelectorAll(`#filters input[name="${name}"]`)];
}

/** Make the address follow the controls. */
function listenToFilters() {
  document.getElementById("filters").addEventListener("input", () => {
    const targets = checkboxes("target");
    go({
      q: document.getElementById("query").value,
      only: checkboxes("only").filter((box) => box.checked).map((box) => box.value),
      without: targets.filter((box) => !box.checked && shownAtFirst.has(box.value)).map((box) => box.value),
      with: targets.filter((box) => box.checked && !shownAtFirst.has(box.value)).map((box) => box.value),
    }, { step: false });
  });
  document.getElementById("reset").addEventListener("click", () => go({ q: "", only: [], without: [], with: [] }));
}
