// Porting: which call stands for which on the targets that are chosen, and under which conditions they agree.

const WORDS = { ".": "says nothing", u: "has no form", d: "died", h: "hung", v: "varies from call to call", r: "raises" };

function portingView(all, state) {
  const chosen = chosenTargets(all, state);
  return [
    el("h2", {}, "Porting"),
    el("p", { class: "lead" }, "Choose two or more targets. A condition is safe where they all raise, or all return the ",
      "same dtype, shape and elements, on every case that has it and nothing unsafe besides. What was not run or is ",
      "unsupported never counts as agreement."),
    targetChoice(all, state, chosen),
    chosen.length < 2 ? tooFew(all) : [
      portingIndex(all, state, chosen),
      all.porting.operations.map((operation) => operationPorting(all, state, operation, chosen)),
    ],
  ];
}

function tooFew(all) {
  return el("p", {}, all.targets.length < 2 ? "These results are of one target alone." : "Choose one more.");
}

function agreed({ agreeing, differing }) {
  return `${agreeing.length} of ${agreeing.length + differing.length}`;
}

/** On how many calls of each operation the targets agree, and the way to it. */
function portingIndex(all, state, targets) {
  const links = all.porting.operations.map((operation) => {
    const chosen = targets.map(({ id }) => standing(operation, id, state));
    const said = chosen.includes(undefined) ? "not on all" : agreed(ported(all.porting, operation, chosen));
    return el("a", { href: `#port-${operation.name}` }, operation.name, " ", el("small", {}, said));
  });
  return el("nav", { class: "jump", "aria-label": "Operations" }, links);
}

/** The targets that the address names; without any, the newest of each framework but the reference. */
function chosenTargets(all, state) {
  const isTried = (id) => all.porting.operations.some(({ implementations }) => implementations.some(([target]) => target === id));
  const tried = all.targets.filter(({ id }) => isTried(id));
  if (state.port.length > 0) return tried.filter(({ id }) => state.port.includes(id));
  const first = tried.filter(({ id }) => all.porting.first.includes(id));
  return first.length > 1 ? first : tried.slice(0, 2);
}

function targetChoice(all, state, chosen) {
  const boxes = all.targets.map((target, number) => {
    const box = el("input", { type: "checkbox", id: `port-${number}`, checked: chosen.includes(target) });
    box.addEventListener("change", () => {
      const others = chosen.filter((one) => one !== target).map(({ id }) => id);
      go({ port: box.checked ? [...others, target.id] : others.length ? others : ["none"] }, { step: false });
    });
    return el("label", { class: "chip" }, box, el("span", {}, target.id));
  });
  return el("fieldset", { class: "port" }, el("legend", {}, "Targets"), boxes);
}

/** One operation: call beside call, what is safe, what is not, and where they differ. */
function operationPorting(all, state, operation, targets) {
  const heading = `port-${operation.name}`;
  const chosen = targets.map(({ id }) => standing(operation, id, state));
  const missing = targets.filter((_, at) => chosen[at] === undefined);
  const body = missing.length > 0
    ? el("p", {}, `No API of ${missing.map(({ id }) => id).join(", ")} stands for it.`)
    : agreementOf(all, operation, chosen);
  return el("section", { class: "ported", "aria-labelledby": heading },
    el("h3", { id: heading, class: "operation-name" }, operation.name), calls(all, state, operation, targets, chosen), body);
}

/** The number of the API that stands for an operation on a target: the one that was chosen, else that with most forms. */
function standing(operation, target, state) {
  const mine = apisOf(operation, target);
  const named = mine.find((number) => state.stand.includes(standName(operation, number)));
  const missing = (number) => [...operation.outcomes[number]].filter((letter) => letter === "u").length;
  return named ?? mine.reduce((best, one) => (best === undefined || missing(one) < missing(best) ? one : best), undefined);
}

/** The numbers of a target's APIs for an operation. */
function apisOf(operation, target) {
  const numbers = operation.implementations.map((_, number) => number);
  return numbers.filter((number) => operation.implementations[number][0] === target);
}

function standName(operation, number) {
  return [operation.name, ...operation.implementations[number]].join(" ");
}

/** Call beside call: the API of each target, another one where there are several, and the adapter's own code. */
function calls(all, state, operation, targets, chosen) {
  const columns = targets.map((target, at) => {
    if (chosen[at] === undefined) return el("div", {}, el("h4", {}, target.title), el("p", {}, "no API"));
    const [, api] = operation.implementations[chosen[at]];
    const mapping = all.mapping.get(key(target.id, api, operation.name));
    return el("div", {}, el("h4", {}, target.title, " ", el("small", {}, target.where)),
      apiChoice(all, state, operation, target, chosen[at]),
      mapping?.composed && el("small", {}, "composed of several calls"),
      mapping && el("details", {}, el("summary", {}, "How it is called"),
        el("pre", { class: "code", tabindex: "0" }, mapping.source.trimEnd())));
  });
  return el("div", { class: "calls" }, columns);
}

function apiChoice(all, state, operation, target, chosen) {
  const mine = apisOf(operation, target.id);
  if (mine.length === 1) return el("code", {}, operation.implementations[chosen][1]);
  const options = mine.map((number) =>
    el("option", { value: String(number), selected: number === chosen }, operation.implementations[number][1]));
  const label = `API of ${target.id} for ${operation.name}`;
  const list = el("select", { id: `stand-${operation.name}-${target.id}`, "aria-label": label }, options);
  list.addEventListener("change", () => {
    const beginning = `${operation.name} ${target.id} `;
    const others = state.stand.filter((one) => !one.startsWith(beginning));
    go({ stand: [...others, standName(operation, Number(list.value))] }, { step: false });
  });
  return list;
}

