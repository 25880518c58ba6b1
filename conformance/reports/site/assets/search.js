// The search: operations, situations, APIs, ports, modes, changes and kinds of findings by their names, by other words for them, and nearly so spelt.

import { byId, el } from "./dom.js";
import { loadNames } from "./loading.js";

/** @import { Name, Names } from "./page.d.ts" */
/** @typedef {[name: string, kind: string, path: string]} Found */
/** @typedef {{ name: Name, text: string }} Entry with everything that a word is looked for in */

const MOST = 12;
const FILLERS = new Set("a an and api apis are by can do does for function functions happens how i if in is it of on or that the there to what when which with".split(" "));
const LEAST_TOKEN = 3;
const LEAST_JOINED = 6; // shorter names are parts of too many others

/** @type {{ names: Names, entries: Entry[], situations: string[] } | null} */
let prepared = null;

export function listenToSearch() {
  const field = /** @type {HTMLInputElement} */ (byId("find"));
  const list = byId("found");
  const box = /** @type {HTMLElement} */ (field.closest(".find"));
  box.hidden = false;
  field.addEventListener("input", async () => show(list, field, await loadNames()));
  field.addEventListener("focus", () => loadNames());
  field.addEventListener("keydown", (event) => move(event, field, list));
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) closeList(list, field);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    field.focus();
  });
}

/** In lower case, and a key such as `x[i, j] = v` as one word.
 * @param {string} text */
function plain(text) {
  return text.toLowerCase().replace(/\s*([[\](),=])\s*/g, "$1");
}

