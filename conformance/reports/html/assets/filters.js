// Search and filters over the matrices that are already on the page.

const rowsOfPage = [...document.querySelectorAll("tr.clause")].map((row) => ({
  row, text: row.dataset.search, cells: [...row.querySelectorAll("td")],
}));

/** Show what the state asks for, and say how much that is. */
function filter(state) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text, cells } of rowsOfPage) {
    const wanted = cells.map((cell) => !state.without.includes(cell.dataset.target) && isWanted(cell, state.only));
    cells.forEach((cell, place) => cell.classList.toggle("faded", !wanted[place]));
    row.hidden = !(wanted.some(Boolean) && words.every((word) => text.includes(word)));
    shown += row.hidden ? 0 : 1;
  }
  hideColumns(state.without);
  hideEmpty();
  document.getElementById("said").textContent = `${shown} of ${rowsOfPage.length} clauses`;
}

function isWanted(cell, only) {
  return only.length === 0 || cell.dataset.sort.split(" ").some((sort) => only.includes(sort));
}

function hideColumns(without) {
  for (const cell of document.querySelectorAll(".matrix [data-target]")) {
    cell.hidden = without.includes(cell.dataset.target);
  }
}

/** A group or a matrix with no row left says nothing. */
function hideEmpty() {
  for (const part of document.querySelectorAll(".matrix tbody, .operation")) {
    part.hidden = !part.querySelector("tr.clause:not([hidden])");
  }
}

/** Make the controls show the state. */
function showFilters(state) {
  const query = document.getElementById("query");
  if (query.value !== state.q) query.value = state.q;
  for (const box of checkboxes("only")) box.checked = state.only.includes(box.value);
  for (const box of checkboxes("target")) box.checked = !state.without.includes(box.value);
}

function checkboxes(name) {
  return [...document.querySelectorAll(`#filters input[name="${name}"]`)];
}

/** Make the address follow the controls. */
function listenToFilters() {
  const bar = document.getElementById("filters");
  bar.hidden = false;
  bar.addEventListener("input", () => go({
    q: document.getElementById("query").value,
    only: checkboxes("only").filter((box) => box.checked).map((box) => box.value),
    without: checkboxes("target").filter((box) => !box.checked).map((box) => box.value),
  }, { step: false }));
  document.getElementById("reset").addEventListener("click", () => go({ q: "", only: [], without: [] }));
}