function agreementOf(all, operation, chosen) {
  const found = ported(all.porting, operation, chosen);
  const rows = (some, remark) => byQuestion(all, some, (one) => conditionRow(all, operation, chosen, one, remark));
  const unproven = found.unproven.map((one) => unprovenText(all.porting, operation, chosen, one)).join("; ");
  return [
    el("p", {}, el("b", {}, `They agree on ${agreed(found)} calls.`)),
    el("div", { class: "pair" },
      el("div", {},
        conditionTable("Safe", "On every call that has this and nothing unsafe, all do the same.",
          rows(found.safe.filter((one) => !one.raising))),
        conditionTable("All raise", "They agree in this: none returns.", rows(found.safe.filter((one) => one.raising)))),
      el("div", {},
        conditionTable("Not safe", "On some call that has this, and nothing unsafe besides, two do not agree. " +
          "The same letter is the same value.", rows(found.unsafe, (cases) => whatEachDid(all, operation, chosen, cases))),
        unproven && [el("h4", {}, "Not shown"),
          el("p", { class: "crumbs" }, `No call shows it apart from what is unsafe: ${unproven}.`)])),
    clauseDifferences(all, operation, chosen, found),
  ];
}

/** A condition that no call shows, and the APIs that have such indices cast. */
function unprovenText(porting, operation, chosen, condition) {
  const isCast = (number) => porting.dtypes.includes(condition) && operation.cases.some((_, at) =>
    conditionsAt(operation, at).includes(condition) && /[A-Z]/.test(operation.outcomes[number][at]));
  const casting = chosen.filter(isCast).map((number) => operation.implementations[number][1]);
  return porting.conditions[condition] + (casting.length > 0 ? ` (cast for ${casting.join(", ")})` : "");
}

function conditionTable(title, means, bodies) {
  if (bodies.length === 0) return null;
  return [el("h4", {}, title), el("p", { class: "crumbs" }, means),
    el("table", { class: "rows conditions", "aria-label": title }, bodies)];
}

/** Rows under the questions that their conditions answer. */
function byQuestion(all, some, rowOf) {
  const questions = new Map();
  for (const one of [...some].sort((a, b) => a.condition - b.condition)) {
    const question = all.porting.question[one.condition];
    questions.set(question, [...(questions.get(question) ?? []), rowOf(one)]);
  }
  return [...questions].map(([question, rows]) => el("tbody", {},
    el("tr", {}, el("th", { scope: "rowgroup", colspan: "2", class: "question" }, all.porting.questions[question])), rows));
}

function conditionRow(all, operation, chosen, { condition, cases }, remark) {
  return el("tr", {}, el("th", { scope: "row" }, all.porting.conditions[condition]),
    el("td", {}, remark?.(cases), caseList(all, operation, chosen, cases)));
}

/** The cases behind a count, as links that open them; made when they are unfolded. */
function caseList(all, operation, chosen, cases) {
  const count = `${cases.length} ${cases.length === 1 ? "case" : "cases"}`;
  const list = el("details", { class: "proofs" }, el("summary", {}, count));
  list.addEventListener("toggle", () => {
    if (!list.open || list.children.length > 1) return;
    list.append(el("ul", {}, cases.map((at) => el("li", {}, caseLink(all, operation, chosen, at)))));
  });
  return list;
}

function caseLink(all, operation, chosen, at) {
  const id = caseId(all, operation.cases[at]);
  const tried = chosen.find((number) => letterAt(operation, number, at) !== ".") ?? chosen[0];
  const [target, api] = operation.implementations[tried];
  return el("a", { class: "open", href: addressOf({ ...readAddress(), case: id, api, target }) }, id);
}

/** For each implementation the words for what it did, with counts. */
function whatEachDid(all, operation, chosen, cases) {
  return el("ul", { class: "did" }, chosen.map((number) => {
    const counts = new Map();
    for (const at of cases) {
      const word = wordAt(all, operation, number, at);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const said = [...counts].map(([word, count]) => (counts.size > 1 ? `${word} ${count}` : word)).join(", ");
    return el("li", {}, el("code", {}, operation.implementations[number][1]), ": ", said);
  }));
}

/** What an implementation did with a case; the same letter after "value" is the same value. */
function wordAt(all, operation, number, at) {
  const letter = operation.outcomes[number][at].toLowerCase();
  if (letter in WORDS) return WORDS[letter];
  const [target, api] = operation.implementations[number];
  const place = (all.byCase.get(operation.cases[at]) ?? []).find((one) => key(...ownerOf(all, one)) === key(target, api));
  const result = place === undefined ? null : resultAt(all, place);
  return result?.sort === "observed" && !["observed", "other"].includes(result.word) ? result.word : `value ${letter}`;
}

/** The clauses whose cases they do not agree on. */
function clauseDifferences(all, operation, chosen, found) {
  const clauses = new Map();
  for (const at of found.differing) {
    const clause = clauseOf(all, operation.cases[at]);
    clauses.set(clause, [...(clauses.get(clause) ?? []), at]);
  }
  if (clauses.size === 0) return null;
  const rows = [...clauses].map(([clause, cases]) => el("tr", {},
    el("th", { scope: "row" }, all.clause.get(clause)?.states ?? clause, el("small", {}, ` ${clause}`)),
    el("td", {}, whatEachDid(all, operation, chosen, cases), caseList(all, operation, chosen, cases))));
  return el("details", { class: "by-clause" },
    el("summary", {}, `The ${found.differing.length} calls on which they do not agree, by clause`),
    el("table", { class: "rows conditions" }, el("tbody", {}, rows)));
}

views.set("porting", { title: "Porting", render: portingView });
