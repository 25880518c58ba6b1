// Tables that are sorted by a column when its heading is pressed.

import { all, el } from "./dom.js";

/** Make the headings of a table sort its rows; returns the table.
 * @template {HTMLElement} T
 * @param {T} table */
export function sortable(table) {
  const headings = all("thead tr:last-child th", table);
  headings.forEach((heading, column) => {
    if (heading.hasAttribute("data-unsorted")) return;
    const button = el("button", { type: "button", class: "sort" }, ...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      for (const body of all("tbody", table)) sort(body, column, descending);
    });
  });
  return table;
}

/** Sort rows; a row that belongs to the one above it moves with it.
 * @param {HTMLElement} body @param {number} column @param {boolean} descending */
function sort(body, column, descending) {
  /** @type {HTMLTableRowElement[][]} */
  const groups = [];
  for (const row of /** @type {HTMLTableRowElement[]} */ ([...body.children])) {
    if (row.hasAttribute("data-follows")) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  groups.sort(([one], [other]) => (descending ? -1 : 1) * compared(textOf(one, column), textOf(other, column)));
  body.append(...groups.flat());
}

/** @param {HTMLTableRowElement} row @param {number} column */
function textOf(row, column) {
  return row.cells[column]?.textContent?.trim() ?? "";
}

/** Numbers by size, before texts.
 * @param {string} one @param {string} other */
function compared(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}
