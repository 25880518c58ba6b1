// Which dtypes each API accepts, as documented and as observed.

import { resultLink } from "./address.js";
import { key, ownerOf, resultAt } from "./data.js";
import { el } from "./dom.js";
import { shownTargets } from "./filters.js";
import { sortable } from "./sorting.js";

/** @import { State } from "./address.js" */
/** @import { Data } from "./data.js" */
/** @typedef {{ at: number, word: string, claimed: string, by: number, works: number, tried: number }} Cell */
/** @typedef {{ operation: string, target: string, api: string, args: string, cells: Map<string, Cell> }} Row */
/** @typedef {{ sort: string, sign: string, text: string, means: string }} Observed */

const DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128"];
/** @type {Record<string, Observed>} */
const OBSERVED = {
  works: { sort: "conforms", sign: "✓", text: "works", means: "correct, as in the document's dtypes" },
  some: { sort: "blocked", sign: "≈", text: "partly", means: "correct in some cases, an error in others" },
  refused: { sort: "observed", sign: "✗", text: "rejected", means: "an error" },
  wrong: { sort: "portability", sign: "≠", text: "wrong", means: "a different result" },
  ended: { sort: "died", sign: "✖", text: "died", means: "the process ended, or the call hung" },
  silent: { sort: "unsupported", sign: "", text: "unknown", means: "also wrong in the document's dtypes" },
};
/** @type {Record<string, string>} */
const CLAIMS = { yes: "claimed", family: "family", example: "example" };

/** A table for each operation: APIs and arguments by dtype, for the targets that the overview shows.
 * @param {Data} all @param {State} state */
export function dtypesView(all, state) {
  const shown = shownTargets(state);
  const rows = rowsOf(all, (target) => shown.has(target));
  const operations = Map.groupBy(rows, (row) => row.operation);
  return [
    el("h2", {}, "Dtypes, claimed and observed"),
    el("p", { class: "lead" }, "The documents' calls, repeated in other dtypes. ", el("b", {}, "claimed"),
      ": the API's own documentation names the dtype; ", el("b", {}, "family"),
      ": it names a family such as “an integer tensor”; ", el("b", {}, "example"),
      ": the documents' own calls use it. Broken claims are red."),
    el("dl", { class: "key" }, Object.values(OBSERVED).map((observed) =>
      el("div", {}, el("dt", {}, observedBadge(observed)), el("dd", {}, observed.means)))),
    rows.length === 0 && el("p", {}, "No results about dtypes."),
    [...operations].map(([operation, group]) => dtypeTable(all, operation, group)),
  ];
}

/** The tables of the APIs that are chosen; null without any.
 * @param {Data} all @param {(target: string, api: string) => boolean} isChosen */
export function dtypeTables(all, isChosen) {
  const rows = rowsOf(all, isChosen);
  return rows.length === 0 ? null
    : [...Map.groupBy(rows, (row) => row.operation)].map(([operation, group]) => dtypeTable(all, operation, group));
}

/** A row for each API and arguments; rows of one API are adjacent.
 * @param {Data} all @param {(target: string, api: string) => boolean} isChosen */
function rowsOf(all, isChosen) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const [at, ...numbers] of all.dtypes) {
    const [target, api] = ownerOf(all, at);
    if (!isChosen(target, api)) continue;
    const [operation, args, dtype, word, claimed] = numbers.slice(0, 5).map((number) => all.texts[number]);
    const [by, works, tried] = numbers.slice(5);
    const name = key(operation, target, api, args);
    const row = rows.get(name) ?? { operation, target, api, args, cells: new Map() };
    row.cells.set(dtype, { at, word, claimed, by, works, tried });
    rows.set(name, row);
  }
  return [...Map.groupBy(rows.values(), (row) => key(row.operation, row.target, row.api)).values()].flat();
}

/** @param {Observed} observed */
function observedBadge({ sort, sign, text }) {
  return el("span", { class: `badge ${sort}` }, sign && [el("span", { "aria-hidden": "true" }, sign), " "], text);
}

/** @param {Data} all @param {string} operation @param {Row[]} rows */
function dtypeTable(all, operation, rows) {
  const columns = DTYPES.filter((dtype) => rows.some((row) => row.cells.has(dtype)));
  const head = el("tr", {}, el("th", { scope: "col" }, "API and arguments"),
    columns.map((dtype) => el("th", { scope: "col" }, dtype)));
  const title = `dtypes-${operation}`;
  return el("section", { "aria-labelledby": title },
    el("h3", { id: title, class: "operation-name" }, operation),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": title },
      sortable(el("table", { class: "dtypes" }, el("thead", {}, head),
        el("tbody", {}, rows.map((row) => dtypeRow(all, row, columns)))))));
}

/** @param {Data} all @param {Row} row @param {string[]} columns */
function dtypeRow(all, row, columns) {
  return el("tr", {},
    el("th", { scope: "row" }, el("code", {}, row.api), " ", el("small", {}, `${row.args} · ${all.target.get(row.target)?.title}`)),
    columns.map((dtype) => dtypeCell(all, row.cells.get(dtype))));
}

/** @param {Data} all @param {Cell} [cell] */
function dtypeCell(all, cell) {
  if (!cell) return el("td", { class: "none" }, el("span", { class: "unseen" }, "not run"));
  const observed = OBSERVED[cell.word];
  const claim = CLAIMS[cell.claimed];
  const broken = claim === "claimed" && !["works", "silent"].includes(cell.word);
  const title = [`works in ${cell.works} of ${cell.tried} cases`, cell.by >= 0 && `claimed by ${all.texts[cell.by]}`];
  return el("td", { class: broken ? "own" : observed.sort, title: title.filter(Boolean).join("; ") },
    resultLink(resultAt(all, cell.at), observed.sign && [el("span", { "aria-hidden": "true" }, observed.sign), " "], observed.text),
    claim && el("small", {}, claim));
}
