// The matrices of the overview, and the focus of their cells.

import { all } from "./dom.js";

/** @typedef {ReturnType<typeof rowOf>} MatrixRow */
/** @typedef {typeof matrices[number]} Matrix */

export const matrices = all("table.matrix").map((element) => {
  const table = /** @type {HTMLTableElement} */ (element);
  return {
    table,
    section: /** @type {HTMLElement} */ (table.closest(".operation")),
    heads: all("th.head", table),
    columns: all(".apis th", table),
    bodies: [...table.tBodies].map((body) => ({ body, rows: all("tr.clause", body).map(rowOf) })),
  };
});

/** @param {HTMLElement} element */
function rowOf(element) {
  const row = /** @type {HTMLTableRowElement} */ (element);
  const cells = [...row.cells].slice(1);
  return { row, text: row.dataset.search ?? "", cells, sorts: cells.map(sortsOf) };
}

/** The sorts of a cell's results, each between spaces.
 * @param {HTMLElement} cell */
export function sortsOf(cell) {
  return ` ${cell.dataset.s ?? cell.className} `;
}

/** All rows of a matrix.
 * @param {Matrix} matrix */
export function matrixRows({ bodies }) {
  return bodies.flatMap(({ rows }) => rows);
}

/** The visible rows of a matrix, each with its visible cells.
 * @param {Element} table */
export function visibleCells(table) {
  const own = matrices.filter((matrix) => matrix.table === table);
  return own.flatMap(matrixRows).filter(({ row }) => !row.hidden).map(({ cells }) => cells.filter((cell) => !cell.hidden));
}

/** Give a cell the focus, and the position of its matrix in the order of the Tab key.
 * @param {HTMLElement} cell @param {FocusOptions} [options] */
export function focusCell(cell, options) {
  for (const other of all("td[tabindex]", cell.closest("table") ?? undefined)) other.removeAttribute("tabindex");
  cell.tabIndex = 0;
  cell.focus(options);
}

/** Make sure that the Tab key reaches a visible cell of each matrix. */
export function keepReachable() {
  for (const matrix of matrices) {
    const [current] = all("td[tabindex]", matrix.table);
    if (current && !current.hidden && !current.parentElement?.hidden) continue;
    current?.removeAttribute("tabindex");
    const row = matrixRows(matrix).find((candidate) => !candidate.row.hidden);
    const cell = row?.cells.find((candidate) => !candidate.hidden);
    if (cell) cell.tabIndex = 0;
  }
}
