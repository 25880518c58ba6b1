"""What the pages of the site share: the APIs, what each does in each situation, and what was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from conformance.findings.behaviour import varies, was_called
from conformance.findings.behaviours import REFERENCE, Behaviour, rank
from conformance.findings.conclusions import Conclusions
from conformance.findings.disagreements import Compared
from conformance.findings.extent import Absence, Extent, Gap, is_for_some
from conformance.findings.findings import Cause
from conformance.findings.sentences import version_of
from conformance.findings.situations import INDEX_DTYPE, LAST, Situation
from conformance.outcomes.model import NotExported, Unsupported
from conformance.reports.site.addresses import Addresses
from conformance.reports.site.pictures import picture
from conformance.reports.text import counted
from conformance.results.records import CaseRecord, MappingRecord, ResultRecord, TargetRecord, documents_device
from conformance.results.variations import LEFT_OUT, WrittenRecord

_ABSENCES: Mapping[Absence, str] = {
    "deselected": "deselected",
    "blocked": "blocked",
    "unconfirmed": "not confirmed",
    "arguments": "no such arguments",
    "unsupported": "no such form",
    "silent": "does not tell",
}
FEW_ELEMENTS = 12
"""Of a call that is easily read."""
NO_KERNEL = "no kernel"
"""Why nothing is called on a device for which the framework has no kernel."""


@dataclass(frozen=True)
class Api:
    """An API of a framework, on all its targets."""

    framework: str
    name: str
    operations: tuple[str, ...]
    targets: tuple[TargetRecord, ...]
    """The default mode first, and of a mode the newest version first; never empty."""

    @property
    def newest(self) -> TargetRecord:
        return self.targets[0]

    @property
    def title(self) -> str:
        return self.newest.title or self.framework


@dataclass(frozen=True)
class Ran:
    """What of an operation was run on an API of a target."""

    calls: int
    cases: int
    """Those of the results file that concern the API on the target's device."""
    unsupported: int
    blocked: int
    left_out: str
    """Which cases an expensive mode skips, with their number; or empty."""
    why_missing: str
    """Why the others have no result: ``left out``."""
    commands: tuple[str, ...]
    """The commands of the runs, whose options select cases."""

    @property
    def missing(self) -> int:
        """The number of cases without a result."""
        return self.cases - self.calls - self.unsupported - self.blocked

    @property
    def is_selective(self) -> bool:
        """Whether options of the commands select cases, so that others have no result."""
        return self.missing > 0 and self.why_missing != NO_KERNEL


@dataclass(frozen=True)
class Repeated:
    """What became of calls with duplicate indices that were repeated in fresh processes."""

    same: int
    """The number of those that gave the same bits each time."""
    varying: Sequence[ResultRecord]
    times: tuple[int, int]
    """The fewest and the most times that one was made."""
    threads: int | None

    @property
    def calls(self) -> int:
        return self.same + len(self.varying)

    @property
    def text(self) -> str:
        """How often each call was made: ``each made 11 to 30 times, with 2 threads``."""
        fewest, most = self.times
        times = counted(most, "time") if fewest == most else f"{fewest} to {most} times"
        threads = f", with {counted(self.threads, 'thread')}" if self.threads else ""
        return f"each made {times}{threads}"


