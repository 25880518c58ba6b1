// Which dtypes each API takes, as its documentation claims and as it was observed.

const DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128"];
const SEEN = {
  works: { sort: "conforms", sign: "✓", text: "works", means: "right as in the dtypes of the documents" },
  some: { sort: "blocked", sign: "≈", text: "in part", means: "right in some cases, an error in others" },
  refused: { sort: "observed", sign: "✗", text: "refused", means: "an error" },
  wrong: { sort: "portability", sign: "≠", text: "wrong", means: "something else is returned" },
  ended: { sort: "died", sign: "✖", text: "died", means: "the process ended, or the call hung" },
  silent: { sort: "unsupported", sign: "", text: "untold", means: "no case of it is right in the dtypes of the documents either" },
};
const PROMISED = { yes: "claimed", family: "family", example: "example" };

/** A table for each operation: APIs and arguments by dtype, for the targets that the overview shows. */
function dtypesView(all, state) {
  const shown = shownTargets(state);
  const rows = new Map();
  for (const [at, operation, args, dtype, word, claimed, by, works, tried] of all.dtypes) {
    const [target, api] = ownerOf(all, at);
    if (!shown.has(target)) continue;
    const place = key(operation, target, api, all.texts[args]);
    const row = rows.get(place) ?? { operation: all.texts[operation], target, api, args: all.texts[args], cells: new Map() };
    row.cells.set(all.texts[dtype], { at, word: all.texts[word], claimed: all.texts[claimed], by, works, tried });
    rows.set(place, row);
  }
  const operations = Map.groupBy(together([...rows.values()]), (row) => row.operation);
  return [
    el("h2", {}, "Dtypes, claimed and observed"),
    el("p", { class: "lead" }, "What each API did with the documents' calls in other dtypes. ", el("b", {}, "claimed"),
      " stands where the API's own documentation names the dtype, ", el("b", {}, "family"),
      " where it names a family such as “an integer tensor”, ", el("b", {}, "example"),
      " where the documents' own calls have it; elsewhere nothing is promised. A claim that is not kept is red."),
    el("dl", { class: "key" }, Object.values(SEEN).map((one) => el("div", {}, el("dt", {}, seenBadge(one)), el("dd", {}, one.means)))),
    rows.size === 0 && el("p", {}, "No case of this file is about dtypes."),
    [...operations].map(([operation, some]) => dtypeTable(all, operation, some)),
  ];
}

/** The rows of an API together, in the order of the first of them. */
function together(rows) {
  return [...Map.groupBy(rows, (row) => key(row.operation, row.target, row.api)).values()].flat();
}

function seenBadge({ sort, sign, text }) {
  return el("span", { class: `badge ${sort}` }, sign && [el("span", { "aria-hidden": "true" }, sign), " "], text);
}

function dtypeTable(all, operation, rows) {
  const columns = DTYPES.filter((dtype) => rows.some((row) => row.cells.has(dtype)));
  const head = el("tr", {}, el("th", { scope: "col" }, "API and arguments"),
    columns.map((dtype) => el("th", { scope: "col" }, dtype)));
  const title = `dtypes-${operation}`;
  return el("section", { "aria-labelledby": title },
    el("h3", { id: title, class: "operation-name" }, operation),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": title },
      el("table", { class: "dtypes" }, el("thead", {}, head), el("tbody", {}, rows.map((row) => dtypeRow(all, row, columns))))));
}

function dtypeRow(all, row, columns) {
  return el("tr", {},
    el("th", { scope: "row" }, el("code", {}, row.api), " ", el("small", {}, `${row.args} · ${all.target.get(row.target).title}`)),
    columns.map((dtype) => dtypeCell(all, row.cells.get(dtype))));
}

function dtypeCell(all, cell) {
  if (!cell) return el("td", { class: "none" }, el("span", { class: "unseen" }, "not tried"));
  const seen = SEEN[cell.word];
  const promised = PROMISED[cell.claimed];
  const broken = promised === "claimed" && !["works", "silent"].includes(cell.word);
  const title = [`works in ${cell.works} of ${cell.tried} cases`, cell.by >= 0 && `claimed by ${all.texts[cell.by]}`];
  return el("td", { class: broken ? "own" : seen.sort, title: title.filter(Boolean).join("; ") },
    opening(resultAt(all, cell.at), seen.sign && [el("span", { "aria-hidden": "true" }, seen.sign), " "], seen.text),
    promised && el("small", {}, promised));
}

views.set("dtypes", { title: "Dtypes", render: dtypesView });
