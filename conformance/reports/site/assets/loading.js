// Loads the files of the site with data. A page from disk can load scripts only, so each of them calls `received`.

/** @import { Calls, Cases, Names, Words } from "./page.d.ts" */

/** @type {Map<string, Promise<unknown>>} */
const loaded = new Map();
/** @type {unknown} */
let last;

/** What a file with data calls.
 * @param {string} _name @param {unknown} data */
function received(_name, data) {
  last = data;
}
Object.assign(window, { received });

/** The data of a file, by its path below the root of the site.
 * @param {string} path @returns {Promise<unknown>} */
function load(path) {
  const known = loaded.get(path) ?? new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.addEventListener("load", () => resolve(last));
    script.addEventListener("error", () => reject(new Error(`${path} cannot be read`)));
    script.src = `${document.body.dataset.root}${path.split("/").map(encodeURIComponent).join("/")}`;
    document.head.append(script);
  });
  loaded.set(path, known);
  return known;
}

/** @param {string} path */
export const loadCalls = (path) => /** @type {Promise<Calls>} */ (load(path));
/** @param {string} path */
export const loadCases = (path) => /** @type {Promise<Cases>} */ (load(path));
export const loadWords = () => /** @type {Promise<Words>} */ (load("data/words.js"));
export const loadNames = () => /** @type {Promise<Names>} */ (load("data/names.js"));
