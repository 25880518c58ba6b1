// The panel beside the matrices: everything about one case on one API.

import { readAddress, resultAddress } from "./address.js";
import { caseAt, key, linesOf, resultAt } from "./data.js";
import { badge, copy, el } from "./dom.js";
import { differences, grid } from "./grid.js";
import { drawCase } from "./pictures.js";

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
    el("h2", { id: "panel-title" }, result.api),
    elsewhereLinked(result, readAddress()),
    verdict(all, result, target),
    clause && theClause(clause),
    kase && theCall(kase, operation),
    picture,
    comparison(kase, result, Boolean(picture)),
    result.differs && differences(result.differs),
    remarksOf(kase, result, operation),
    theScript(result),
    elsewhere(all, result),
    theCases(all, result),
    code(all.mapping.get(key(result.target, result.api, operation))),
    el("p", { class: "crumbs" }, `${result.case}${kase ? `, ${kase.source}` : ""}`),
  ];
}

/** What to say where the link was to a target or an API that this file lacks for the case.
 * @param {Result} result @param {State} state */
function elsewhereLinked(result, state) {
  const lacking = [[state.target, result.target], [state.api, result.api]].filter(([linked, here]) => linked && linked !== here);
  if (lacking.length === 0) return null;
  return el("p", { class: "alarm" }, `This file has no result of this case for ${lacking.map(([linked]) => linked).join(" and ")}; here is one that it has.`);
}

/** @param {Data} all @param {Result} result @param {Target} target */
function verdict(all, result, target) {
  const sort = all.sorts[result.sort];
  const means = result.kinds.map((kind) => all.divergences[kind] ?? kind).join("; ");
  const wrong = ["own", "died", "hung"].includes(result.sort);
  return [
    el("p", { class: "verdict" }, badge(sort, sort.label), result.word !== result.sort && el("b", {}, result.word),
      means && el("span", {}, means)),
    el("p", { class: "explain" }, result.why ?? sort.means),
    result.known && known(result.known, all.ledger.get(key(target.framework, result.known))),
    wrong && target.issues && el("p", {}, link(target.issues, `Where ${target.title} takes reports`)),
  ];
}

/** The known divergence that a result refers to.
 * @param {string} id @param {Known} [entry] */
function known(id, entry) {
  return el("p", {}, "Known in the ledger of divergences as ", el("code", {}, id), entry ? ": " : ".",
    entry && [entry.reason, " ", entry.url ? link(entry.url, "Where it is reported") : `(${entry.link})`, " ",
      el("small", {}, entry.source)]);
}

/** @param {string} url @param {string} text */
function link(url, text) {
  return el("a", { href: url, rel: "noopener noreferrer" }, text);
}

/** @param {Clause} clause */
function theClause(clause) {
  return [
    el("h3", {}, "What is documented"),
    el("p", {}, clause.states),
    clause.requires && el("pre", {}, clause.requires),
    clause.citations.map((citation) => el("blockquote", {},
      el("p", {}, citation.says),
      el("p", { class: "crumbs" }, citation.url ? link(citation.url, citation.document) : citation.document, ", ",
        el("a", { class: "to-claim", href: citation.claim, title: "All clauses that test this claim" }, citation.locator),
        citation.official ? "" : ", not official"))),
    clause.citations.length === 0 && el("p", {}, "No document states it."),
    el("p", { class: "crumbs" }, `${clause.id}, ${clause.source}`),
  ];
}

/** The other cases of the clause on this API, where there are any.
 * @param {Data} all @param {Result} result */
function theCases(all, result) {
  const numbers = all.byCell.get(key(result.clause, result.target, result.api)) ?? [];
  if (numbers.length < 2) return null;
  return [
    el("h3", {}, `Its ${numbers.length} cases on this API`),
    choices(all, numbers, result, (other) => other.name, "Case"),
  ];
}

/** What everybody else did with this very case.
 * @param {Data} all @param {Result} result */
function elsewhere(all, result) {
  const numbers = all.byCase.get(result.number) ?? [];
  if (numbers.length < 2) return null;
  return [
    el("h3", {}, "The same call on every API"),
    choices(all, numbers, result, (other) => `${other.api}, ${all.target.get(other.target)?.title}`, "API"),
  ];
}

