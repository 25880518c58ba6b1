"""The models of an export with their cases, which are judged as those of any target are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.execution.attempt import AttemptResult, CallAttempt, History
from conformance.export.index import SCHEMA, ExportedCase, Index
from conformance.export.operators import Operator, operators
from conformance.judging.dtype_claims import dtype_claim
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.model import Died, Hung
from conformance.outcomes.observation import Observation
from conformance.runtimes.program import Program
from conformance.specification.model import Document

INDEXES = ("index.json", "raises.json")


class NotAnExport(Exception):
    """A folder is no whole export; the message says why."""


@dataclass(frozen=True)
class Model:
    """A model of an export."""

    folder: Path
    entry: ExportedCase
    case: Case
    operator: Operator

    @property
    def documented(self) -> str:
        """The API whose documentation says what the model does."""
        return f"onnx.{self.entry.operator}"

    @property
    def dtype(self) -> str | None:
        """Of the expected result."""
        expectation = self.case.expectation
        return expectation.value.dtype if isinstance(expectation, Returning) else None

    def run(self, program: Program, api: str) -> AttemptResult:
        """Run it, with its control before it, and judge what happened; api: the name of the operator in the runtime."""
        control = self.entry.control
        before = program.run(self.folder.parent.parent / control, None).outcome if control is not None else None
        if isinstance(before, Died | Hung):
            observation = Observation(before, control_before=before.status, on_control=True)
        else:
            observation = program.run(self.folder, self.dtype)
            observation = Observation(
                observation.outcome, observation.result, observation.seconds, before.status if before else None
            )
        case = self.case
        claim = dtype_claim(case, self.operator.described, composed=False, promised=self.operator.promised)
        subject = Subject("own", None, immutable=True, copies=True, dtype_claim=claim if case.dtypes_tested else None)
        attempt = CallAttempt(case, api, subject, case.call, {}, case.control)
        return AttemptResult(attempt, observation, judge(case, subject, observation), History([], 0))


def read_indexes(folder: Path) -> list[Index]:
    """The indexes of an export; NotAnExport if one is missing or of another form."""
    found = []
    for name in INDEXES:
        try:
            index = TypeAdapter(Index).validate_json((folder / name).read_bytes())
        except OSError as error:
            raise NotAnExport(f"{folder}: no whole export of `export onnx`: {name}: {error.strerror}") from None
        except ValidationError as error:
            text = error.errors()[0]["msg"]
            raise NotAnExport(f"{folder / name}: no index of `export onnx`: {text}") from None
        if index.schema != SCHEMA:
            raise NotAnExport(f"{folder / name}: has schema {index.schema}; this version of the suite reads {SCHEMA}")
        found.append(index)
    return found


def models(
    folder: Path, indexes: Iterable[Index], cases: Mapping[str, Case], documents: Iterable[Document]
) -> Iterator[Model]:
    """The models of an export whose cases are given, in their order."""
    by_opset: dict[int, dict[str, Operator]] = {}
    documents = [*documents]
    for index in indexes:
        for entry in index.cases:
            case = cases.get(entry.case)
            if case is None:
                continue
            if entry.opset not in by_opset:
                by_opset[entry.opset] = operators(entry.opset, documents)
            yield Model(folder / entry.folder, entry, case, by_opset[entry.opset][case.operation.name])
