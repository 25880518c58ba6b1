// The questions that readers ask most, and the findings that answer them.

/** The list of questions, and below it the answer to the one that the state asks. */
function questionsView(all, state) {
  const asked = all.questions.find((one) => one.name === state.ask) ?? all.questions.find((one) => one.rows.length) ?? all.questions[0];
  const links = all.questions.map((one) => el("li", {}, el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, view: "questions", ask: one.name }), "aria-current": one === asked && "true",
  }, one.title, " ", el("b", {}, one.rows.length))));
  return [
    el("h2", {}, "Questions"),
    el("nav", { "aria-label": "Questions" }, el("ul", { class: "asked" }, links)),
    el("section", { "aria-labelledby": "answer" },
      el("h3", { id: "answer" }, asked.title), el("p", { class: "lead" }, asked.means), answerTo(all, asked)),
  ];
}

function answerTo(all, question) {
  if (question.rows.length === 0) return el("p", {}, "Nothing in this file.");
  const operations = new Map();
  for (const row of question.rows) {
    const result = resultAt(all, row[0]);
    const operation = all.clause.get(result.clause)?.operation ?? "";
    operations.set(operation, [...(operations.get(operation) ?? []), { row, result }]);
  }
  return [...operations].map(([operation, found]) => [
    el("h4", { class: "operation-name" }, operation), el("ul", { class: "findings" }, found.map((one) => finding(all, one))),
  ]);
}

function finding(all, { row: [, sort, word, count, why], result }) {
  const clause = all.clause.get(result.clause);
  return el("li", {},
    opening(result, badge(all.sorts[sort], all.texts[word]), " ", el("b", {}, result.api)),
    el("span", { class: "where" }, `${result.target}, ${all.texts[count]}`,
      result.known ? `, known: ${result.known}` : ["own", "died", "hung"].includes(sort) && [", ", el("b", {}, "new")]),
    el("p", {}, clause && `${clause.states} `, el("small", {}, result.clause)),
    why >= 0 && el("p", { class: "why" }, all.texts[why]));
}

/** A link that opens a result in the panel and keeps all else. */
function opening(result, ...children) {
  const place = { case: result.case, api: result.api, target: result.target };
  return el("a", { class: "open", href: addressOf({ ...readAddress(), ...place }) }, children);
}

views.set("questions", { title: "Questions", render: questionsView });
