// The documentation of an API: how much of it is read, and what tests each claim.

import { key, resultAt } from "./data.js";
import { badge, el } from "./dom.js";

/** @import { Data } from "./data.js" */
/** @import { Child } from "./dom.js" */
/** @import { ApiDocument, Target } from "./payload.d.ts" */
/** @typedef {{ name: string, targets: Target[] }} Documented */
/** @typedef {ApiDocument["claims"][number]} Claim */

/** @param {Data} all @param {Documented} api @returns {Child[]} */
export function documentationOf(all, api) {
  const documents = all.apis.documents.filter(({ describes }) => describes.includes(api.name));
  return [
    el("ul", { class: "plain" }, api.targets.map((target) => el("li", {}, coverageText(all, api, target)))),
    documents.length === 0 && el("p", {}, "No document of the suite is about it, so it is judged for portability only."),
    documents.map((document) => documentPart(all, api, document)),
  ];
}

/** @param {Data} all @param {Documented} api @param {Target} target */
function coverageText(all, api, target) {
  const row = all.apis.coverage.find(([number, name]) => all.targets[number] === target && all.texts[name] === api.name);
  const name = `${target.title} (${target.where}): `;
  if (!row) return `${name}the results do not say which sentences ship with it.`;
  const [, , sentences, claimed, untestable, unread] = row;
  if (sentences === 0) return `${name}no documentation of its own.`;
  return `${name}${sentences} sentences, ${claimed} read by claims, ${untestable} untestable, ${unread} unread.`;
}

/** @param {Data} all @param {Documented} api @param {ApiDocument} document */
function documentPart(all, api, document) {
  const judged = document.claims.map((claim) => ({ claim, tests: testsOf(all, api, document, claim) }));
  const untested = judged.filter(({ claim, tests }) => tests.length === 0 && !claim[3]);
  const tested = judged.filter((each) => !untested.includes(each));
  const count = untested.length + document.untestable.length;
  return [
    el("h4", {}, document.name, document.official ? "" : " (not official)", document.url && [" ",
      el("a", { href: document.url, rel: "noopener noreferrer" }, "read it")]),
    el("p", {}, `${tested.length} of ${judged.length} claims are tested here.`),
    count > 0 && el("details", { open: true, class: "untested" }, el("summary", {}, `Not tested: ${count}`),
      el("ul", { class: "claims" }, untested.map(({ claim }) => claimItem(claim, claim[2]
        ? `Not testable: ${claim[2]}` : "No call of this run tests it on this API.")),
      document.untestable.map(([name, reason, sentences]) => el("li", {}, reason, " ",
        el("small", {}, `${name}, ${sentences === 1 ? "1 sentence" : `${sentences} sentences`}`))))),
    tested.length > 0 && el("details", {}, el("summary", {}, `Tested: ${tested.length}`),
      el("ul", { class: "claims" }, tested.map(({ claim, tests }) =>
        claimItem(claim, tests.length > 0 ? countsOf(all, tests) : "Tested by a program in the framework.")))),
  ];
}

/** @param {Claim} claim @param {Child} status */
function claimItem([locator, says, , , address], status) {
  return el("li", {}, says, " ", el("small", {}, el("a", { class: "to-claim", href: address }, locator)), el("p", {}, status));
}

/** The results of the API under clauses that rest on a claim.
 * @param {Data} all @param {Documented} api @param {ApiDocument} document @param {Claim} claim */
function testsOf(all, api, document, [locator]) {
  const clauses = all.citing.get(key(document.name, locator)) ?? [];
  return clauses.flatMap((clause) => api.targets.flatMap(({ id }) => all.byCell.get(key(clause, id, api.name)) ?? []));
}

/** @param {Data} all @param {number[]} tests */
function countsOf(all, tests) {
  const sorts = Map.groupBy(tests, (at) => resultAt(all, at).sort);
  return [...sorts].map(([sort, { length }]) => [badge(all.sorts[sort], `${length} ${all.sorts[sort].label}`), " "]);
}
