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
_MEANINGS = {**VERDICTS, **STANDINGS}

SORTS = {
    name: Sort(name, sign, f"diverges, {name}" if name in STANDINGS else name, sentence(_MEANINGS[name]))
    for name, sign in _SIGNS.items()
}
