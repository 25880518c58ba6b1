// Opens and closes the panel, and restores the focus.

import { addressOf, go, readAddress } from "./address.js";
import { caseId, data, resultAt, worstOf } from "./data.js";
import { all, byId, el, nodes } from "./dom.js";
import { focusCell } from "./matrices.js";
import { panelContent } from "./panel.js";

/** @import { State } from "./address.js" */
/** @import { Data, Result } from "./data.js" */

export const panel = byId("panel");
/** @type {HTMLElement | null} */
let opener = null;

/** Where the focus goes when the panel is closed.
 * @param {HTMLElement} element */
export function openedFrom(element) {
  opener = element;
}

/** Show the result of the state in the panel, or close the panel.
 * @param {State} state */
export async function show(state) {
  for (const cell of all(".matrix [aria-current]")) cell.removeAttribute("aria-current");
  if (!state.case) {
    close();
    return;
  }
  const payload = await data();
  if (addressOf(state) !== addressOf(readAddress())) return; // the address has changed meanwhile
  const result = resultFor(payload, state);
  panel.replaceChildren(...nodes(result ? panelContent(payload, result) : unknown(payload, state)));
  keepInSight(opener, () => {
    panel.hidden = false;
    document.body.classList.add("open");
  });
  for (const list of all(".choices", panel)) {
    const [current] = all(".current", list);
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
  panel.scrollTop = 0;
  if (result) markCell(result);
  panel.focus({ preventScroll: true });
}

/** The result of the state, or else of the same case and API, or else of the same case.
 * @param {Data} payload @param {State} state */
function resultFor(payload, state) {
  const number = payload.caseNumber.get(state.case);
  const results = (number === undefined ? [] : payload.byCase.get(number) ?? []).map((at) => resultAt(payload, at));
  const sameApi = results.filter((result) => result.api === state.api);
  return sameApi.find((result) => result.target === state.target) ?? sameApi[0] ?? results[0];
}

/** @param {Data} payload @param {State} state */
function unknown(payload, state) {
  const clause = payload.clauses.find(({ id }) => state.case.startsWith(`${id}/`));
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("h2", { id: "panel-title" }, "Not in these results"),
    el("p", {}, `No result has the case ${state.case}. It may have been renamed, or not selected in this run.`),
    clause && el("p", {}, el("a", { href: addressOf({ q: clause.id }) }, "Look for its clause")),
  ];
}

/** Open the worst result of a cell.
 * @param {HTMLTableCellElement} cell */
export async function openCell(cell) {
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const { target = "", api = "" } = all(".apis th", cell.closest("table") ?? undefined)[cell.cellIndex - 1].dataset;
  const payload = await data();
  const worst = worstOf(payload, row.dataset.clause ?? "", target, api);
  if (worst === undefined) return;
  opener = cell;
  go({ case: caseId(payload, payload.results.case[worst]), api, target });
}

/** Change the layout, and scroll so that an element stays at its height, and inside a table that has become narrower.
 * @param {HTMLElement | null} element @param {() => void} change */
function keepInSight(element, change) {
  const before = element?.getBoundingClientRect().top ?? 0;
  change();
  if (!element?.checkVisibility()) return;
  window.scrollBy(0, element.getBoundingClientRect().top - before);
  const [box, cell] = [element.closest(".scroll"), element.closest("td") ?? element];
  if (box) box.scrollLeft += Math.max(0, cell.getBoundingClientRect().right - box.getBoundingClientRect().right);
}

/** Highlight the cell of the open result; scroll to it unless the reader is at another place, from which it was opened.
 * @param {Result} result */
function markCell(result) {
  const row = /** @type {HTMLTableRowElement | undefined} */ (
    all("tr.clause").find((candidate) => candidate.dataset.clause === result.clause));
  const table = row?.closest("table");
  if (!row || !table) return;
  const column = all(".apis th", table)
    .findIndex(({ dataset }) => dataset.target === result.target && dataset.api === result.api);
  const cell = row.cells[column + 1];
  if (column < 0 || cell.hidden) return;
  cell.setAttribute("aria-current", "true");
  const isElsewhere = opener?.isConnected && (opener === cell || !opener.matches(".matrix td"));
  opener = opener?.isConnected ? opener : cell;
  if (!isElsewhere) cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function close() {
  if (panel.hidden) return;
  panel.replaceChildren();
  keepInSight(opener, () => {
    panel.hidden = true;
    document.body.classList.remove("open");
  });
  if (opener?.matches("td")) focusCell(opener, { preventScroll: true });
  else opener?.focus({ preventScroll: true });
  opener = null;
}
