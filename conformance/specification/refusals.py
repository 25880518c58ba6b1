"""Proofs that need the framework: the call as printed is refused, and the one adopted is taken.

The program of ``refusal_program`` is for the interpreter of a target, a bare one with nothing of this suite in it.
"""

from __future__ import annotations

import json

from conformance.specification.file_format import CallRefusedPart
from conformance.specification.model import Document

_PROGRAM = """
import json
import {framework} as {name}

def errors(text):
    try:
        eval(text, {{"{framework}": {name}, "{name}": {name}}})
    except Exception as error:
        return [one.__name__ for one in type(error).__mro__]
    return []

print()
print(json.dumps([errors({call!r}), errors({instead!r})]))
"""


def refusal_program(document: Document, proof: CallRefusedPart) -> str:
    """A program that tries both calls and prints, on its last line, what each one raised.

    The framework has the name under which the document knows it: that before the first dot of its APIs, as ``tf``.
    """
    name = document.describes[0].partition(".")[0]
    return _PROGRAM.format(framework=document.framework, name=name, call=proof.call, instead=proof.instead)


def refusal_failings(proof: CallRefusedPart, output: str) -> list[str]:
    """What the output of the program leaves unproven; nothing where it proves the erratum.

    ValueError where it is not the output of that program.
    """
    try:
        printed, adopted = json.loads(output.strip().rpartition("\n")[2])
    except (ValueError, TypeError):
        raise ValueError(f"not the output of a proof that ran to its end: {output!r}") from None
    failings = []
    if not printed:
        failings.append(f"proves nothing: the call as printed, {proof.call!r}, is taken")
    elif proof.error not in printed:
        failings.append(f"the call as printed, {proof.call!r}, is refused with {printed[0]}, not {proof.error}")
    if adopted:
        failings.append(f"the call adopted, {proof.instead!r}, is refused too, with {adopted[0]}")
    return failings
