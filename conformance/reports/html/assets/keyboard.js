// Keyboard navigation of the matrices: Tab reaches one cell of each, the arrow keys move between cells.

import { go, NOTHING_OPEN } from "./address.js";
import { byId } from "./dom.js";
import { focusCell, matrices, visibleCells } from "./matrices.js";
import { openCell, panel } from "./opening.js";

/** @typedef {HTMLTableCellElement} Cell */

/** @type {Record<string, (rows: Cell[][], row: number, column: number) => Cell | undefined>} */
const STEPS = {
  ArrowLeft: (rows, row, column) => rows[row][column - 1],
  ArrowRight: (rows, row, column) => rows[row][column + 1],
  ArrowUp: (rows, row, column) => rows[row - 1]?.[column],
  ArrowDown: (rows, row, column) => rows[row + 1]?.[column],
  Home: (rows, row) => rows[row][0],
  End: (rows, row) => rows[row].at(-1),
};

/** @param {KeyboardEvent} event */
function moveInGrid(event) {
  const cell = /** @type {Cell | null} */ (event.target instanceof Element ? event.target.closest(".matrix td") : null);
  const table = cell?.closest("table");
  if (!cell || !table || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    openCell(cell);
  } else if (event.key in STEPS) {
    event.preventDefault();
    const rows = visibleCells(table);
    const row = rows.findIndex((cells) => cells.includes(cell));
    const next = STEPS[event.key](rows, row, rows[row].indexOf(cell));
    if (next) focusCell(next);
  }
}

export function listenToKeys() {
  for (const { table } of matrices) table.setAttribute("role", "grid");
  byId("matrices").addEventListener("keydown", moveInGrid);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) go(NOTHING_OPEN);
  });
}
