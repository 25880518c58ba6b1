// Porting: the APIs of the chosen targets for each operation, and the conditions under which they agree.

import { addressOf, go, NOTHING_OPEN, readAddress } from "./address.js";
import { caseAt, caseId, clauseOf, key, ownerOf, resultAt } from "./data.js";
import { el } from "./dom.js";
import { choiceName, codeToPaste, preferredOf } from "./implementations.js";

/** @import { State } from "./address.js" */
/** @import { Data } from "./data.js" */
/** @import { Child } from "./dom.js" */
/** @import { PortingOperation, Target } from "./payload.d.ts" */
/** @typedef {ReturnType<typeof combined>} Agreement */
/** @typedef {{ condition: number, cases: number[] }} Shown */
/** @typedef {{ all: Data, operation: PortingOperation, chosen: number[] }} Compared an operation's chosen implementations */

/** @param {Data} all @param {State} state @returns {Child[]} */
export function portingView(all, state) {
  const chosen = chosenTargets(all, state);
  return [
    el("h2", {}, "Porting"),
    el("p", { class: "lead" }, "Choose two targets for the call to use and where it differs, the most dangerous difference first, ",
      "or more to compare them all."),
    targetChoice(all, chosen),
    chosen.length < 2 ? tooFew(all) : [
      portingIndex(all, state, chosen),
      all.porting.operations.filter(({ name }) => !state.operation || name === state.operation)
        .map((operation) => operationPorting(all, state, operation, chosen)),
    ],
  ];
}

/** @param {Data} all */
function tooFew(all) {
  return el("p", {}, all.targets.length < 2 ? "These results have only one target." : "Choose one more.");
}

/** Where the chosen implementations agree, from the facts of each pair of them.
 * @param {Compared} compared */
function combined(compared) {
  const { all, operation, chosen } = compared;
  const pairs = operation.pairs.filter(([left, right]) => chosen.includes(left) && chosen.includes(right));
  const facts = pairs.map(([, , number]) => operation.facts[number]);
  const havings = pairs.map(([left, right]) => havingFor(compared, left, right));
  /** @type {Map<number, bigint>} */
  const against = new Map();
  for (const [condition, cases] of facts.flatMap(([, , contradicted]) => contradicted)) {
    against.set(condition, (against.get(condition) ?? 0n) | BigInt(cases));
  }
  const same = facts.map(([cases]) => BigInt(cases)).reduce((cases, more) => cases & more);
  const clean = same & ~union(havings.flatMap((having) => [...against.keys()].map((condition) => having.get(condition) ?? 0n)));
  const casts = all.porting.index_dtypes.map(([, cast]) => cast);
  const agreeing = [...havings[0].keys()].filter((condition) => !against.has(condition) && !all.porting.clauses.includes(condition))
    .map((condition) => {
      const sets = havings.map((having) => having.get(condition) ?? 0n);
      const cases = casesIn(clean & (casts.includes(condition) ? union(sets) : sets.reduce((set, more) => set & more)));
      const safe = cases.filter((at) => isTelling(compared, condition, at));
      return { condition, safe, raising: safe.length > 0 ? [] : cases.filter((at) => isRaised(compared, at)) };
    });
  return {
    agreeing: casesIn(same),
    differing: casesIn(union(facts.map(([, cases]) => BigInt(cases)))),
    safe: agreeing.map(({ condition, safe }) => ({ condition, cases: safe })).filter(({ cases }) => cases.length > 0),
    raising: agreeing.map(({ condition, raising }) => ({ condition, cases: raising })).filter(({ cases }) => cases.length > 0),
    unsafe: [...against].map(([condition, cases]) => ({ condition, cases: casesIn(cases) })),
    unproven: agreeing.filter(({ condition, safe, raising }) => safe.length + raising.length === 0 && !casts.includes(condition))
      .map(({ condition }) => condition),
  };
}

