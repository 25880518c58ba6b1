"""What failing calls have in common, in words."""

from __future__ import annotations

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, Finding
from conformance.findings.shared import Shared
from conformance.reports.text import counted


class SharedTexts:
    """Of each finding that no ledger explains, what its failing calls share, or all those of its cause on its target; said once."""

    def __init__(self, conclusions: Conclusions) -> None:
        self._shared = conclusions.shared
        self._said: set[tuple[str, str, str]] = set()
        self._cause = {id(finding): cause for cause in conclusions.causes for finding in cause.findings}

    def of(self, finding: Finding) -> str | None:
        """``all 13 have a view; so have 4 of 370 right calls``; None if nothing tells them from right calls, or it was said."""
        text = self._text_of(finding) if finding.known is None else None
        if text is None or (finding.target, finding.api, text) in self._said:
            return None
        self._said.add((finding.target, finding.api, text))
        return text

    def _text_of(self, finding: Finding) -> str | None:
        cause = self._cause.get(id(finding))
        together = _together(cause, finding) if cause is not None else (finding,)
        common = self._shared.of([result for one in together for result in one.results])
        if common is not None:
            return _text(common, "of its cause " if len(together) > 1 else "")
        common = self._shared.of(finding.results)
        return _text(common, "") if common is not None else None


def _together(cause: Cause, finding: Finding) -> tuple[Finding, ...]:
    return tuple(one for one in cause.findings if (one.target, one.api) == (finding.target, finding.api))


def _text(common: Shared, whose: str) -> str:
    right = counted(common.of, "right call")
    others = f"so have {common.right} of {right}" if common.right else f"none of {right} has"
    return f"all {common.failing} {whose}have {' and '.join(common.conditions)}; {others}"
