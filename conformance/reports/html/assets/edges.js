// Shows that a wide table goes on to the right.

import { all } from "./dom.js";

/** Mark the boxes whose contents go on beyond their right edge, as they are laid out and scrolled.
 * @param {ParentNode} [root] */
export function watchEdges(root) {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) mark(target);
  });
  for (const box of all(".scroll", root)) {
    observer.observe(box);
    box.addEventListener("scroll", () => mark(box), { passive: true });
  }
}

/** @param {Element} box */
function mark(box) {
  box.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 4);
}