/** Condition to the cases in which both were called under it; after a cast, indices have the dtype of the cast.
 * @param {Compared} compared @param {number} left @param {number} right */
function havingFor({ all, operation }, left, right) {
  const having = new Map(operation.having.map(([condition, cases]) => [condition, BigInt(cases)]));
  const cast = [left, right].map((number) => BigInt(operation.cast[number]));
  /** @param {number} side @param {number} condition */
  const called = (side, condition) => {
    const castTo = operation.cast_to[[left, right][side]].find(([number]) => number === condition)?.[1] ?? 0;
    return ((having.get(condition) ?? 0n) & ~cast[side]) | BigInt(castTo);
  };
  const dtypes = all.porting.index_dtypes.filter(([condition]) => having.has(condition));
  const equal = dtypes.map(([condition]) => called(0, condition) & called(1, condition));
  const unequal = (cast[0] | cast[1]) & ~union(equal);
  dtypes.forEach(([condition, castCondition], at) => {
    if (having.has(castCondition)) having.set(castCondition, (having.get(condition) ?? 0n) & unequal);
    having.set(condition, equal[at]);
  });
  return having;
}

/** Whether a case on which all agree would show a difference: it returns elements, or is about emptiness.
 * @param {Compared} compared @param {number} condition @param {number} at */
function isTelling({ all, operation, chosen }, condition, at) {
  if (Object.hasOwn(all.porting.words, operation.outcomes[chosen[0]][at])) return false;
  return all.porting.emptiness.includes(condition) || ((BigInt(operation.empty[chosen[0]]) >> BigInt(at)) & 1n) === 0n;
}

/** @param {Compared} compared @param {number} at */
function isRaised({ all, operation, chosen }, at) {
  return operation.outcomes[chosen[0]][at] === all.porting.letters.raised;
}

/** @param {bigint[]} sets */
function union(sets) {
  return sets.reduce((cases, more) => cases | more, 0n);
}

/** The positions of the cases of a set.
 * @param {bigint} set */
function casesIn(set) {
  return [...set.toString(2)].reverse().flatMap((bit, at) => (bit === "1" ? [at] : []));
}

/** @param {Agreement} agreement */
function agreed({ agreeing, differing }) {
  return `${agreeing.length} of ${agreeing.length + differing.length}`;
}

/** On how many calls of each operation the targets agree, and a link to it.
 * @param {Data} all @param {State} state @param {Target[]} targets */
function portingIndex(all, state, targets) {
  const links = all.porting.operations.map((operation) => {
    const chosen = targets.map(({ id }) => implementation(operation, id, state)).filter((number) => number !== undefined);
    const text = chosen.length < targets.length ? "not on all" : agreed(combined({ all, operation, chosen }));
    return el("li", {}, el("a", { href: addressOf({ ...state, ...NOTHING_OPEN, operation: operation.name }),
      "aria-current": state.operation === operation.name && "true" }, operation.name, " ", el("small", {}, text)));
  });
  const whole = el("li", {}, el("a", { href: addressOf({ ...state, ...NOTHING_OPEN, operation: "" }),
    "aria-current": !state.operation && "true" }, "all operations"));
  return el("nav", { "aria-label": "Operations" }, el("ul", { class: "choices-list" }, whole, links));
}

/** The targets in the address, or else the newest of each framework except the reference.
 * @param {Data} all @param {State} state */
function chosenTargets(all, state) {
  const available = all.targets.filter(({ id }) => all.porting.operations.some(({ preferred }) => Object.hasOwn(preferred, id)));
  if (state.port.length > 0) return available.filter(({ id }) => state.port.includes(id));
  const first = available.filter(({ id }) => all.porting.first.includes(id));
  return first.length > 1 ? first : available.slice(0, 2);
}

