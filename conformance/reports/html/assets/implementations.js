// Implementations of an operation: which API of a target is compared, and how often two give the same.

import { copyable, el } from "./dom.js";

/** @import { Mapping } from "./data.js" */
/** @import { Child } from "./dom.js" */
/** @import { PortingOperation } from "./payload.d.ts" */

/** Complete code that calls an API, if a script of a call has been run; or else the adapter's function.
 * @param {Mapping} mapping @returns {Child} */
export function codeToPaste({ script, source }) {
  if (script) return [el("p", { class: "crumbs" }, "Complete code, which has been run in this target."), copyable(script.replace(/^(#.*\n)+\n*/, ""), "code")];
  return [el("p", { class: "crumbs" }, "The adapter's function. ", el("code", {}, "conformance repro --all"),
    " puts complete code here that has been run."), el("pre", { class: "code", tabindex: "0" }, source.trimEnd())];
}

/** The number of a target's API that supports most calls.
 * @param {PortingOperation} operation @param {string} target @returns {number | undefined} */
export function preferredOf(operation, target) {
  return operation.preferred[target];
}

/** The name of a choice of an API for an operation, as in the address.
 * @param {PortingOperation} operation @param {number} number */
export function choiceName(operation, number) {
  return [operation.name, ...operation.implementations[number]].join(" ");
}

/** On how many calls two implementations do the same.
 * @param {PortingOperation} operation @param {number} one @param {number} other */
export function shareOf(operation, one, other) {
  const [left, right] = one < other ? [one, other] : [other, one];
  const pair = operation.pairs.find(([first, second]) => first === left && second === right);
  if (!pair) return "never called on both";
  const [same, wrong] = operation.facts[pair[2]].slice(0, 2).map((cases) => countOf(String(cases)));
  return `on ${same} of ${same + wrong} calls`;
}

/** The size of a set of cases.
 * @param {string} cases */
function countOf(cases) {
  return [...BigInt(cases).toString(2)].filter((bit) => bit === "1").length;
}
