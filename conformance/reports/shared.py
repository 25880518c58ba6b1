"""What failing calls have in common, in words."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, Finding
from conformance.findings.shared import Shared
from conformance.reports.text import counted


class SharedTexts:
    """Of findings that no ledger explains, what their failing calls share, or all those of their causes on their target; said once."""

    def __init__(self, conclusions: Conclusions) -> None:
        self._shared = conclusions.shared
        self._said: set[tuple[object, ...]] = set()
        self._cause = {id(finding): cause for cause in conclusions.causes for finding in cause.findings}

    def of(self, findings: Sequence[Finding]) -> str | None:
        """Of findings of several APIs that differ in nothing else: ``all 13 have a view; so have 4 of 370 right calls``.

        None if nothing tells the calls from right ones of these APIs, or it was said of them.
        """
        text = self._text_of(findings) if findings[0].known is None else None
        said = (text, *((finding.target, finding.api) for finding in findings))
        if text is None or said in self._said:
            return None
        self._said.add(said)
        return text

    def _text_of(self, findings: Sequence[Finding]) -> str | None:
        together = [one for finding in findings for one in _together(self._cause.get(id(finding)), finding)]
        common = self._shared.of([result for one in together for result in one.results])
        if common is not None:
            whose = "of its cause " if len(findings) == 1 else "of their causes "
            return _text(common, whose if len(together) > len(findings) else "")
        common = self._shared.of([result for finding in findings for result in finding.results])
        return _text(common, "") if common is not None else None


def _together(cause: Cause | None, finding: Finding) -> Sequence[Finding]:
    members = cause.findings if cause is not None else (finding,)
    return [one for one in members if (one.target, one.api) == (finding.target, finding.api)]


def _text(common: Shared, whose: str) -> str:
    right = counted(common.of, "right call")
    others = f"so have {common.right} of {right}" if common.right else f"none of {right} has"
    return f"all {common.failing} {whose}have {' and '.join(common.conditions)}; {others}"
