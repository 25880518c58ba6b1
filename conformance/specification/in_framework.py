"""What only the framework can show: proofs of errata by calls, and the programs of claims.

All of a framework run in one process of its interpreter, without this package.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from packaging.specifiers import SpecifierSet

from conformance.specification.file_format import CallRefusedPart, FalseWhenRunPart
from conformance.specification.helpers import HELPERS, defined_again
from conformance.specification.model import Catalogue, Document
from conformance.specification.problems import Location

_PROGRAM = """
import importlib
import json
import warnings

tasks = json.loads({tasks!r})
framework = importlib.import_module({framework!r})
names = {{"warnings": warnings, {framework!r}: framework, **dict.fromkeys({names!r}, framework)}}

def ended(mode, text):
    try:
        with warnings.catch_warnings():
            value = eval(compile(text, "<program>", mode), dict(names))
    except BaseException as error:
        at = error.__traceback__
        while at.tb_next and at.tb_next.tb_frame.f_code.co_filename == "<program>":
            at = at.tb_next
        lines = text.splitlines()
        return {{
            "raised": [base.__name__ for base in type(error).__mro__],
            "message": str(error)[:200],
            "line": lines[at.tb_lineno - 1].strip() if at.tb_lineno <= len(lines) else "",
        }}
    # A framework's or NumPy's truth value is one too; any other value shows nothing.
    is_truth = isinstance(value, bool) or getattr(value, "dtype", None) is not None and getattr(value, "ndim", 1) == 0
    if mode == "eval" and not is_truth:
        return {{"value": None}}
    return {{"value": bool(value)}}

endings = [[ended(mode, text) for mode, text in task] for task in tasks]
print()
print(json.dumps(endings))
"""


@dataclass(frozen=True)
class Ending:
    """How a text ended in the framework."""

    raised: Sequence[str] = ()
    """The name of the error's type and of its bases; empty if none was raised."""
    value: bool | None = False
    """The truth value of an expression; None if it has another value."""
    message: str = ""
    line: str = ""
    """The line of a program that raised."""


@dataclass(frozen=True)
class FrameworkCheck:
    """A proof or a program, which holds if running it gives no failings."""

    subject: str
    """As in ``torch.gather, erratum reduce-of-none``."""
    document: Document
    claimed: CallRefusedPart | FalseWhenRunPart | str
    """A proof, or the program of a claim."""
    versions: SpecifierSet
    """The releases that it is about."""
    location: Location
    broken: str | None = None
    """The error that the program of a broken claim raises."""

    @property
    def task(self) -> list[tuple[Literal["eval", "exec"], str]]:
        if isinstance(self.claimed, str):
            return [("exec", self.claimed)]
        if isinstance(self.claimed, CallRefusedPart):
            return [("eval", self.claimed.call), ("eval", self.claimed.instead)]
        return [("eval", self.claimed.printed), ("eval", self.claimed.adopted)]

    def failings(self, endings: Sequence[Ending]) -> Iterator[str]:
        """Messages about what its texts fail to show by how they ended."""
        if isinstance(self.claimed, str):
            yield from _program_failings(self.broken, *endings)
        elif isinstance(self.claimed, CallRefusedPart):
            yield from _refusal_failings(self.claimed, *endings)
        else:
            yield from _value_failings("printed", self.claimed.printed, endings[0], expected=False)
            yield from _value_failings("adopted", self.claimed.adopted, endings[1], expected=True)


def framework_checks(catalogue: Catalogue) -> list[FrameworkCheck]:
    """Everything about the documents that only a framework can show; nothing if only a part of the specs is loaded."""
    documents = catalogue.documents.values() if catalogue.whole else ()
    return [check for document in documents for check in _of_document(document)]


def _of_document(document: Document) -> Iterator[FrameworkCheck]:
    for claim in document.claims.values():
        if claim.program is not None:
            versions = document.versions & (claim.versions or SpecifierSet())
            subject = f"{document.id}#{claim.locator}"
            yield FrameworkCheck(subject, document, claim.program, versions, claim.location, claim.broken)
    for erratum in document.errata.values():
        if isinstance(erratum.proof, CallRefusedPart | FalseWhenRunPart):
            subject = f"{document.id}, erratum {erratum.slug}"
            yield FrameworkCheck(subject, document, erratum.proof, document.versions, erratum.source)


def framework_program(checks: Sequence[FrameworkCheck]) -> str:
    """A program that runs the checks of one framework and prints, on its last line, the outcome of each.

    The framework is imported under its own name and those that its documents use: the part before the first dot of
    their APIs, as ``tf``.
    """
    names = sorted({check.document.describes[0].partition(".")[0] for check in checks})
    tasks = json.dumps([check.task for check in checks])
    return _PROGRAM.format(tasks=tasks, framework=checks[0].document.framework, names=names)


def framework_failings(checks: Sequence[FrameworkCheck], output: str) -> list[tuple[FrameworkCheck, str]]:
    """The checks that the output of the program fails to show, with messages; ValueError if it is incomplete."""
    try:
        tasks = [[Ending(**fields) for fields in task] for task in json.loads(output.strip().rpartition("\n")[2])]
        pairs = list(zip(checks, tasks, strict=True))
    except (ValueError, TypeError):
        raise ValueError(f"incomplete output: {output[-200:]!r}") from None
    return [(check, message) for check, endings in pairs for message in check.failings(endings)]


def _refusal_failings(proof: CallRefusedPart, printed: Ending, adopted: Ending) -> Iterator[str]:
    if not printed.raised:
        yield f"proves nothing: the printed call, {proof.call!r}, is accepted"
    elif proof.error not in printed.raised:
        yield f"the printed call, {proof.call!r}, is rejected with {printed.raised[0]}, not {proof.error}"
    if adopted.raised:
        yield f"the adopted call, {proof.instead!r}, is rejected too, with {adopted.raised[0]}"


def _value_failings(reading: str, text: str, ending: Ending, *, expected: bool) -> Iterator[str]:
    if ending.raised:
        yield f"the {reading} reading, {text!r}, raises {ending.raised[0]}: {ending.message}"
    elif ending.value is not expected:
        yield f"the {reading} reading, {text!r}, is {ending.value} when run"


def _program_failings(broken: str | None, ending: Ending) -> Iterator[str]:
    if broken is not None and not ending.raised:
        yield f"the program holds: the framework does not break the claim any more; remove 'broken: {broken}'"
    elif ending.raised and broken not in ending.raised:
        yield f"{ending.line!r} raises {ending.raised[0]}: {ending.message}"


def is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def program_problem(text: str) -> str | None:
    """What is wrong with the program of a claim; None if it can be run and can fail."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return f"is not Python: {error}"
    if not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return "asserts nothing, so it cannot fail"
    helper = defined_again(tree) if any(name in text for name in HELPERS) else None
    return f"gives {helper} another meaning, which programs have as a helper; choose another name" if helper else None
