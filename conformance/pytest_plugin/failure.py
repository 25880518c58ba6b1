"""A failed case as pytest shows it: the account of the report, without a traceback."""

from __future__ import annotations

from dataclasses import dataclass

from _pytest._code.code import (  # what a failure without a traceback consists of has no public name
    ReprEntry,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from conformance.reports.details import details
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import ResultRecord


@dataclass(frozen=True)
class Account:
    """What was called, expected and got, and the commands that repeat it."""

    file: str
    """Of the clause."""
    line: int
    reason: str
    text: str

    def representation(self) -> ReprExceptionInfo:
        """The account in pytest's form: the reason is red, and in the summary at the end."""
        plain = ReprEntry([*self.text.splitlines(), ""], None, None, None, "value")
        red = ReprEntry([f"E   {self.reason}"], None, None, None, "short")
        return ReprExceptionInfo(
            reprtraceback=ReprTraceback([plain, red], None, "short"),
            reprcrash=ReprFileLocation(self.file, self.line, self.reason),
        )


class Diverged(AssertionError):
    """A case failed."""

    def __init__(self, account: Account) -> None:
        super().__init__(account.reason)
        self.account = account


def account_of(results: Results, result: ResultRecord, reason: str, commands: list[str], *, brief: bool) -> Account:
    """brief: leave out what an account of the same clause has said."""
    clause = results.clauses[result.clause]
    text = f"case: {result.case}" if brief else visible(details(results, result))
    repeated = "\n".join(f"  {line}" for line in commands)
    return Account(clause.file or clause.source, clause.line or 1, reason, f"{text}\n\nto repeat it:\n{repeated}")
