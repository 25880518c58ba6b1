// Frequent questions, and the findings that answer them.

import { addressOf, NOTHING_OPEN, resultLink } from "./address.js";
import { resultAt } from "./data.js";
import { badge, el } from "./dom.js";

/** @import { State } from "./address.js" */
/** @import { Data } from "./data.js" */
/** @import { Question } from "./payload.d.ts" */

/** The list of questions, and the answer to the one in the state.
 * @param {Data} all @param {State} state */
export function questionsView(all, state) {
  const current = all.questions.find(({ name }) => name === state.ask) ?? all.questions.find(({ rows }) => rows.length) ?? all.questions[0];
  const links = all.questions.map((question) => el("li", {}, el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, view: "questions", ask: question.name }),
    "aria-current": question === current && "true",
  }, question.title, " ", el("b", {}, question.rows.length))));
  return [
    el("h2", {}, "Questions"),
    el("nav", { "aria-label": "Questions" }, el("ul", { class: "choices-list" }, links)),
    el("section", { "aria-labelledby": "answer" },
      el("h3", { id: "answer" }, current.title), el("p", { class: "lead" }, current.means), answerTo(all, current)),
  ];
}

/** @param {Data} all @param {Question} question */
function answerTo(all, question) {
  if (question.rows.length === 0) return el("p", {}, "None.");
  const operations = Map.groupBy(question.rows,
    ([at]) => all.clause.get(resultAt(all, at).clause)?.operation ?? "");
  return [...operations].map(([operation, rows]) => [
    el("h4", { class: "operation-name" }, operation), el("ul", { class: "findings" }, rows.map((row) => finding(all, row))),
  ]);
}

/** @param {Data} all @param {Question["rows"][number]} row */
function finding(all, [at, sort, word, count, reason]) {
  const result = resultAt(all, at);
  const clause = all.clause.get(result.clause);
  return el("li", {},
    resultLink(result, badge(all.sorts[sort], all.texts[word]), " ", el("b", {}, result.api)),
    el("span", { class: "where" }, `${result.target}, ${all.texts[count]}`,
      result.known ? `, known: ${result.known}` : ["own", "printed", "died", "hung"].includes(sort) && [", ", el("b", {}, "new")]),
    el("p", {}, clause && `${clause.states} `, el("small", {}, result.clause)),
    reason >= 0 && el("p", { class: "reason" }, all.texts[reason]));
}
