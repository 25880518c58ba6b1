// The panel: all details of a case on an API.

import { apiAddress, readAddress, resultAddress } from "./address.js";
import { caseAt, key, linesOf, resultAt } from "./data.js";
import { badge, copyable, el } from "./dom.js";
import { differences, grid } from "./grid.js";
import { isWorthAnIssue, issueText } from "./issue.js";
import { drawCase, isAsExpected } from "./pictures.js";

/** @import { State } from "./address.js" */
/** @import { Case, Data, Description, Mapping, Result } from "./data.js" */
/** @import { Clause, Known, Target } from "./payload.d.ts" */

/** The panel's content for a result.
 * @param {Data} all @param {Result} result */
export function panelContent(all, result) {
  const target = /** @type {Target} */ (all.target.get(result.target));
  const clause = all.clause.get(result.clause);
  const kase = caseAt(all, result.number);
  const operation = clause?.operation ?? "";
  const picture = kase && drawCase(all, kase, result);
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("p", { class: "crumbs" }, `${target.title} · ${target.where} · ${operation}`),
    el("h2", { id: "panel-title" }, el("a", { href: apiAddress(result.api) }, result.api)),
    missingResult(result, readAddress()),
    verdict(all, result, target),
    clause && theClause(clause),
    kase && theCall(kase, operation),
    picture,
    comparison(kase, result, Boolean(picture)),
    result.differs && differences(result.differs),
    remarksOf(kase, result, operation),
    theScript(result),
    theIssue(all, result, target, clause, kase),
    otherApis(all, result),
    theCases(all, result),
    code(all.mapping.get(key(result.target, result.api, operation))),
    el("p", { class: "crumbs" }, `${result.case}${kase ? `, ${kase.source}` : ""}`),
  ];
}

/** A notice if the link is to a target or API that has no result for the case.
 * @param {Result} result @param {State} state */
function missingResult(result, state) {
  const missing = [[state.target, result.target], [state.api, result.api]].filter(([linked, actual]) => linked && linked !== actual);
  if (missing.length === 0) return null;
  return el("p", { class: "alarm" }, `No result of this case for ${missing.map(([linked]) => linked).join(" and ")}; showing another one.`);
}

/** @param {Data} all @param {Result} result @param {Target} target */
function verdict(all, result, target) {
  const sort = all.sorts[result.sort];
  const means = result.kinds.map((kind) => all.divergences[kind] ?? kind).join(" ");
  return [
    el("p", { class: "verdict" }, badge(sort, sort.label), result.word !== result.sort && el("b", {}, result.word),
      means && el("span", {}, means)),
    el("p", { class: "explain" }, result.reason ?? sort.means),
    result.known && known(result.known, all.knownDivergence.get(key(target.framework, result.known))),
  ];
}

/** The known divergence that a result refers to.
 * @param {string} id @param {Known} [entry] */
function known(id, entry) {
  return el("p", {}, "Known divergence ", el("code", {}, id), entry ? ": " : ".",
    entry && [entry.reason, " ", entry.url ? link(entry.url, "Report") : `(${entry.link})`, " ",
      el("small", {}, entry.source)]);
}

/** @param {string} url @param {string} text */
function link(url, text) {
  return el("a", { href: url, rel: "noopener noreferrer" }, text);
}

/** @param {Clause} clause */
function theClause(clause) {
  return [
    el("h3", {}, "Documentation"),
    el("p", {}, clause.states),
    clause.requires && el("pre", {}, clause.requires),
    clause.citations.map((citation) => el("div", { class: "cited" },
      el("p", {}, citation.says),
      el("p", { class: "crumbs" }, citation.url ? link(citation.url, citation.document) : citation.document, ", ",
        el("a", { class: "to-claim", href: citation.claim, title: "All clauses that test this claim" }, citation.locator),
        citation.versions && `, versions ${citation.versions}`,
        citation.official ? "" : ", not official"))),
    clause.citations.length === 0 && el("p", {}, "No document."),
    el("p", { class: "crumbs" }, `${clause.id}, ${clause.source}`),
  ];
}

/** The cases of the clause on this API, if there are several.
 * @param {Data} all @param {Result} result */
function theCases(all, result) {
  const numbers = all.byCell.get(key(result.clause, result.target, result.api)) ?? [];
  if (numbers.length < 2) return null;
  return [
    el("h3", {}, `${numbers.length} cases of this clause on this API`),
    choices(all, numbers, result, (other) => other.name, "Case"),
  ];
}

/** The results of this case on every API.
 * @param {Data} all @param {Result} result */
function otherApis(all, result) {
  const numbers = all.byCase.get(result.number) ?? [];
  if (numbers.length < 2) return null;
  return [
    el("h3", {}, "This call on every API"),
    choices(all, numbers, result, (other) => `${other.api}, ${all.target.get(other.target)?.title}`, "API"),
  ];
}

/** @param {Data} all @param {number[]} numbers @param {Result} current @param {(result: Result) => string} nameOf
 * @param {string} heading */
function choices(all, numbers, current, nameOf, heading) {
  const rows = numbers.map((at) => resultAt(all, at)).map((result) => el("tr", { class: result.at === current.at && "current" },
    el("td", {}, el("a", { class: "open", href: resultAddress(result), "aria-current": result.at === current.at && "true" },
      nameOf(result))),
    el("td", {}, badge(all.sorts[result.sort], result.word))));
  const head = el("thead", {}, el("tr", {}, [heading, "Result"].map((name) => el("th", { scope: "col" }, name))));
  return el("div", { class: "choices" }, el("table", { class: "rows" }, head, el("tbody", {}, rows)));
}