/** @param {Data} all @param {Target[]} chosen */
function targetChoice(all, chosen) {
  const boxes = all.targets.map((target, number) => {
    const box = el("input", { type: "checkbox", id: `port-${number}`, checked: chosen.includes(target) });
    box.addEventListener("change", () => {
      const others = chosen.filter((other) => other !== target).map(({ id }) => id);
      go({ port: box.checked ? [...others, target.id] : others.length ? others : ["none"] }, { step: false });
    });
    return el("label", { class: "chip" }, box, el("span", {}, target.id));
  });
  return el("fieldset", { class: "port" }, el("legend", {}, "Targets"), boxes);
}

/** An operation: its APIs side by side, the safe and unsafe conditions, and the differences.
 * @param {Data} all @param {State} state @param {PortingOperation} operation @param {Target[]} targets */
function operationPorting(all, state, operation, targets) {
  const heading = `port-${operation.name}`;
  const implementations = targets.map(({ id }) => implementation(operation, id, state));
  const chosen = implementations.filter((number) => number !== undefined);
  const missing = targets.filter((_, at) => implementations[at] === undefined);
  const body = missing.length > 0
    ? el("p", {}, `Not implemented by ${missing.map(({ id }) => id).join(", ")}.`)
    : agreementOf({ all, operation, chosen });
  return el("section", { class: "ported", "aria-labelledby": heading },
    el("h3", { id: heading, class: "operation-name" }, operation.name),
    el("div", { class: "calls" }, targets.map((target, at) => callOf(all, state, operation, target, implementations[at]))), body);
}

/** The number of a target's API for an operation: the chosen one, or else the one that supports most calls.
 * @param {PortingOperation} operation @param {string} target @param {State} state @returns {number | undefined} */
function implementation(operation, target, state) {
  const selected = apisOf(operation, target).find((number) => state.stand.includes(choiceName(operation, number)));
  return selected ?? preferredOf(operation, target);
}

/** The numbers of a target's APIs for an operation.
 * @param {PortingOperation} operation @param {string} target */
function apisOf(operation, target) {
  return [...operation.implementations.keys()].filter((number) => operation.implementations[number][0] === target);
}

/** The API of a target, with a choice if there are several, and the adapter's code.
 * @param {Data} all @param {State} state @param {PortingOperation} operation @param {Target} target
 * @param {number} [number] */
function callOf(all, state, operation, target, number) {
  if (number === undefined) return el("div", {}, el("h4", {}, target.title), el("p", {}, "no API"));
  const mapping = all.mapping.get(key(target.id, operation.implementations[number][1], operation.name));
  return el("div", {}, el("h4", {}, target.title, " ", el("small", {}, target.where)),
    apiChoice(state, operation, target, number),
    mapping?.composed && el("small", {}, "composed of several calls"),
    mapping && el("details", { open: state.operation !== "" }, el("summary", {}, "Code"), codeToPaste(mapping)));
}

/** @param {State} state @param {PortingOperation} operation @param {Target} target @param {number} chosen */
function apiChoice(state, operation, target, chosen) {
  const mine = apisOf(operation, target.id);
  if (mine.length === 1) return el("code", {}, operation.implementations[chosen][1]);
  const options = mine.map((number) =>
    el("option", { value: String(number), selected: number === chosen }, operation.implementations[number][1]));
  const label = `API of ${target.id} for ${operation.name}`;
  const list = el("select", { id: `stand-${operation.name}-${target.id}`, "aria-label": label }, options);
  list.addEventListener("change", () => {
    const names = mine.map((number) => choiceName(operation, number));
    const others = state.stand.filter((name) => !names.includes(name));
    go({ stand: [...others, choiceName(operation, Number(list.value))] }, { step: false });
  });
  return list;
}