/** @param {Data} all @param {number[]} numbers @param {Result} current @param {(result: Result) => string} nameOf
 * @param {string} heading */
function choices(all, numbers, current, nameOf, heading) {
  const rows = numbers.map((at) => resultAt(all, at)).map((result) => el("tr", { class: result.at === current.at && "here" },
    el("td", {}, el("a", { class: "open", href: resultAddress(result), "aria-current": result.at === current.at && "true" },
      nameOf(result))),
    el("td", {}, badge(all.sorts[result.sort], result.word))));
  const head = el("thead", {}, el("tr", {}, [heading, "What happened"].map((name) => el("th", { scope: "col" }, name))));
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

/** A call as somebody writes it, an argument a line.
 * @param {string} operation @param {Record<string, string>} call */
function callText(operation, call) {
  const width = Math.max(0, ...Object.keys(call).map((name) => name.length));
  const lines = Object.entries(call).map(([name, text]) => `  ${name.padEnd(width)} = ${text}`);
  return `${operation}(\n${lines.join("\n")}\n)`;
}

/** What was expected beside what was got; as text where a picture has drawn the elements.
 * @param {Case | null} kase @param {Result} result @param {boolean} isDrawn */
function comparison(kase, result, isDrawn) {
  const differing = (result.differs?.rows ?? []).map(([index]) => index);
  /** @param {Description} description @param {string} label @param {number[][]} marked */
  const shown = (description, label, marked) => (isDrawn && kase?.picture?.result
    ? el("pre", {}, linesOf(description)) : asGrid(description, label, marked));
  return el("div", { class: "pair" },
    kase && el("div", {}, el("h3", {}, "Expected"), shown(kase.expected, "expected", result.right ? [] : differing),
      kase.origin && el("p", { class: "crumbs" }, kase.origin),
      result.right && [el("p", { class: "crumbs" }, "the right side gave"), shown(result.right, "right side", differing)]),
    el("div", {}, el("h3", {}, "Got"), shown(result.got, "got", differing)));
}

/** An array as a grid under its dtype and shape, or whatever it is as text.
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
    result.remarks.length > 0 && [el("h3", {}, "Also seen"), result.remarks.map((text) => el("p", {}, text))],
    kase?.control && [el("h3", {}, "The valid call beside it, with only the violation fixed"), el("pre", {}, callText(operation, kase.control))],
  ];
}

/** The script that shows this very result, or the command that prints it.
 * @param {Result} result */
function theScript(result) {
  if (["blocked", "unsupported"].includes(result.sort)) return null;
  if (result.script) {
    return [el("h3", {}, "As a script of its own"),
      el("p", {}, "It was run in this target's interpreter and showed the same."), copyable(result.script, "script")];
  }
  const command = `conformance repro ${quoted(result.case)} --target ${quoted(result.target)} --api ${quoted(result.api)}`;
  return [el("h3", {}, "As a script of its own"), copyable(command, "command")];
}

/** @param {string} word */
function quoted(word) {
  return /^[\w./=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Text with a button that copies it.
 * @param {string} text @param {string} name */
function copyable(text, name) {
  const button = el("button", { class: "copy", type: "button" }, `Copy the ${name}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text)) ? "Copied" : "Select it and copy";
  });
  return el("div", { class: `copyable ${name}` }, button, el("pre", { class: "code", tabindex: "0" }, text));
}

/** @param {Mapping} [mapping] */
function code(mapping) {
  if (!mapping) return null;
  const notes = [
    mapping.composed && "Several calls stand in for the operation, so it is judged for portability only.",
    mapping.inPlace && `The API changes its argument ${mapping.inPlace}.`,
    mapping.follows && `It promises what ${mapping.follows} promises.`,
  ];
  return [
    el("h3", {}, "How the API was called"),
    el("pre", { class: "code", tabindex: "0" }, mapping.source.trimEnd()),
    notes.filter(Boolean).map((text) => el("p", {}, text)),
  ];
}
