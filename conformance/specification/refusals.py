"""Proofs that need the framework: it rejects the printed call and accepts the adopted one.

The program of ``refusal_program`` runs in the interpreter of a target, without this package.
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
        return [base.__name__ for base in type(error).__mro__]
    return []

print()
print(json.dumps([errors({call!r}), errors({instead!r})]))
"""


def refusal_program(document: Document, proof: CallRefusedPart) -> str:
    """A program that runs both calls and prints, on its last line, the errors that each one raised.

    The framework is imported under the name that the document uses: the part before the first dot of its APIs, as ``tf``.
    """
    name = document.describes[0].partition(".")[0]
    return _PROGRAM.format(framework=document.framework, name=name, call=proof.call, instead=proof.instead)


def refusal_failings(proof: CallRefusedPart, output: str) -> list[str]:
    """Messages about what the output of the program fails to prove; empty if it proves the erratum.

    ValueError if the output is not that of the program.
    """
    try:
        printed, adopted = json.loads(output.strip().rpartition("\n")[2])
    except (ValueError, TypeError):
        raise ValueError(f"incomplete proof output: {output!r}") from None
    failings = []
    if not printed:
        failings.append(f"proves nothing: the printed call, {proof.call!r}, is accepted")
    elif proof.error not in printed:
        failings.append(f"the printed call, {proof.call!r}, is rejected with {printed[0]}, not {proof.error}")
    if adopted:
        failings.append(f"the adopted call, {proof.instead!r}, is rejected too, with {adopted[0]}")
    return failings