/** @param {Compared} compared */
function agreementOf(compared) {
  const agreement = combined(compared);
  const unproven = agreement.unproven.map((condition) => unprovenText(compared, condition)).join("; ");
  return [
    el("p", {}, el("b", {}, `Agree on ${agreed(agreement)} calls.`)),
    conditionTable("Not safe", "Where they differ, the most dangerous first: on some call with this and no other unsafe condition, two " +
      "disagree. Equal letters mean equal values.",
    byDanger(compared, agreement.unsafe, (cases) => [outcomesText(compared, cases), lineOfCall(compared, cases[0])])),
    folded(`The same elements: ${agreement.safe.length} conditions`, conditionTable("Safe",
      "All return the same elements on every call with this and without unsafe conditions. " +
      "Cases that were not run or are unsupported never count.", byQuestion(compared, agreement.safe))),
    folded(`An error from each: ${agreement.raising.length} conditions`,
      conditionTable("All raise", "None of them returns.", byQuestion(compared, agreement.raising))),
    clauseDifferences(compared, agreement.differing),
    unproven && el("p", { class: "crumbs" }, `Not shown, since no call separates it from unsafe conditions: ${unproven}.`),
  ];
}

/** @param {string} title @param {Child} content */
function folded(title, content) {
  return content && el("details", { class: "by-clause" }, el("summary", {}, title), content);
}

const DANGERS = ["Not the same each time", "Ends the process, or hangs", "Other values, without an error", "One raises, another returns",
  "Not supported by all"];

/** How dangerous a difference is: the number of its danger.
 * @param {Compared} compared @param {number[]} cases */
function dangerOf({ operation, chosen }, cases) {
  return Math.min(...cases.map((at) => {
    const letters = new Set(chosen.map((number) => operation.outcomes[number][at].toLowerCase()));
    if (letters.has("v")) return 0;
    if (letters.has("d") || letters.has("h")) return 1;
    const values = [...letters].filter((letter) => !["u", "n", "r", "."].includes(letter));
    if (values.length > 1) return 2;
    return letters.has("r") && values.length > 0 ? 3 : 4;
  }));
}

/** Rows under their dangers, the worst first.
 * @param {Compared} compared @param {Shown[]} shown @param {(cases: number[]) => Child} remark */
function byDanger(compared, shown, remark) {
  const sorted = [...shown].sort((a, b) => dangerOf(compared, a.cases) - dangerOf(compared, b.cases) || a.condition - b.condition);
  return conditionGroups(compared, sorted, ({ cases }) => DANGERS[dangerOf(compared, cases)], remark);
}

/** A call on one line, if it is short.
 * @param {Compared} compared @param {number} at */
function lineOfCall({ all, operation }, at) {
  const call = caseAt(all, operation.cases[at])?.call;
  const text = call && Object.entries(call).map(([name, value]) => `${name} = ${value.trim()}`).join(", ");
  return text && text.length < 240 && !text.includes("\n") ? el("p", { class: "example" }, el("code", {}, text)) : null;
}

/** A condition without a proof, and the APIs for which such indices are cast.
 * @param {Compared} compared @param {number} condition */
function unprovenText({ all, operation, chosen }, condition) {
  const cases = BigInt(operation.having.find(([number]) => number === condition)?.[1] ?? 0);
  const isAboutDtype = all.porting.index_dtypes.some(([dtype]) => dtype === condition);
  const casting = chosen.filter((number) => isAboutDtype && (BigInt(operation.cast[number]) & cases) !== 0n)
    .map((number) => operation.implementations[number][1]);
  return all.porting.conditions[condition] + (casting.length > 0 ? ` (cast for ${casting.join(", ")})` : "");
}

/** @param {string} title @param {string} means @param {Child[]} bodies */
function conditionTable(title, means, bodies) {
  if (bodies.length === 0) return null;
  return [el("h4", {}, title), el("p", { class: "crumbs" }, means),
    el("table", { class: "rows conditions", "aria-label": title }, bodies)];
}

/** Rows under the questions that their conditions answer.
 * @param {Compared} compared @param {Shown[]} shown @param {(cases: number[]) => Child} [remark] */
