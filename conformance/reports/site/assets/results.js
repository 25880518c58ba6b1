// Results by name, from the numbers of a file with calls.

import { description } from "./literals.js";

/** @import { Calls, Description, Row } from "./page.d.ts" */
/** @typedef {ReturnType<typeof resultOf>} Result */

/** A row of the file by names.
 * @param {Calls} calls @param {Row} row @param {string} target */
export function resultOf(calls, [at, judgement, outcome, rare = {}], target) {
  const [sort, word, kinds, reason, known, cause] = calls.judgements[judgement];
  return {
    name: calls.cases[at], target, sort, word, kinds, reason, known, cause, actual: description(calls.outcomes[outcome]),
    remarks: rare.remarks === undefined ? [] : calls.remarks[rare.remarks], differs: rare.differs ?? null,
    right: rare.right === undefined ? null : description(calls.outcomes[rare.right]), script: rare.script ?? null,
    options: [...(rare.needsResults ? [`--results ${quoted(calls.folder)}`] : []), calls.options[target]].filter(Boolean),
  };
}

/** The operation of a call; empty if it is not known.
 * @param {Calls} calls @param {string} name */
export function operationOf(calls, name) {
  return Object.keys(calls.operations)[calls.of[calls.cases.indexOf(name)] ?? 0] ?? "";
}

/** A word of a command line.
 * @param {string} word */
export function quoted(word) {
  return /^[\w./=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The address of a call on the page of its API.
 * @param {string} call @param {string} target @param {string} row */
export function callAddress(call, target, row) {
  const within = row ? `&row=${encodeURIComponent(row)}` : "";
  return `#call=${encodeURIComponent(call)}&target=${encodeURIComponent(target)}${within}`;
}

/** All of a description as lines.
 * @param {Description} description */
export function linesOf({ head, body, notes }) {
  return [head, ...(body === null ? [] : [body]), ...notes].join("\n");
}
