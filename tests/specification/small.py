"""One document and one spec, small enough to be seen whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.specification.locks import Line, lock_text

DOCUMENTS = """\
documents:
  json.page:
    title: A page about a gather that does not exist
    official: true
    framework: json
    describes: [json.gather]
    claims:
      example.1: A row is read backwards.
      example.2: An index outside is an error.
      rank: Index has as many axes as input.
      figure: {says: A picture shows it., untestable: It was lost.}
"""

SPEC = """\
operation: gather_elements
summary: Take elements of a tensor along an axis.
arguments: {input: {tensor: any}, dim: {scalar: integer}, index: {tensor: integer}}
result: {shape: index.shape, dtype: input.dtype}
examples:
  backwards:
    states: A row read backwards.
    cite: {json.page: [example.1]}
    call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [2, 1, 0, 0]}}
    returns: [30, 20, 10, 10]
  outside:
    states: An index outside is an error.
    cite: {json.page: [example.2]}
    call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [3]}}
    raises: IndexError
    fix: {index: {int64: [2]}}
rules:
  rank:
    states: Index has as many axes as input.
    cite: {json.page: [rank, example.1]}
    require: "index.rank == input.rank"
    keep: {one-axis: {call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1]}}}}
    break:
      two-axes:
        call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [[1]]}}
        fix: {index: {int64: [1]}}
"""


def lock(*lines: str) -> str:
    """The text of a lock file with lines such as ``json.page claims rank json.gather klmnopqr``."""
    return lock_text(Line(*line.split(" ")) for line in lines)


def write_specs(folder: Path, *, documents: str = DOCUMENTS, spec: str = SPEC, rests: Sequence[str] = ()) -> Path:
    """The folder, made where it is missing, with the document and the spec in it.

    rests: lines of the lock file beside the document, as in ``lock``.
    """
    folder.mkdir(exist_ok=True)
    (folder / "documents.yaml").write_text(documents)
    if rests:
        (folder / "documents.lock").write_text(lock(*rests))
    (folder / "gather_elements.yaml").write_text(spec)
    return folder


def changed(text: str, found: str, replacement: str) -> str:
    """A text with its first ``found`` replaced; the test is wrong where there is none."""
    assert found in text
    return text.replace(found, replacement, 1)
