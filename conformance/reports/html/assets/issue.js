// The text of an issue for the framework's own tracker, ready to paste.

import { linesOf } from "./data.js";

/** @import { Case, Result } from "./data.js" */
/** @import { Clause, Known, Target } from "./payload.d.ts" */

const WRONG = ["own", "printed", "died", "hung"];
const FLAKY = ["unstable", "contaminated"];

/** Whether a result is worth an issue: wrong by the API's own documents, a death, a hang or flaky, and not yet reported.
 * @param {Result} result @param {Known} [entry] */
export function isWorthAnIssue(result, entry) {
  return (WRONG.includes(result.sort) || result.kinds.some((kind) => FLAKY.includes(kind))) && !entry?.url;
}

/** @param {Result} result @param {Target} target @param {Clause | undefined} clause @param {Case | null} kase */
export function issueText(result, target, clause, kase) {
  // Only the API's own documentation: another framework's is no argument here.
  const own = result.sort === "own" ? clause?.citations.filter((citation) => citation.official) ?? [] : [];
  return [
    `**${result.api}: ${result.reason ?? result.word}**`,
    `${target.title}, ${target.where}`,
    own.length > 0 && `What the documentation says, in other words:\n${own.map(cited).join("\n")}`,
    kase && block("Call", Object.entries(kase.call).map(([name, text]) => `${name} = ${text.trimStart()}`).join("\n")),
    kase && block("Expected", linesOf(kase.expected)),
    block("Actual", linesOf(result.actual)),
    result.script && block("Script", result.script, "python"),
  ].filter(Boolean).join("\n\n");
}

/** @param {Clause["citations"][number]} citation */
function cited({ document, says, url }) {
  return `- ${says} (${url ? `[${document}](${url})` : document})`;
}

/** A fenced block whose fence is longer than any in the text.
 * @param {string} title @param {string} text @param {string} [language] */
function block(title, text, language = "text") {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${title}:\n\n${fence}${language}\n${text}\n${fence}`;
}
