// Search and filters for the matrices.

import { go, NOTHING_OPEN, readAddress } from "./address.js";
import { addColumns, withoutColumns } from "./columns.js";
import { data } from "./data.js";
import { all, byId } from "./dom.js";
import { keepReachable, matrices } from "./matrices.js";
import { apisNamed, matches, showHits, termsOf, wordsOfClause } from "./search.js";

/** @import { State } from "./address.js" */
/** @import { MatrixRow } from "./matrices.js" */
/** @import { Term } from "./search.js" */

const query = /** @type {HTMLInputElement} */ (byId("query"));
const rowCount = all("tr.clause").length;
const shownAtFirst = new Set(checkboxes("target").filter((box) => "shown" in box.dataset).map((box) => box.value));
let shownNow = [...shownAtFirst, ""].join("\n");
let fading = false;

/** Apply the filters of the state, and show how many clauses remain.
 * @param {State} state */
export function filter(state) {
  const words = termsOf(state.q);
  const only = state.only.map((sort) => ` ${sort} `);
  addMissingColumns(state);
  showColumns(state, apisNamed(words));
  let shown = 0;
  for (const { section, bodies } of matrices) {
    let inSection = 0;
    for (const { body, rows } of bodies) {
      const visible = rows.filter((row) => filterRow(row, words, only)).length;
      body.hidden = visible === 0;
      inSection += visible;
    }
    section.hidden = inSection === 0;
    shown += inSection;
  }
  fading = only.length > 0;
  byId("filter-status").textContent = `${shown} of ${rowCount} clauses`;
  keepReachable();
  showHits(state, words, shown);
}

/** Add the columns of targets that were not shown before, as soon as the data are unpacked, and filter again.
 * @param {State} state */
async function addMissingColumns(state) {
  const missing = withoutColumns(shownTargets(state));
  if (missing.length === 0) return;
  const payload = await data();
  addColumns(payload, withoutColumns(missing));
  shownNow = "";
  filter(readAddress());
}

/** Show or hide a row: it needs all the words and a visible cell of one of the sorts.
 * @param {MatrixRow} matrixRow @param {Term[]} words @param {string[]} only */
function filterRow({ row, text, cells, sorts }, words, only) {
  let anyMatches = false;
  for (let at = 0; at < cells.length; at += 1) {
    if (cells[at].hidden) continue;
    const isChosen = only.length === 0 || only.some((sort) => sorts[at].includes(sort));
    anyMatches ||= isChosen;
    if (fading || only.length > 0) cells[at].classList.toggle("faded", !isChosen);
  }
  const shown = anyMatches && matches(words, text, wordsOfClause(row.dataset.clause ?? ""));
  if (row.hidden === shown) row.hidden = !shown;
  return shown;
}

/** The ids of the targets that the matrices show.
 * @param {State} state */
export function shownTargets(state) {
  const shown = new Set(shownAtFirst);
  for (const target of state.without) shown.delete(target);
  for (const target of state.with) shown.add(target);
  return shown;
}

/** @param {State} state @param {Set<string>} named the APIs that the search is for; empty for all */
function showColumns(state, named) {
  const shown = shownTargets(state);
  const now = [...shown, "", ...named].join("\n");
  if (now === shownNow) return;
  shownNow = now;
  for (const { heads, columns, bodies } of matrices) {
    const narrowed = columns.some(({ dataset }) => named.has(dataset.api ?? ""));
    /** @param {HTMLElement} column */
    const isShown = ({ dataset }) => shown.has(dataset.target ?? "") && (!narrowed || named.has(dataset.api ?? ""));
    for (const head of heads) {
      const span = columns.filter((column) => column.dataset.target === head.dataset.target && isShown(column)).length;
      head.hidden = span === 0;
      head.setAttribute("colspan", String(Math.max(1, span)));
    }
    columns.forEach((column, at) => {
      const hidden = !isShown(column);
      if (column.hidden === hidden) return;
      column.hidden = hidden;
      for (const { rows } of bodies) for (const { cells } of rows) cells[at].hidden = hidden;
    });
  }
}

/** Make the controls show the state.
 * @param {State} state */
export function showFilters(state) {
  const shown = shownTargets(state);
  if (query.value !== state.q) query.value = state.q;
  for (const box of checkboxes("only")) box.checked = state.only.includes(box.value);
  for (const box of checkboxes("target")) box.checked = shown.has(box.value);
}

/** @param {string} name @returns {HTMLInputElement[]} */
function checkboxes(name) {
  return all(`#filters input[name="${name}"]`);
}

/** Make the address follow the controls. */
export function listenToFilters() {
  query.addEventListener("input", () => go({ q: query.value, ...(readAddress().view ? { ...NOTHING_OPEN, view: "" } : {}) }, { step: false }));
  byId("filters").addEventListener("input", () => {
    const targets = checkboxes("target");
    go({
      only: checkboxes("only").filter((box) => box.checked).map((box) => box.value),
      without: targets.filter((box) => !box.checked && shownAtFirst.has(box.value)).map((box) => box.value),
      with: targets.filter((box) => box.checked && !shownAtFirst.has(box.value)).map((box) => box.value),
    }, { step: false });
  });
  byId("reset").addEventListener("click", () => go({ q: "", only: [], without: [], with: [] }));
}
