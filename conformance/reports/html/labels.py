"""The page's words for what can happen, each with a sign and its meaning, so that no colour stands alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sort:
    """One sort of result: its sign, its name and what it means."""

    name: str
    sign: str
    label: str
    means: str


SORTS = {
    sort.name: sort
    for sort in (
        Sort(
            "own",
            "✗",
            "diverges, own",
            "The API does not do what its own official documentation says: a bug in the code or in the text.",
        ),
        Sort(
            "portability",
            "≠",
            "diverges, portability",
            "The API does not do what the document of another API says: no bug, but a trap when porting.",
        ),
        Sort("died", "✖", "died", "The process that made the call was ended, by a signal or by exiting."),
        Sort("hung", "∞", "hung", "The call gave no answer within the time limit."),
        Sort("blocked", "□", "blocked", "The case proves nothing here: the valid call beside it did not work either."),
        Sort(
            "observed", "○", "observed", "No document that applies says what must happen; what did happen is recorded."
        ),
        Sort(
            "unsupported", "", "unsupported", "The API has no such form, for example no reduction or no scalar source."
        ),
        Sort("conforms", "✓", "conforms", "The call did what the cited document says."),
    )
}

ALARMING = ("own", "died", "hung")
"""What is new unless it is a known divergence."""

CELL_ORDER = ("died", "hung", "own", "portability", "blocked", "conforms", "observed", "unsupported")
"""What a cell names first of what its API did: the worst of what could be judged, then what could not."""

DIVERGENCES = {
    "value": "elements differ",
    "shape": "the shape differs",
    "dtype": "the dtype differs",
    "accepted": "the call should have raised and returned",
    "rejected": "the call should have returned and raised",
    "error-type": "another type of exception was raised",
    "input-changed": "an input was changed that should not be, or the other way round",
    "aliased": "the result shares memory with an input",
    "unstable": "the same call gave different results",
    "contaminated": "a case before it, or after it, changed what happened",
}

FAMILIES = {
    "example": "Worked examples of the documents",
    "rule": "Rules: calls that keep one and calls that break it",
    "behaviour": "Behaviours at the edges",
    "relation": "Relations between operations",
}
