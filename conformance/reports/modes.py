"""What reports of text say where modes or devices disagree, and what expensive modes were not tried on."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.findings.behaviour import contrasted
from conformance.findings.disagreements import Disagreement, disagreements
from conformance.reports.text import counted, one_line
from conformance.results.file import Results

TITLES = {"modes": "Modes disagree", "devices": "Devices disagree"}
_LEFT_OUT = {
    "draws": ("draw", ""),
    "dtypes": ("derived case", " in other dtypes"),
    "views": ("derived case", " with views"),
}


def disagreement_sections(results: Results) -> Iterator[tuple[str, list[Disagreement]]]:
    """``Modes disagree`` and ``Devices disagree``, each with what it is about; what nobody disagrees on is left out."""
    found = disagreements(results)
    for kind, title in TITLES.items():
        some = [one for one in found if one.kind == kind]
        if some:
            yield title, some


def heading_of(one: Disagreement) -> str:
    """``torch==2.13.0@cpu, torch==2.13.0[compile]@cpu  torch.gather``."""
    return f"{', '.join(map(one_line, one.targets))}  {one_line(one.api)}"


def lines_of(one: Disagreement) -> Iterator[str]:
    """The clause with how often they disagree and in what, then what each did in the first case."""
    cases = f"{len(one.cases)} of {counted(one.of, 'case')}"
    yield f"{one_line(one.clause)}: {', '.join(one.aspects)} in {cases}"
    was, now = contrasted(*one.example)
    yield one_line(f"{one.cases[0]}: {was}, and {now}", 200)


def left_out_texts(results: Results) -> list[str]:
    """For each target in a expensive mode, how many cases it was not tried on: a sentence that begins with its id."""
    texts = []
    for target in results.targets:
        words = [(count, *_LEFT_OUT.get(why, ("case", f" ({why})"))) for why, count in target.left_out.items()]
        parts = [counted(count, noun) + which for count, noun, which in words]
        if parts:
            texts.append(f"{one_line(target.id)} was not tried on {', '.join(parts)}: its mode is expensive.")
    return texts
