// How each framework's behaviour changed from version to version.

/** The timelines, and of the chosen one the steps and the table of versions. */
function versionsView(all, state) {
  if (all.timelines.length === 0) {
    return [el("h2", {}, "Versions"), el("p", { class: "lead" },
      "This file holds no two versions of one framework. ", el("code", {}, "conformance matrix torch --versions 2.1.2,2.13.0"),
      " makes one that does.")];
  }
  const nameOf = (one) => `${one.framework} on ${one.where}`;
  const line = all.timelines.find((one) => nameOf(one) === state.line) ?? all.timelines[0];
  const links = all.timelines.map((one) => el("li", {}, el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, line: nameOf(one), before: "", after: "" }), "aria-current": one === line && "true",
  }, nameOf(one), " ", el("b", {}, one.targets.length))));
  return [
    el("h2", {}, "Versions"),
    el("p", { class: "lead" }, "What each version did with the same calls: also where every version keeps to what is documented."),
    el("nav", { "aria-label": "Frameworks" }, el("ul", { class: "asked" }, links)),
    stepsOf(all, line),
    tableOfVersions(all, line, state),
  ];
}

function versionOf(line, id) {
  return line.targets.find((one) => one.id === id).version;
}

/** Every step from one version to the next, the last one unfolded. */
function stepsOf(all, line) {
  return [...line.steps].reverse().map((step, place) => el("details", { class: "step", open: place === 0 },
    el("summary", {}, el("b", {}, `${versionOf(line, step.before)} → ${versionOf(line, step.after)}`), " ",
      el("small", {}, summaryOf(step))),
    changesOf(all, step)));
}

function summaryOf(step) {
  const calls = step.changes.reduce((sum, one) => sum + callsOf(one), 0);
  const count = (kind) => step.apis.filter(([one]) => one === kind).length;
  return [
    `${counted(calls, "call")} otherwise`, `${step.same} the same`, step.untold > 0 && `${step.untold} that tell nothing`,
    count("new") > 0 && `${counted(count("new"), "API")} new`, count("gone") > 0 && `${counted(count("gone"), "API")} gone`,
  ].filter(Boolean).join(", ");
}

function callsOf({ clauses }) {
  return clauses.reduce((sum, [, count]) => sum + count, 0);
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function changesOf(all, step) {
  if (step.changes.length + step.apis.length === 0) return el("p", {}, "Nothing that the calls of this file show.");
  const apis = step.apis.map(([kind, operation, api]) => el("li", {},
    el("b", {}, kind === "new" ? "New here: " : "No longer here: "), el("code", {}, all.texts[api]),
    el("span", { class: "where" }, all.texts[operation])));
  return el("ul", { class: "findings" }, apis, step.changes.map((one) => change(all, one)));
}

/** What an API does otherwise, with the clauses where it does. */
function change(all, one) {
  const first = resultAt(all, one.clauses[0][0]);
  return el("li", {},
    opening(first, el("b", {}, all.texts[one.api])), " ", el("span", { class: "was" }, all.texts[one.was]), " → ",
    badge(all.sorts[one.sort], all.texts[one.now]),
    el("span", { class: "where" }, all.texts[one.operation]),
    el("details", {}, el("summary", {}, `${counted(callsOf(one), "call")} in ${counted(one.clauses.length, "clause")}`),
      el("ul", {}, one.clauses.map(([at, count]) => clauseOfChange(all, resultAt(all, at), count)))));
}

function clauseOfChange(all, result, count) {
  return el("li", {}, opening(result, all.clause.get(result.clause)?.states ?? result.clause), " ",
    el("small", {}, `${result.clause}, ${counted(count, "call")}`));
}

/** Clauses and APIs by version: those that changed, or between two chosen versions, or all. */
function tableOfVersions(all, line, state) {
  const [from, to] = [state.before, state.after].map((id) => line.targets.findIndex((one) => one.id === id));
  const rows = line.rows.map(([operation, clause, api, cells]) =>
    ({ operation: all.texts[operation], clause: all.texts[clause], api: all.texts[api], cells: unfolded(cells) }));
  const shown = rows.filter(({ cells }) => state.every || hasChanged(cells, from, to));
  const head = el("tr", {}, el("th", { scope: "col" }, "Clause and API"), line.targets.map((one, at) =>
    el("th", { scope: "col", class: (at === from || at === to) && "chosen" }, one.version, one.blocked && el("small", {}, "did not start"))));
  return el("section", { "aria-labelledby": "timeline-title" },
    el("h3", { id: "timeline-title" }, state.every ? "Every clause" : "Clauses on which versions differ"),
    controlsOf(line, state),
    el("p", { class: "said", "aria-live": "polite" }, `${shown.length} of ${rows.length} rows`),
    shown.length > 0 && el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "timeline-title" },
      el("table", { class: "timeline" }, el("thead", {}, head),
        el("tbody", {}, shown.map((row) => rowOfVersions(all, line, row))))));
}

/** The cells with those that are as the one before written out. */
function unfolded(cells) {
  let last = null;
  return cells.map((cell) => (last = cell === 0 ? last : cell));
}

function hasChanged(cells, from, to) {
  if (from >= 0 && to >= 0) return cells[from]?.[0] !== cells[to]?.[0];
  const states = cells.filter(Boolean).map(([state]) => state);
  return new Set(states).size > 1;
}

function controlsOf(line, state) {
  const choose = (name, text) => el("label", {}, `${text} `, el("select", { id: `choose-${name}`, "data-state": name },
    el("option", { value: "" }, "any version"),
    line.targets.map((one) => el("option", { value: one.id, selected: one.id === state[name] }, one.version))));
  return el("p", { class: "controls" }, choose("before", "Compare"), choose("after", "with"),
    el("label", {}, el("input", { type: "checkbox", id: "every", "data-state": "every", checked: state.every === "yes" }),
      " also clauses that did not change"));
}

function rowOfVersions(all, line, row) {
  const clause = all.clause.get(row.clause);
  return el("tr", {},
    el("th", { scope: "row" }, clause?.states ?? row.clause,
      el("small", {}, el("code", {}, row.api), ` · ${row.clause}`)),
    row.cells.map((cell, at) => versionCell(all, line.targets[at], row, cell, row.cells.slice(0, at).findLast(Boolean))));
}

function versionCell(all, target, row, cell, before) {
  if (!cell) return el("td", { class: "none" }, target.blocked ? "" : "not here");
  const changed = before && before[0] !== cell[0];
  const at = worstOf(all, row.clause, target.id, row.api);
  const said = cell[1].map(([word, count]) => `${all.texts[word]} ${count}`);
  return el("td", { class: `state-${cell[0] % 3}${changed ? " changed" : ""}` },
    changed && el("span", { class: "mark" }, "≠ ", el("span", { class: "unseen" }, "changed: ")),
    at === undefined ? said.join(", ") : opening(resultAt(all, at), said.join(", ")));
}

/** Any control with the name of a part of the state writes it into the address. */
function listenToControls() {
  document.getElementById("view").addEventListener("change", ({ target }) => {
    if (!target.dataset.state) return;
    go({ [target.dataset.state]: target.type === "checkbox" ? (target.checked ? "yes" : "") : target.value }, { step: false });
  });
}

views.set("versions", { title: "Versions", render: versionsView });
