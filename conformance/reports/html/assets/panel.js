// The panel beside the matrices: everything about one case on one API.

/** The panel's content for a result. */
function panelContent(all, result) {
  const target = all.target.get(result.target);
  const clause = all.clause.get(result.clause);
  const kase = caseAt(all, result.number);
  const operation = clause?.operation ?? result.clause.split(".")[0];
  const picture = drawCase(kase, result);
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("p", { class: "crumbs" }, `${target.title} · ${target.where} · ${operation}`),
    el("h2", { id: "panel-title" }, result.api),
    elsewhereLinked(result, readAddress()),
    verdict(all, result, target),
    clause && theClause(result, clause),
    kase && theCall(kase, operation),
    picture,
    comparison(kase, result, picture),
    result.differs && differences(result.differs),
    remarksOf(kase, result, operation),
    theScript(result),
    elsewhere(all, result),
    theCases(all, result),
    code(all.mapping.get(key(result.target, result.api, operation))),
    el("p", { class: "crumbs" }, `${result.case}${kase ? `, ${kase.source}` : ""}`),
  ].flat(Infinity);
}

/** What to say where the link was to a target or an API that this file lacks for the case. */
function elsewhereLinked(result, state) {
  const lacking = [[state.target, result.target], [state.api, result.api]].filter(([linked, here]) => linked && linked !== here);
  if (lacking.length === 0) return null;
  return el("p", { class: "alarm" }, `This file has no result of this case for ${lacking.map(([linked]) => linked).join(" and ")}; here is one that it has.`);
}

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

/** The entry of the ledger that a result refers to. */
function known(id, entry) {
  return el("p", {}, "Known in the ledger of divergences as ", el("code", {}, id), entry ? ": " : ".",
    entry && [entry.reason, " ", entry.url ? link(entry.url, "Where it is reported") : `(${entry.link})`, " ",
      el("small", {}, entry.source)]);
}

function link(url, text) {
  return el("a", { href: url, rel: "noopener noreferrer" }, text);
}

function theClause(result, clause) {
  return [
    el("h3", {}, "What is documented"),
    el("p", {}, clause.states),
    clause.requires && el("pre", {}, clause.requires),
    clause.citations.map((one) => el("blockquote", {},
      el("p", {}, one.says),
      el("p", { class: "crumbs" }, one.url ? link(one.url, one.document) : one.document,
        ", ", el("a", { class: "to-claim", href: one.claim, title: "All clauses that test this claim" }, one.locator),
        one.official ? "" : ", not official"))),
    clause.citations.length === 0 && el("p", {}, "No document states it."),
    el("p", { class: "crumbs" }, `${result.clause}, ${clause.source}`),
  ];
}

/** The other cases of the clause on this API, where there are any. */
function theCases(all, result) {
  const some = all.byCell.get(key(result.clause, result.target, result.api)).map((at) => resultAt(all, at));
  if (some.length < 2) return null;
  return [
    el("h3", {}, `Its ${some.length} cases on this API`),
    choices(all, some, result, (one) => one.case.replace(`${one.clause}/`, ""), "Case"),
  ];
}

/** What everybody else did with this very case. */
function elsewhere(all, result) {
  const some = all.byCase.get(result.number).map((at) => resultAt(all, at));
  if (some.length < 2) return null;
  return [
    el("h3", {}, "The same call on every API"),
    choices(all, some, result, (one) => `${one.api}, ${all.target.get(one.target).title}`, "API"),
  ];
}

function choices(all, some, result, nameOf, heading) {
  const rows = some.map((one) => el("tr", { class: one.at === result.at && "here" },
    el("td", {}, el("a", { class: "open", href: addressOf({ ...readAddress(), ...placeOf(one) }),
      "aria-current": one.at === result.at && "true" }, nameOf(one))),
    el("td", {}, badge(all.sorts[one.sort], one.word))));
  const head = el("thead", {}, el("tr", {}, [heading, "What happened"].map((name) => el("th", { scope: "col" }, name))));
  return el("div", { class: "choices" }, el("table", { class: "rows" }, head, el("tbody", {}, rows)));
}

function placeOf(result) {
  return { case: result.case, api: result.api, target: result.target };
}

function theCall(kase, operation) {
  return [
    el("h3", {}, "The call"),
    el("pre", {}, callText(operation, kase.call)),
    kase.note && el("p", {}, kase.note),
  ];
}

/** What was expected beside what was got; as text where a picture has drawn the elements. */
function comparison(kase, result, picture) {
  const differing = (result.differs?.rows ?? []).map(([index]) => index);
  const shown = (text, label, marked) => (picture && kase.picture.result ? el("pre", {}, outcomeText(text)) : array(text, label, marked));
  return el("div", { class: "pair" },
    kase && el("div", {}, el("h3", {}, "Expected"), shown(kase.expects, "expected", result.right ? [] : differing),
      kase.from && el("p", { class: "crumbs" }, kase.from),
      result.right && [el("p", { class: "crumbs" }, "the right side gave"), shown(result.right, "right side", differing)]),
    el("div", {}, el("h3", {}, "Got"), shown(result.got, "got", differing)));
}

/** An array as a grid under its dtype and shape, or whatever it is as text. */
function array(text, label, differing) {
  const found = arrayOf(text);
  const picture = found && drawn(found, label, differing);
  if (!picture) return el("pre", {}, outcomeText(text));
  const [head, , ...more] = text.split("\n");
  return [el("p", {}, el("code", {}, head)), picture, more.map((line) => el("p", { class: "crumbs" }, line))];
}

function remarksOf(kase, result, operation) {
  return [
    result.remarks.length > 0 && [el("h3", {}, "Also seen"), result.remarks.map((text) => el("p", {}, text))],
    kase?.control && [el("h3", {}, "The valid call beside it, with only the violation fixed"), el("pre", {}, callText(operation, kase.control))],
  ];
}

/** The script that shows this very result, or the command that prints it. */
function theScript(result) {
  if (["blocked", "unsupported"].includes(result.sort)) return null;
  if (result.script) {
    return [el("h3", {}, "As a script of its own"),
      el("p", {}, "It was run in this target's interpreter and showed the same."), copyable(result.script, "script")];
  }
  const command = `conformance repro ${quoted(result.case)} --target ${quoted(result.target)} --api ${quoted(result.api)}`;
  return [el("h3", {}, "As a script of its own"), copyable(command, "command")];
}

function quoted(word) {
  return /^[\w./=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Text with a button that copies it. */
function copyable(text, name) {
  const button = el("button", { class: "copy", type: "button" }, `Copy the ${name}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text)) ? "Copied" : "Select it and copy";
  });
  return el("div", { class: `copyable ${name}` }, button, el("pre", { class: "code", tabindex: "0" }, text));
}

function code(mapping) {
  if (!mapping) return null;
  const notes = [
    mapping.composed && "Several calls stand in for the operation, so it is judged for portability only.",
    mapping.in_place && `The API changes its argument ${mapping.in_place}.`,
    mapping.follows && `It promises what ${mapping.follows} promises.`,
  ];
  return [
    el("h3", {}, "How the API was called"),
    el("pre", { class: "code", tabindex: "0" }, mapping.source.trimEnd()),
    notes.filter(Boolean).map((text) => el("p", {}, text)),
  ];
}