@dataclass
class _Counts:
    calls: int = 0
    unsupported: int = 0
    blocked: int = 0
    of_some: int = 0
    """Those of cases that only some APIs and modes have."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The conclusions from a results file, by API, operation and situation."""

    conclusions: Conclusions
    _situations: dict[str, tuple[Situation, ...]] = field(default_factory=dict)

    @cached_property
    def targets(self) -> Mapping[str, TargetRecord]:
        return self.conclusions.table.targets

    @cached_property
    def mappings(self) -> Mapping[tuple[str, str, str], MappingRecord]:
        """By target, API and operation."""
        records = self.conclusions.results.mappings
        return {(record.target, record.api, record.operation): record for record in records}

    @cached_property
    def apis(self) -> Mapping[str, Api]:
        """By name; framework by framework, in the order of the targets."""
        table = self.conclusions.table
        found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        keys = [(mapping.target, mapping.api, mapping.operation) for mapping in table.results.mappings]
        keys += [(target, api, table.operation(members[0])) for (target, api, _), members in table.cells.items()]
        for target, api, operation in dict.fromkeys(keys):
            operations, targets = found.setdefault(api, ({}, {}))
            operations[operation] = targets[target] = None
        apis = [_api(name, tuple(of), [self.targets[target] for target in on]) for name, (of, on) in found.items()]
        frameworks = list(self.all_frameworks)
        return {api.name: api for api in sorted(apis, key=lambda api: frameworks.index(api.framework))}

    @cached_property
    def operations(self) -> Mapping[str, tuple[Api, ...]]:
        """Each operation with its APIs, by name."""
        found: dict[str, list[Api]] = {}
        for clause in self.conclusions.results.clauses.values():
            found.setdefault(clause.operation, [])
        for api in self.apis.values():
            for operation in api.operations:
                found.setdefault(operation, []).append(api)
        return {operation: tuple(found[operation]) for operation in sorted(found)}

    @cached_property
    def addresses(self) -> Addresses:
        documents = dict.fromkeys(
            [record.document for record in self.conclusions.results.claims]
            + [cited.document for clause in self.conclusions.results.clauses.values() for cited in clause.citations]
        )
        causes = [cause.id for cause in self.conclusions.causes]
        situations = [situation.name for situation in self.shown_situations]
        return Addresses(self.apis, self.operations, causes, documents, self.modes, situations)

    @cached_property
    def modes(self) -> Mapping[str, Compared]:
        """By its id, each target that is compared with the one in the default mode, or with the first."""
        return {pair.second.id: pair for pair in self.conclusions.compared if pair.kind == "modes"}

    @cached_property
    def does(self) -> Mapping[tuple[str, str, str], Mapping[Situation, Sequence[Behaviour]]]:
        """By API, operation and target: by situation, a behaviour for each verb."""
        found: dict[tuple[str, str, str], dict[Situation, list[Behaviour]]] = {}
        for each in self.conclusions.behaviours:
            key = (each.api, each.operation, each.target)
            found.setdefault(key, {}).setdefault(each.situation, []).append(each)
        return found

    def situations(self, operation: str) -> tuple[Situation, ...]:
        """The situations of the calls of an operation, in the order of rows."""
        if operation not in self._situations:
            found = {each.situation for each in self.conclusions.behaviours if each.operation == operation}
            self._situations[operation] = tuple(sorted(found, key=rank))
        return self._situations[operation]

    def plainest_case(self, operation: str) -> CaseRecord | None:
        """The call that shows best what an operation does: an example of a document, of a few elements that are all drawn."""
        results = self.conclusions.results
        found: list[tuple[tuple[bool, bool, int], CaseRecord]] = []
        for case in self.conclusions.table.of_operation.get(operation, ()):
            is_written = isinstance(case.variation, WrittenRecord) and "returns" in case.expectation
            shown = picture(case) if is_written else None
            if shown is None or any(part["cells"] is None for part in shown["parts"]):
                continue
            clause = results.clauses.get(case.clause)
            elements = sum(len(part["cells"]) for part in shown["parts"])
            is_example = clause is not None and clause.family == "example"
            found.append(((not is_example, not shown["moves"], abs(elements - FEW_ELEMENTS)), case))
        return min(found, key=lambda one: one[0])[1] if found else None

    def columns(self, operation: str) -> list[tuple[Situation, ...]]:
        """The situations of an operation by column of its table: all that are about the dtype of indices are one."""
        groups = groupby(self.situations(operation), lambda each: each.of if each.of == INDEX_DTYPE else each.name)
        return [tuple(members) for _, members in groups]

    @cached_property
    def shown_situations(self) -> tuple[Situation, ...]:
        """The situations that have a page, in the order of rows: those in which something is unusual about the call."""
        return tuple(sorted(self.of_situation, key=rank))

    @cached_property
    def of_situation(self) -> Mapping[Situation, Mapping[str, Sequence[tuple[Api, Sequence[Behaviour]]]]]:
        """For each situation that has a page, by operation: each API that does anything there in its newest version, and what."""
        found: dict[Situation, dict[str, list[tuple[Api, Sequence[Behaviour]]]]] = {}
        for operation, apis in self.operations.items():
            for api in apis:
                for situation, behaviours in self.does.get((api.name, operation, api.newest.id), {}).items():
                    if situation not in LAST:
                        found.setdefault(situation, {}).setdefault(operation, []).append((api, behaviours))
        return found

    @property
    def grouped_situations(self) -> list[tuple[Situation, ...]]:
        """Those that have a page, each with its special forms."""
        return [tuple(members) for _, members in groupby(self.shown_situations, lambda each: each.of)]

    @cached_property
    def _gaps(self) -> Mapping[tuple[str, str, str, Situation], Gap]:
        return {(gap.target, gap.api, gap.operation, gap.situation): gap for gap in self.conclusions.gaps}

    def nothing(self, api: str, operation: str, target: str, situation: Situation) -> str:
        """Why no call of an API tells what it does in a situation."""
        if not self.has(api, operation, target):
            return "no such API"
        if self._lacks_kernel(api, operation, target):
            return NO_KERNEL
        gap = self._gaps.get((target, api, operation, situation))
        return "no such call" if gap is None else _ABSENCES[max(gap.absences, key=lambda why: len(gap.absences[why]))]

    @cached_property
    def _counts(self) -> Mapping[tuple[str, str, str], _Counts]:
        table = self.conclusions.table
        counts: dict[tuple[str, str, str], _Counts] = {}
        for result in table.results.results:
            of_api = counts.setdefault((result.target, result.api, table.operation(result)), _Counts())
            of_api.of_some += result.case in self._of_some
            if was_called(result):
                of_api.calls += 1
            elif isinstance(result.outcome, Unsupported | NotExported):
                of_api.unsupported += 1
            else:
                of_api.blocked += 1
        return counts

    @cached_property
    def _cases(self) -> Counter[tuple[str, str | None]]:
        cases = self.conclusions.results.cases.values()
        common = [case for case in cases if not (case.is_counterexample or case.id in self._of_some)]
        return Counter((case.operation, case.device) for case in common)

    @cached_property
    def _of_some(self) -> frozenset[str]:
        """The cases that only some APIs and modes have."""
        results = self.conclusions.results
        return frozenset(case.id for case in results.cases.values() if is_for_some(results, case))

    def _lacks_kernel(self, api: str, operation: str, target: str) -> bool:
        mapping = self.mappings.get((target, api, operation))
        return mapping is not None and mapping.lacks_kernel

    def repeated(self, api: str, operation: str, target: str) -> Repeated | None:
        """Whether an API gives the same bits each time; None if no call of it was repeated."""
        results = self._repeated.get((target, api, operation), ())
        made = [result.determinism for result in results if result.determinism]
        if not made:
            return None
        times = [each.repeats for each in made]
        varying = [result for result in results if varies(result)]
        return Repeated(len(results) - len(varying), varying, (min(times), max(times)), made[0].threads)

    def parts(self, api: Api, operation: str) -> set[str]:
        """The ids of those parts of the page of an API that not every page has."""
        key = api.name, operation
        repeated = any(self.repeated(*key, target.id) for target in api.targets)
        has_rows = any(self.does.get((*key, target.id)) for target in api.targets)
        found = {"determinism"} if repeated and has_rows else set()
        return found | {part for part, keys in self._with_parts.items() if key in keys}

    @cached_property
    def _with_parts(self) -> Mapping[str, set[tuple[str, str]]]:
        """By part of a page, the APIs with their operations that have it."""
        dtypes, transforms = self.conclusions.dtypes, self.conclusions.transforms
        return {
            "dtypes": {(each.api, each.operation) for each in dtypes if each.word != "silent"},
            "derivatives": {(each.api, each.operation) for each in transforms if each.word != "silent"},
        }

    @cached_property
    def _repeated(self) -> Mapping[tuple[str, str, str], Sequence[ResultRecord]]:
        """By target, API and operation."""
        table = self.conclusions.table
        found: dict[tuple[str, str, str], list[ResultRecord]] = {}
        for result in table.results.results:
            if result.determinism:
                found.setdefault((result.target, result.api, table.operation(result)), []).append(result)
        return found

    def has(self, api: str, operation: str, target: str) -> bool:
        """Whether a target has the API for an operation."""
        key = (target, api, operation)
        return key in self.mappings or key in self._counts

    def ran(self, api: str, operation: str, target: str) -> Ran:
        """What of an operation was run."""
        record = self.targets[target]
        counts = self._counts.get((target, api, operation), _Counts())
        device = documents_device(record.device, gpu=record.gpu)
        cases = self._cases[operation, None] + (self._cases[operation, device] if device else 0) + counts.of_some
        left_out = ", ".join(LEFT_OUT[what].counted(number) for what, number in record.too_expensive.items() if number)
        why = NO_KERNEL if self._lacks_kernel(api, operation, target) else "left out" if left_out else "deselected"
        return Ran(
            counts.calls, cases, counts.unsupported, counts.blocked, left_out, why, self.extents[target].commands
        )

    @cached_property
    def extents(self) -> Mapping[str, Extent]:
        """What was run on each target."""
        return {extent.target: extent for extent in self.conclusions.extents}

    @cached_property
    def causes_of(self) -> Mapping[str, Sequence[Cause]]:
        """By API, the causes of what is wrong with it."""
        found: dict[str, list[Cause]] = {}
        for cause in self.conclusions.causes:
            for api in cause.apis:
                found.setdefault(api, []).append(cause)
        return found

    @cached_property
    def scripts(self) -> Mapping[tuple[str, str, str], ResultRecord]:
        """By target, API and operation, a call that does what is documented and has a script."""
        table = self.conclusions.table
        return {
            (result.target, result.api, table.operation(result)): result
            for result in table.results.results
            if result.script and result.verdict == "conforms"
        }

    @cached_property
    def all_frameworks(self) -> Mapping[str, tuple[TargetRecord, ...]]:
        """Each framework with its targets, in the order of the file; the suite's own reference is the last."""
        found: dict[str, list[TargetRecord]] = {}
        for target in sorted(self.targets.values(), key=lambda target: target.framework == REFERENCE):
            found.setdefault(target.framework, []).append(target)
        return {framework: tuple(targets) for framework, targets in found.items()}

    @cached_property
    def frameworks(self) -> Mapping[str, tuple[TargetRecord, ...]]:
        """The same without the suite's own reference, if there are others."""
        others = {name: targets for name, targets in self.all_frameworks.items() if name != REFERENCE}
        return others or self.all_frameworks


def _api(name: str, operations: tuple[str, ...], targets: Sequence[TargetRecord]) -> Api:
    newest = sorted(targets, key=lambda target: version_of(target.version), reverse=True)
    ordered = sorted(newest, key=lambda target: (target.blocked is not None, not target.default_mode, target.device))
    return Api(ordered[0].framework, name, operations, tuple(ordered))
