"""Lock files beside documents: the sentences of shipped documentation that their claims, errata and groups rest on.

``conformance docs add`` writes them. Each line stands for itself, so that lines of two branches are merged one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from conformance.files import read_regular
from conformance.specification.problems import MOST_LISTED, Location, Problem, display_path
from conformance.specification.vocabulary import OBJECT_NAME, SENTENCE_HASH, Sentences

Part = Literal["claims", "errata", "untestable"]
"""The keys of a document whose entries rest on sentences."""
HEADER = (
    "# Written by `conformance docs add`: the sentences of shipped documentation that each entry of a document rests on.\n"
    "# document, key, entry, object whose documentation has the sentence, hash of its words; sorted, with tabs between them\n"
)


@dataclass(frozen=True, order=True)
class Line:
    """A sentence that an entry of a document rests on."""

    document: str
    part: str
    name: str
    """The locator of a claim, or the name of an erratum or of a group of untestable sentences."""
    object: str
    """The dotted name of the object whose documentation has the sentence."""
    sentence: str
    """The hash of its words."""


@dataclass(frozen=True)
class Lock:
    """The lines of a file, each with its number."""

    file: str
    lines: Mapping[Line, int] = field(default_factory=dict)

    @cached_property
    def _sentences(self) -> Mapping[tuple[str, str, str], Sentences]:
        by_entry: dict[tuple[str, str, str], dict[str, tuple[str, ...]]] = {}
        for line in sorted(self.lines):
            of_entry = by_entry.setdefault((line.document, line.part, line.name), {})
            of_entry[line.object] = (*of_entry.get(line.object, ()), line.sentence)
        return by_entry

    def sentences(self, document: str, part: Part, name: str) -> Sentences:
        """The sentences that an entry rests on, by object; empty for one of a captured page."""
        return self._sentences.get((document, part, name), {})

    def locations(self) -> Iterator[tuple[Line, Location]]:
        return ((line, Location(self.file, number)) for line, number in self.lines.items())


def lock_beside(documents: Path) -> Path:
    """The lock file of a file of documents."""
    return documents.with_suffix(".lock")


def read_lock(path: Path) -> tuple[Lock, list[Problem]]:
    """The lines of a lock file, none if there is no file, and the problems of the others."""
    file = display_path(path)
    try:
        text = read_regular(path).decode("utf-8")
    except FileNotFoundError:
        return Lock(file), []
    except UnicodeDecodeError as error:
        return Lock(file), [
            Problem(Location(file), f"not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}")
        ]
    except OSError as error:
        return Lock(file), [Problem(Location(file), f"cannot be read: {error.strerror}")]
    lines: dict[Line, int] = {}
    problems: list[Problem] = []
    for number, written in enumerate(text.split("\n"), start=1):
        if not written or written.startswith("#"):
            continue
        values = written.split("\t")
        line = Line(*values) if len(values) == len(fields(Line)) else None
        fault = _NO_LINE.format(len(values)) if line is None else lock_fault(line)
        if line is not None and fault is None:
            lines.setdefault(line, number)
        elif fault is not None and len(problems) < MOST_LISTED:
            problems.append(Problem(Location(file, number), fault))
    return Lock(file, lines), problems


_NO_LINE = (
    "expected document, key, entry, object and hash with tabs between them, as `conformance docs add` writes them; "
    "found {} fields"
)


def lock_fault(line: Line) -> str | None:
    """What is wrong with a line; None if nothing is."""
    for written in (line.document, line.name):
        if not written.isprintable():
            return f"expected a name on one line and without tabs; found {written[:100]!r}"
    if line.part not in get_args(Part):
        return f"expected one of the keys {', '.join(get_args(Part))}; found {line.part[:100]!r}"
    if not re.search(OBJECT_NAME, line.object):
        return f"expected the dotted name of an object, such as torch.Tensor.scatter_; found {line.object[:100]!r}"
    if not re.search(SENTENCE_HASH, line.sentence):
        return f"expected the hash of a sentence, which `conformance docs` prints; found {line.sentence[:100]!r}"
    return None


def lock_text(lines: Iterable[Line]) -> str:
    """The text of a lock file."""
    return HEADER + "".join("\t".join(astuple(line)) + "\n" for line in sorted({*lines}))
