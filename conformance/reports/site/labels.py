"""The page's signs, labels and explanations of what can happen, so that nothing is shown by colour only."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.reports.glossary import STANDINGS, VERDICTS, sentence


@dataclass(frozen=True)
class Sort:
    """A sort of result: its sign, label and meaning."""

    name: str
    sign: str
    label: str
    means: str
    briefly: str
    """For the legend of a page."""


_SIGNS = {
    "own": "✗",
    "printed": "✗",
    "portability": "≠",
    "died": "✖",
    "hung": "∞",
    "blocked": "□",
    "observed": "○",
    "unsupported": "",
    "conforms": "✓",
}
_BRIEFLY = {
    "own": "differs from its own documentation",
    "printed": "not the result of a worked example about it",
    "portability": "differs from another API's documentation",
    "died": "ends the process",
    "hung": "hangs",
    "blocked": "nothing can be concluded",
    "observed": "no document says what should happen",
    "unsupported": "no such form, or a dtype that is not documented",
    "conforms": "as documented: by its own document or, where that is silent, by that of another API",
}
_MEANINGS = {**VERDICTS, **STANDINGS}

SORTS = {
    name: Sort(
        name, sign, f"diverges, {name}" if name in STANDINGS else name, sentence(_MEANINGS[name]), _BRIEFLY[name]
    )
    for name, sign in _SIGNS.items()
}
