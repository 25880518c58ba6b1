// Everything from the results goes into the page as text, here and nowhere else; nothing is ever parsed as markup.

/** An element with properties, attributes and children; texts become text nodes, null and false are left out. */
function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A sort's sign and a word, in its colour. */
function badge(sort, word) {
  const sign = sort.sign && [el("span", { "aria-hidden": "true" }, sort.sign), " "];
  return el("span", { class: `badge ${sort.name}` }, sign, word);
}

/** Put a text into the clipboard; false where the browser does not let a page do it. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text);
  }
}

/** The older way, which works for a file from disk too. */
function copiedFromField(text) {
  const field = el("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
