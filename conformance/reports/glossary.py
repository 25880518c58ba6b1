"""The words that reports use, a line for each. docs/glossary.md has the same lines, and more words."""

from __future__ import annotations

VERDICTS = {
    "conforms": "the API did what the clause states.",
    "diverges": (
        "the API did something other than the clause states. The kinds say what, the standing against which document."
    ),
    "died": "the call ended its process; the result says by which signal, exit code or limit.",
    "hung": "the call gave no answer within the time limit.",
    "blocked": (
        "nothing can be concluded, because the control failed too, the arguments could not be created, something "
        "else than the API raised the error, or the call itself, without its transform, has no permitted result. A "
        "blocked target did not start."
    ),
    "observed": "no document says what should happen; the result is recorded, not judged.",
    "unsupported": (
        "the API has no form for this call, its documentation lists other dtypes and it refuses this one, its device "
        "has no kernel, or a path cannot export it; it never counts as conforming."
    ),
}
STANDINGS = {
    "own": (
        "the clause comes from an official document that describes this API in this version, or that the API "
        "follows, or the API refuses a dtype that such a document names; a divergence is a bug in the code or in the "
        "text."
    ),
    "printed": (
        "the case is a worked example of a document about this API that is not official; a divergence is a bug in "
        "the code, in the text, or in the adapter."
    ),
    "portability": (
        "the clause comes from another API's, version's or an unofficial document; a divergence is nobody's bug, "
        "but matters when you port a model."
    ),
}
KINDS = {
    "value": "at least one element of the result differs from the expected one.",
    "inconsistent": "a derivative belongs to another permitted result than the one that the call itself returned.",
    "shape": "the result has another shape than expected.",
    "dtype": "the result has another dtype than expected.",
    "accepted": "the call should raise, but it returned.",
    "rejected": "the call should return, but it raised.",
    "missing": "the target's own target.toml claims the call, but it is not supported.",
    "error-type": "the call raised, as it should, but another type of exception than a document about it names.",
    "internal": (
        "the call raised an error that is the framework's own fault, whatever was asked for: an internal assertion, a "
        "request to report a bug, or a message with a number that is in no argument."
    ),
    "wrote-outside": "the call wrote memory next to an argument, or between the elements of a view, that does not belong to it.",
    "read-outside": "the result shows memory next to an argument that does not belong to it.",
    "input-changed": (
        "the call changed an argument that it should not change, or failed to change one that it changes in place."
    ),
    "aliased": "the result shares memory with an argument, and the tensors are mutable.",
    "mode-dependent": "no document says what the call should do, and compiled it does something else than without compiling.",
    "unstable": "flaky: the same call, repeated, does not always do the same.",
    "contaminated": (
        "order-dependent: the result is correct in a fresh process and wrong after another call or after the same "
        "one, or an error made later valid calls fail."
    ),
    "together": (
        "the result is correct alone, and wrong if the call is compiled together with other calls, each with memory of "
        "its own."
    ),
}
STATUSES = {
    "raised": "the call ended with an exception.",
    "returned": "the call ended without an exception.",
    "not-exported": "the exporter of a path, or the execution provider of a mode, did not take a call that the framework itself performs.",
}
BEHAVIOURS = {
    "raises": "an error for the out-of-bounds index, while the control returns.",
    "ignores": "only what belongs to the out-of-bounds index was skipped.",
    "stops": "what belongs to the out-of-bounds index and to all later ones was skipped.",
    "clamps": "the nearest valid position was used instead.",
    "wraps-negative": "negative indices were counted from the end.",
    "wraps-modulo": "the index was taken modulo the length of the axis.",
    "fills": "zero, NaN, or the minimum or maximum of the dtype was read instead.",
    "other": "none of the named behaviours; the values are shown.",
}
FAMILIES = {
    "example": "a worked example of a document.",
    "rule": "a condition that every valid call or every result satisfies.",
    "behaviour": (
        "a clause about values or situations that rules do not cover, such as duplicates. In a result: what was "
        "done with an out-of-bounds index."
    ),
    "relation": "two ways of computing something that must give the same result; the target computes both.",
}
WORDS = {
    "API": "a public function or method of a framework that implements an operation.",
    "absent": "results of calls of forms that an API does not have, which are unsupported and test nothing.",
    "as printed": (
        "the case of an example whose result a document prints. If the document only implies it, the case is called inferred."
    ),
    "break": "a call that violates a rule on purpose; it should raise. The opposite is keep.",
    "case": "one concrete call with its expectation. Its id is the clause's id, a slash and a name.",
    "cast": "indices were converted to a dtype that the API takes, because the call comes from another API's document, or its own documentation names other dtypes of indices and the case is not about them.",
    "cause": (
        "the reason of findings of one framework, on all its targets. The findings that one entry of a ledger records "
        "have one cause; others have one if they have the same API, operation, sort (such as own, or died) and kinds of "
        "divergence, or if they differ only in the document that they break and their calls share what tells them from right "
        "ones, such as a view."
    ),
    "claim": "one thing that a document states, with a locator that says where.",
    "clause": "one testable statement about an operation, citing one or more claims.",
    "composed": (
        "the adapter combines several calls to implement the operation; its divergences are always portability."
    ),
    "condition": 'a property of a call under which implementations agree or not, such as "no duplicates".',
    "confirmation": (
        "before a finding is reported, two of its results are repeated in processes that have made no other call (up to eight "
        "if no ledger records it and it breaks the API's own documentation or has a wrong value; every death and every hang). "
        "The others are repeated after these. What does not happen there as in the run is repeated alone."
    ),
    "control": (
        "the same call with only the violation fixed. An error counts only if the control returns, before and after; and in a "
        "process of its own too, on an API whose results depend on earlier calls."
    ),
    "counterexample": "a draw on which a target is wrong, minimized to a small call.",
    "derived case": "a written call in another dtype or with a view.",
    "determinism": (
        "whether a call with duplicate indices, repeated in several processes with as many threads as users have, gives "
        "the same bits (same-bits) or not (varies)."
    ),
    "disagree": "two modes or two devices of one version do not do the same with the same call.",
    "document": "a page that the specs cite; official if the framework's own developers publish it.",
    "draw": "a call generated at random from the layout of a spec (--draws N), the same for the same seed.",
    "expectation": "what a case should give: a value, an error, or nothing in particular (observed).",
    "expensive mode": (
        "a mode that makes a sample of the calls, since one of a new shape takes 10 ms or more and is compiled alone, or a whole run "
        "takes hours."
    ),
    "finding": (
        "the results of one API of a target that fail one clause in the same way: with the same sort (own, printed, "
        "portability, died or hung), kinds of divergence and entry of a ledger. Each failing result is in one finding, and "
        "each finding has one cause."
    ),
    "follows": (
        "the API has no document of its own and promises what the named API documents; that document counts as its own."
    ),
    "form": (
        "the shapes, the dtypes, and the arguments other than tensors of a call; a mode that compiles does so once for each."
    ),
    "gone": "in diff, a case, or in matrix, an API, that the later results no longer have.",
    "guard zone": "memory before and behind an argument, which no call may write, and whose contents no result may show.",
    "in place": "the API changes one of its arguments, as documented.",
    "incomplete": "the results of a run that was interrupted, or from which a shard is missing.",
    "judged": "results of which a document says what should happen, and that show whether it did: all but open and absent ones.",
    "keep": "a call that satisfies a rule. The opposite is break.",
    "known divergence": "a divergence that divergences.yaml records with a reason and a link; no run fails on it.",
    "mapping": "the record that says which API of a target implements which operation, with the adapter's code.",
    "mode": "how a framework executes calls, such as eager or compile.",
    "new": "a divergence from an API's own documentation, a death or a hang that is not a known divergence.",
    "not guarded": "the framework copies arguments of the call, so that what is written or read next to them is not seen.",
    "open": "results of calls that were made or tried and say nothing for or against the API: they are blocked or observed.",
    "operation": "what a spec describes, independent of frameworks, such as scatter_nd.",
    "order-dependent": "see contaminated.",
    "outcome": "what a call ended in, with its status and details, before anything is judged.",
    "path": (
        "a mode in which an API is exported, and the exported program is run, such as torch[onnx]; it is judged by the "
        "documentation of the API, and a finding names the step that changed the result where that is known."
    ),
    "permitted": (
        "one of the values that may result where indices are duplicated, such as any of the updates to that position."
    ),
    "polluter": "the earlier call that makes a later, order-dependent one go wrong.",
    "rare form": (
        "a call in a form that few people write, such as an empty index, a tensor without axes, or every element selected by a mask."
    ),
    "reference": "the suite's own NumPy implementation, which computes results that no document prints.",
    "result": "what one API of one target did with one case, and the verdict.",
    "seed": "the number that determines the draws.",
    "shard": "one of N parts of a run (--shard K/N).",
    "skipped": "calls that were not made because the mode is expensive; the summary counts them.",
    "step": "what first does what a finding of a path is about: the framework itself, the exporter, or the runtime.",
    "target": "one implementation under test: a framework, its version, an execution mode and a device.",
    "timeline": "what the versions of a framework do with the same calls, one after the other.",
    "unexpected pass": (
        "an entry of the known divergences that no longer happens, or happens differently; the run fails until it "
        "is updated."
    ),
    "unread": (
        "a claim about a version whose own documentation lacks a sentence that the claim rests on; it is judged as "
        "portability there until somebody has read the new words."
    ),
    "untestable": "a claim that neither a call nor a program can test, with the reason.",
    "view": "a tensor that shares a larger buffer, such as a transposed one.",
    "worker": "the process in which a target's calls run.",
}

GLOSSARY = {
    "Verdicts": VERDICTS,
    "Standings of a divergence": STANDINGS,
    "Kinds of divergence": KINDS,
    "Statuses of an outcome": STATUSES,
    "Behaviours towards an out-of-bounds index": BEHAVIOURS,
    "Families of clauses": FAMILIES,
    "Other words": WORDS,
}
"""By heading, what each word means; the site shows all of it."""


def sentence(line: str) -> str:
    """A line with a capital letter at its beginning, unless it begins with the name of a function or a dtype."""
    first = line.partition(" ")[0].rstrip(".,:;")
    return line[:1].upper() + line[1:] if first.replace("-", "").replace("'", "").isalpha() else line
