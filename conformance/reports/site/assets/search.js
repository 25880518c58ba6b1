// The search: a filter over the names of APIs and operations.

import { byId, el } from "./dom.js";
import { loadNames } from "./loading.js";

const MOST = 12;

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
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea");
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    field.focus();
  });
}

/** The names that have all of the words, those that begin with the first one before the others.
 * @param {string} text @param {[name: string, kind: string, path: string][]} names */
export function found(text, names) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const having = names.filter(([name, kind]) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)));
  /** @param {string} name */
  const rank = (name) => (name.toLowerCase().startsWith(words[0]) ? 0 : name.toLowerCase().includes(`.${words[0]}`) ? 1 : 2);
  return having.sort((one, other) => rank(one[0]) - rank(other[0]) || one[0].length - other[0].length);
}

/** @param {HTMLElement} list @param {HTMLInputElement} field @param {[string, string, string][]} names */
function show(list, field, names) {
  const having = found(field.value, names);
  const items = having.slice(0, MOST).map(([name, kind, path], number) => el("li", { role: "option", id: `found-${number}`, "aria-selected": "false" },
    el("a", { href: `${document.body.dataset.root}${path}`, tabindex: "-1" }, el("code", {}, name), " ", el("small", {}, kind))));
  if (having.length > MOST) items.push(el("li", { class: "quiet" }, `and ${having.length - MOST} more`));
  if (field.value.trim() && having.length === 0) items.push(el("li", { class: "quiet" }, "No API or operation of this run has this name."));
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
