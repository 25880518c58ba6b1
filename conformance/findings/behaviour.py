"""What an implementation did with a call, apart from what any document says of it."""

from __future__ import annotations

from conformance.results.records import ResultRecord

_STATES = ("input-changed", "aliased", "unstable", "contaminated")
"""Kinds of divergence that are no difference to what was expected, but something seen besides."""


def is_told(result: ResultRecord) -> bool:
    """Whether it says anything of the implementation: a call that it has no form for, or that is blocked, does not."""
    return result.verdict != "blocked" and result.outcome.get("status") not in (None, "unsupported")


def is_same(one: ResultRecord, other: ResultRecord) -> bool:
    """Whether two results of the same case, of which each tells something, are the same behaviour.

    By status, dtype, shape and elements, by the type of an error and the way a process ended, by what was done with an
    index outside, and by what was seen besides. Elements that vary from call to call, the wording of messages and the
    payload of a NaN do not count; nor does what a document says, which may be another of another version.
    """
    return _form(one) == _form(other) and _same_word(one, other) and (_varies(one) or _has_same_elements(one, other))


def said(result: ResultRecord) -> str:
    """``returns``, ``clamps``, ``raises IndexError``, ``died (SIGSEGV)``, ``hung``, ``unsupported``, ``blocked``.

    ``cannot make the arguments (TypeError)`` where the call was never made, as of a dtype that a version lacks.
    """
    outcome = result.outcome
    status = outcome.get("status")
    besides = "".join(f", {kind}" for kind in _besides(result))
    if result.verdict == "blocked":
        return "blocked"
    if status == "returned":
        return (result.behaviour or "returns") + besides
    if status == "raised":
        error = outcome.get("error") or {}
        if error.get("phase") == "arguments":
            return f"cannot make the arguments ({error.get('type')})"
        return f"raises {error.get('type')}" + besides
    if status == "died":
        return f"died ({outcome.get('signal') or 'exited'})"
    return str(status)


def contrasted(before: ResultRecord, after: ResultRecord) -> tuple[str, str]:
    """Two behaviours that are not the same, in words that are not the same either."""
    was, now = said(before), said(after)
    for name in ("dtype", "shape"):
        if was == now:
            was, now = (f"{text} {one.outcome.get(name)}" for text, one in ((was, before), (now, after)))
            if was == now:
                was = now = said(before)
    return (was, now) if was != now else (was, f"{now} other elements")


def _form(result: ResultRecord) -> tuple[object, ...]:
    outcome = result.outcome
    error, right = outcome.get("error") or {}, (outcome.get("relation") or {}).get("right") or {}
    return (
        outcome.get("status"),
        outcome.get("dtype"),
        outcome.get("shape"),
        error.get("type"),
        error.get("phase") == "arguments",
        outcome.get("signal") or outcome.get("exit_code"),
        right.get("digest"),
        _besides(result),
    )


def _besides(result: ResultRecord) -> tuple[str, ...]:
    return tuple(sorted(set(result.divergence) & {*_STATES}))


def _same_word(one: ResultRecord, other: ResultRecord) -> bool:
    """A word counts only where both have one."""
    return len({one.behaviour, other.behaviour} - {None}) <= 1


def _varies(result: ResultRecord) -> bool:
    grade = result.determinism
    return "unstable" in result.divergence or (grade is not None and grade.grade == "varies")


def _has_same_elements(one: ResultRecord, other: ResultRecord) -> bool:
    mine, others = one.outcome, other.outcome
    if mine.get("digest") == others.get("digest"):
        return True
    # The digest is of all bits, the elements tell a NaN as what it is.
    return "values" in mine and "values" in others and mine["values"] == others["values"]
