// The columns of targets that the matrices do not show at first, created when somebody asks for them.

import { el } from "./dom.js";
import { matrices, matrixRows, sortsOf } from "./matrices.js";

/** @import { Data } from "./data.js" */
/** @import { Matrix } from "./matrices.js" */
/** @import { MatrixColumn } from "./payload.d.ts" */

const created = new Set(matrices.flatMap(({ heads }) => heads.map(({ dataset }) => dataset.target)));

/** The targets that have no columns yet.
 * @param {Iterable<string>} targets */
export function withoutColumns(targets) {
  return [...targets].filter((target) => !created.has(target));
}

/** Add the columns of targets to each matrix.
 * @param {Data} all @param {string[]} targets */
export function addColumns(all, targets) {
  for (const target of targets) created.add(target);
  matrices.forEach((matrix, at) => {
    for (const column of all.matrices.columns[at]) {
      if (targets.includes(all.targets[column.target].id)) addColumn(all, matrix, column);
    }
    for (const family of matrix.table.querySelectorAll(".family th")) {
      family.setAttribute("colspan", String(matrix.columns.length + 1));
    }
  });
}

/** @param {Data} all @param {Matrix} matrix @param {MatrixColumn} column */
function addColumn(all, matrix, column) {
  const { id, title, where } = all.targets[column.target];
  const api = column.api < 0 ? "" : all.texts[column.api];
  if (column.first) {
    const head = el("th", { scope: "colgroup", class: "head", "data-target": id, "data-place": column.place }, title, " ", el("small", {}, where));
    inserted(matrix.heads, head, column.place, matrix.table.tHead?.rows[0]);
  }
  const at = inserted(matrix.columns, el("th", { scope: "col", class: column.first && "first", "data-target": id,
    "data-place": column.place, "data-api": api }, api && el("code", {}, api),
    column.notes.map(([text, explained]) => el("small", { title: explained || null }, text))), column.place, matrix.table.tHead?.rows[1]);
  matrixRows(matrix).forEach(({ row, cells, sorts }, number) => {
    const cell = cellOf(all, column, column.cells[number]);
    row.insertBefore(cell, cells[at] ?? null);
    cells.splice(at, 0, cell);
    sorts.splice(at, 0, sortsOf(cell));
  });
}

/** Insert a heading before those of later columns, into a list and into its row; returns its position.
 * @param {HTMLElement[]} headings @param {HTMLElement} heading @param {number} place @param {HTMLTableRowElement} [row] */
function inserted(headings, heading, place, row) {
  const next = headings.findIndex(({ dataset }) => Number(dataset.place) > place);
  const at = next < 0 ? headings.length : next;
  row?.insertBefore(heading, headings[at] ?? null);
  headings.splice(at, 0, heading);
  return at;
}

/** @param {Data} all @param {MatrixColumn} column @param {number} number */
function cellOf(all, { label, first }, number) {
  const [sort, word, count, news, notJudged, sorts] = all.matrices.cells[number];
  const kind = [sort, news === "known" && "known", first && "first"].filter(Boolean).join(" ");
  return el("td", { class: kind, "data-s": sorts || null, "data-api": label || null }, all.texts[word],
    [count, news].map((text) => text && [" ", el("i", {}, text)]), notJudged.map((text) => el("i", { class: "b" }, text)));
}