/** @param {string} text */
function wordsOf(text) {
  const words = plain(text).split(/[\s?!]+/).filter(Boolean);
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

/** A name as the frameworks write it that have no underscores: `GatherND` is `gather_nd`.
 * @param {string} text */
function joined(text) {
  return text.replaceAll("_", "");
}

/** @param {string} text @param {string} word */
function has(text, word) {
  return text.includes(word) || (word.length >= LEAST_JOINED && text.includes(joined(word)));
}

/** @param {Names} names */
function prepare(names) {
  if (prepared?.names !== names) {
    const entries = names.names.map((name) => ({ name, text: plain(`${name[0]} ${joined(name[0])} ${name[1]} ${name[3]}`) }));
    prepared = { names, entries, situations: names.situations.map(([title, words]) => plain(`${title} ${words}`)) };
  }
  return prepared;
}

/** What has all of the words, and the words that were looked for in place of misspelt ones, or null.
 * @param {string} text @param {Names} names @returns {{ found: Found[], instead: string | null }} */
export function answersTo(text, names) {
  const words = wordsOf(text);
  if (words.length === 0) return { found: [], instead: null };
  const { entries, situations } = prepare(names);
  const found = having(words, entries, situations, names);
  if (found.length > 0) return { found, instead: null };
  const nearest = words.map((word) => near(word, entries, situations));
  const instead = nearest.map((word, at) => word ?? words[at]);
  if (nearest.every((word, at) => word === null || word === words[at])) return { found: [], instead: null };
  return { found: having(instead, entries, situations, names), instead: instead.join(" ") };
}

/** Entries that have all words, those in whose name the first one stands before the others; then rows of APIs: the situation
 * has the words that the API lacks.
 * @param {string[]} words @param {Entry[]} entries @param {string[]} situations @param {Names} names @returns {Found[]} */
function having(words, entries, situations, names) {
  const direct = entries.filter(({ text }) => words.every((word) => has(text, word)))
    .map(({ name }) => ({ name, rank: rankOf(name, words) }))
    .sort((one, other) => one.rank - other.rank || one.name[0].length - other.name[0].length)
    .map(({ name: [name, kind, path] }) => /** @type {Found} */ ([name, kind, path]));
  const rows = entries
    .map(({ name, text }) => ({ name, rest: words.filter((word) => !has(text, word)) }))
    .sort((one, other) => one.rest.length - other.rest.length || one.name[0].length - other.name[0].length);
  return [...direct, ...rows.flatMap(({ name, rest }) => rowsOf(name, rest, words, situations, names))];
}

/** The smaller the better: what has the words in its name, in their order; of what has other words for it, an operation.
 * @param {Name} name @param {string[]} words */
function rankOf([name, kind], words) {
  const text = plain(name);
  const places = words.map((word) => text.indexOf(word));
  if (places.includes(-1)) return kind === "operation" || kind === "situation" ? 4 : 5;
  if (kind === "situation") return -1;
  const isInOrder = places.every((place, at) => at === 0 || places[at - 1] <= place);
  return (text.startsWith(words[0]) ? 0 : text.includes(`.${words[0]}`) ? 1 : 2) + (isInOrder ? 0 : 1);
}

/** @param {Name} name @param {string[]} rest @param {string[]} words @param {string[]} situations @param {Names} names
 * @returns {Found[]} */
function rowsOf([name, , path, , rows = []], rest, words, situations, names) {
  if (rest.length === 0 || rest.length === words.length) return [];
  return rows.flatMap(([prefix, numbers]) => numbers.filter((number) => rest.every((word) => situations[number].includes(word)))
    .map((number) => {
      const [title, , anchor] = names.situations[number];
      const as = prefix ? `, as ${prefix.slice(0, -1)}` : "";
      return /** @type {Found} */ ([name, `${title}${as}`, `${path}#${prefix}${anchor}`]);
    }));
}

/** The word that is spelt nearly so, part by part of a dotted name; the word itself if it is found; null if none is near.
 * @param {string} word @param {Entry[]} entries @param {string[]} situations */
function near(word, entries, situations) {
  const texts = [...entries.map(({ text }) => text), ...situations];
  if (texts.some((text) => has(text, word))) return word;
  const parts = word.split(/([^a-z0-9]+)/).map((part) => (/[a-z0-9]/.test(part) ? nearPart(part, texts) : part));
  return parts.includes(null) ? null : parts.join("");
}

/** @param {string} word letters and digits @param {string[]} texts @returns {string | null} */
function nearPart(word, texts) {
  if (texts.some((text) => text.includes(word))) return word;
  const digits = word.replace(/[^0-9]/g, "");
  const most = word.length > 5 ? 2 : word.length >= LEAST_TOKEN ? 1 : 0;
  const tokens = new Set(texts.flatMap((text) => text.split(/[^a-z0-9]+/).filter((token) => token.length >= LEAST_TOKEN)));
  let best = /** @type {[number, string] | null} */ (null);
  for (const token of tokens) {
    if (Math.abs(token.length - word.length) > most || token.replace(/[^0-9]/g, "") !== digits) continue; // int8 is no int16
    const distance = edits(word, token);
    if (distance <= most && (best === null || distance < best[0])) best = [distance, token];
  }
  return best?.[1] ?? null;
}

/** How many letters are wrong, missing, too many, or swapped with the next one.
 * @param {string} one @param {string} other */
function edits(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[one.length][other.length];
}

/** @param {HTMLElement} list @param {HTMLInputElement} field @param {Names} names */
function show(list, field, names) {
  const { found, instead } = answersTo(field.value, names);
  const items = found.slice(0, MOST).map(([name, kind, path], number) => el("li", { role: "option", id: `found-${number}`, "aria-selected": "false" },
    el("a", { href: `${document.body.dataset.root}${path}`, tabindex: "-1" }, el("code", {}, name), " ", el("small", {}, kind))));
  if (instead !== null && items.length > 0) items.unshift(el("li", { class: "quiet" }, `Nothing has these words. With “${instead}”:`));
  if (found.length > MOST) items.push(el("li", { class: "quiet" }, `and ${found.length - MOST} others`));
  if (field.value.trim() && found.length === 0) items.push(el("li", { class: "quiet" }, "Nothing of this run has these words."));
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  field.removeAttribute("aria-activedescendant");
}

/** @param {HTMLElement} list @param {HTMLInputElement} field */
function closeList(list, field) {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
}

/** @param {KeyboardEvent} event @param {HTMLInputElement} field @param {HTMLElement} list */
function move(event, field, list) {
  const items = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=option]")]);
  const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "Escape") closeList(list, field);
  if (event.key === "Enter" && items.length > 0) items[Math.max(at, 0)].querySelector("a")?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || items.length === 0) return;
  event.preventDefault();
  items[at]?.setAttribute("aria-selected", "false");
  const next = items[(at + step + items.length + (at < 0 && step < 0 ? 1 : 0)) % items.length];
  next.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", next.id);
}