/** @param {Case} kase @param {string} operation */
function theCall(kase, operation) {
  return [
    el("h3", {}, "The call"),
    el("pre", {}, callText(operation, kase.call)),
    kase.note && el("p", {}, kase.note),
  ];
}

/** A call with one argument per line.
 * @param {string} operation @param {Record<string, string>} call */
function callText(operation, call) {
  const width = Math.max(0, ...Object.keys(call).map((name) => name.length));
  const lines = Object.entries(call).map(([name, text]) => `  ${name.padEnd(width)} = ${text}`);
  return `${operation}(\n${lines.join("\n")}\n)`;
}

/** Expected and actual result; as text if a diagram shows the elements.
 * @param {Case | null} kase @param {Result} result @param {boolean} isDrawn */
function comparison(kase, result, isDrawn) {
  const differing = (result.differs?.rows ?? []).map(([index]) => index);
  /** @param {Description} description @param {string} label @param {number[][]} marked */
  const shown = (description, label, marked) => (isDrawn && kase?.picture?.result
    ? el("pre", {}, linesOf(description)) : asGrid(description, label, marked));
  if (kase && !result.right && isAsExpected(kase.expected, result.actual)) {
    return [el("h3", {}, "Expected and actual"), shown(result.actual, "actual", []), kase.origin && el("p", { class: "crumbs" }, kase.origin)];
  }
  return el("div", { class: "pair" },
    kase && el("div", {}, el("h3", {}, "Expected"), shown(kase.expected, "expected", result.right ? [] : differing),
      kase.origin && el("p", { class: "crumbs" }, kase.origin),
      result.right && [el("p", { class: "crumbs" }, "right side"), shown(result.right, "right side", differing)]),
    el("div", {}, el("h3", {}, "Actual"), shown(result.actual, "actual", differing)));
}

/** An array as a grid below its dtype and shape, or anything else as text.
 * @param {Description} description @param {string} label @param {number[][]} differing */
function asGrid(description, label, differing) {
  const picture = grid(description, label, differing);
  if (!picture) return el("pre", {}, linesOf(description));
  const notes = description.notes.map((note) => el("p", { class: "crumbs" }, note));
  return [el("p", {}, el("code", {}, description.head)), picture, notes];
}

/** @param {Case | null} kase @param {Result} result @param {string} operation */
function remarksOf(kase, result, operation) {
  return [
    result.remarks.length > 0 && [el("h3", {}, "Also observed"), result.remarks.map((text) => el("p", {}, text))],
    kase?.control && [el("h3", {}, "Control: the same call with only the violation fixed"), el("pre", {}, callText(operation, kase.control))],
  ];
}

/** The script that reproduces the result, or the command that prints it.
 * @param {Result} result */
function theScript(result) {
  if (["blocked", "unsupported"].includes(result.sort)) return null;
  if (result.script) {
    return [el("h3", {}, "Script"),
      el("p", {}, "Verified in this target's interpreter."), copyable(result.script, "script")];
  }
  const command = `conformance repro ${quoted(result.case)} --target ${quoted(result.target)} --api ${quoted(result.api)}`;
  return [el("h3", {}, "Script"), copyable(command, "command")];
}

/** The text of an issue, if the result should be reported and is not.
 * @param {Data} all @param {Result} result @param {Target} target @param {Clause | undefined} clause @param {Case | null} kase */
function theIssue(all, result, target, clause, kase) {
  const entry = all.knownDivergence.get(key(target.framework, result.known ?? ""));
  if (!isWorthAnIssue(result, entry)) return null;
  const text = issueText(result, target, clause, kase);
  return [
    el("h3", {}, "Not reported upstream"),
    el("p", {}, "The text of an issue, ready to paste. Check it with the script first. ",
      target.issues && link(target.issues, `Issues of ${target.title}`)),
    copyable(text, "issue"), disputed(target, `${result.api}: ${result.word}`, text),
  ];
}

const MOST_OF_AN_ADDRESS = 6000;

/** A link to a new issue with the facts filled in, where the tracker takes them in its address.
 * @param {Target} target @param {string} title @param {string} text */
function disputed({ issues }, title, text) {
  if (!issues?.startsWith("https://github.com/")) return null;
  const facts = new URLSearchParams({ title, body: text.slice(0, MOST_OF_AN_ADDRESS) });
  return el("p", {}, link(`${issues}/new?${facts}`, "Dispute this"),
    ": a new issue with these facts, to ask whether the text or the code is wrong.");
}

/** @param {string} word */
function quoted(word) {
  return /^[\w./=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** @param {Mapping} [mapping] */
function code(mapping) {
  if (!mapping) return null;
  const notes = [
    mapping.composed && "Composed of several calls, so it is judged for portability only.",
    mapping.inPlace && `The API changes its argument ${mapping.inPlace}.`,
    mapping.follows && `Follows the documentation of ${mapping.follows}.`,
  ];
  return [
    el("h3", {}, "How the API was called"),
    el("pre", { class: "code", tabindex: "0" }, mapping.source.trimEnd()),
    notes.filter(Boolean).map((text) => el("p", {}, text)),
  ];
}