function byQuestion(compared, shown, remark) {
  const { question, questions } = compared.all.porting;
  const sorted = [...shown].sort((a, b) => a.condition - b.condition);
  return conditionGroups(compared, sorted, ({ condition }) => questions[question[condition]], remark);
}

/** @param {Compared} compared @param {Shown[]} shown @param {(shown: Shown) => string} titled
 * @param {(cases: number[]) => Child} [remark] */
function conditionGroups(compared, shown, titled, remark) {
  const { conditions } = compared.all.porting;
  return [...Map.groupBy(shown, titled)].map(([title, group]) => el("tbody", {},
    el("tr", {}, el("th", { scope: "rowgroup", colspan: "2", class: "question" }, title)),
    group.map(({ condition, cases }) => el("tr", {}, el("th", { scope: "row" }, conditions[condition]),
      el("td", {}, remark?.(cases), caseList(compared, cases))))));
}

/** A count that unfolds to links to its cases; the links are created when it is opened.
 * @param {Compared} compared @param {number[]} cases */
function caseList(compared, cases) {
  const count = `${cases.length} ${cases.length === 1 ? "case" : "cases"}`;
  const list = el("details", { class: "proofs" }, el("summary", {}, count));
  list.addEventListener("toggle", () => {
    if (!list.open || list.children.length > 1) return;
    list.append(el("ul", {}, cases.map((at) => el("li", {}, caseLink(compared, at)))));
  });
  return list;
}

/** @param {Compared} compared @param {number} at */
function caseLink({ all, operation, chosen }, at) {
  const id = caseId(all, operation.cases[at]);
  const implementation = chosen.find((number) => operation.outcomes[number][at] !== all.porting.letters.nothing) ?? chosen[0];
  const [target, api] = operation.implementations[implementation];
  return el("a", { class: "open", href: addressOf({ ...readAddress(), case: id, api, target }) }, id);
}

/** For each implementation, its outcomes in words, with counts.
 * @param {Compared} compared @param {number[]} cases */
function outcomesText(compared, cases) {
  return el("ul", { class: "outcomes" }, compared.chosen.map((number) => {
    const groups = Map.groupBy(cases, (at) => wordAt(compared, number, at));
    const words = [...groups].map(([word, { length }]) => (groups.size > 1 ? `${word} ${length}` : word)).join(", ");
    return el("li", {}, el("code", {}, compared.operation.implementations[number][1]), ": ", words);
  }));
}

/** The outcome of an implementation on a case, in words; equal letters after "value" mean equal values.
 * @param {Compared} compared @param {number} number @param {number} at */
function wordAt({ all, operation }, number, at) {
  const letter = operation.outcomes[number][at];
  if (Object.hasOwn(all.porting.words, letter)) return all.porting.words[letter];
  const owner = key(...operation.implementations[number]);
  const result = all.byCase.get(operation.cases[at])?.find((result_) => key(...ownerOf(all, result_)) === owner);
  const behaviour = result === undefined ? null : resultAt(all, result).behaviour;
  return behaviour && behaviour !== "other" ? behaviour : `value ${letter}`;
}

/** The clauses with cases on which they disagree.
 * @param {Compared} compared @param {number[]} differing */
function clauseDifferences(compared, differing) {
  if (differing.length === 0) return null;
  const { all, operation } = compared;
  const clauses = Map.groupBy(differing, (at) => clauseOf(all, operation.cases[at]));
  const rows = [...clauses].map(([clause, cases]) => el("tr", {},
    el("th", { scope: "row" }, all.clause.get(clause)?.states ?? clause, el("small", {}, ` ${clause}`)),
    el("td", {}, outcomesText(compared, cases), caseList(compared, cases))));
  return el("details", { class: "by-clause" },
    el("summary", {}, `The ${differing.length} calls on which they disagree, by clause`),
    el("table", { class: "rows conditions" }, el("tbody", {}, rows)));
}
