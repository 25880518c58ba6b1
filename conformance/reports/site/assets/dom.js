// Creates elements. Data from the results goes into the page only as text here, never as markup.

/** @import { Sort } from "./page.d.ts" */
/** @typedef {Node | string | number | null | undefined | false | ""} Leaf */
/** @typedef {Leaf | Child[]} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/** An element of the initial page.
 * @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** An element with attributes and children; strings become text nodes; null and false are skipped.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Child[]} children */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element with attributes and children, as for `el`.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Child[]} children */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** @template {Element} T
 * @param {T} node @param {Attributes} attributes @param {Child[]} children */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...nodes(children));
  return node;
}

/** Nested children as a flat list, without null and false.
 * @param {Child[]} children @returns {(Node | string)[]} */
export function nodes(children) {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return nodes(child);
    if (child === null || child === undefined || child === false) return [];
    return [child instanceof Node ? child : String(child)];
  });
}

/** A sort's sign and a word, in its colour.
 * @param {Sort} sort @param {string} word */
export function badge(sort, word) {
  const sign = sort.sign && [el("span", { "aria-hidden": "true" }, sort.sign), " "];
  return el("span", { class: `badge ${sort.name}` }, sign, word);
}

/** Copy a text to the clipboard; false if the browser does not allow it.
 * @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text);
  }
}

/** The older API, which also works for a file from disk.
 * @param {string} text */
function copiedFromField(text) {
  const field = el("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

/** Text with a button that copies it.
 * @param {string} text @param {string} name */
export function copyable(text, name) {
  const button = el("button", { class: "copy", type: "button" }, `Copy the ${name}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text)) ? "Copied" : "Select and copy it manually";
  });
  return el("div", { class: `copyable ${name}` }, button, el("pre", { class: "code", tabindex: "0" }, text));
}
