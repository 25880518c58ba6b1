"""Results of three targets that agree on some calls and not on others, few enough to be judged by eye."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.outcomes.model import Died, Error, Outcome, Raised, Returned, Unsupported
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, EndRecord, MappingRecord, ResultRecord, RunRecord, TargetRecord
from tests.findings.test_recorded_call import record

NAMES = {"torch": "torch.index", "tensorflow": "tf.gather_nd", "mindspore": "mindspore.ops.gather_nd"}
TARGETS = {name: f"{name}==1.0@cpu" for name in NAMES}
OTHER_API = "torch.take"
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({"int32": [[0], [1]]}, "aaa"),
    "twice": ({"int32": [[1], [1]]}, "aaa"),
    "below-zero": ({"int32": [[-1], [0]]}, "arr"),
    "past-the-length": ({"int32": [[5], [0]]}, "rrd"),
    "at-the-length": ({"int32": [[2], [0]]}, "rrr"),
    "in-int16": ({"int16": [[0], [1]]}, "Aru"),
    "in-int64": ({"int64": [[0], [1]]}, "aab"),
    "in-uint8": ({"uint8": [[0], [1]]}, "Aaa"),
    "in-int8": ({"int8": [[0], [1]]}, "aa."),
}
OUTCOMES: dict[str, Outcome] = {
    "r": Raised(Error("IndexError", "<b>outside</b>")),
    "d": Died(signal="SIGABRT"),
    "u": Unsupported("no int16"),
}


def _outcome(letter: str) -> Outcome:
    return OUTCOMES.get(letter.lower(), Returned("int32", (2,), letter.lower(), [1, 2]))


def _cast(letter: str) -> dict[str, str]:
    return {"indices": "int64"} if letter.isupper() else {}


def results_in_modes(count: int) -> Results:
    """The same, with further modes of torch; in the last one, an index past the end ends the process."""
    results = results_to_port()
    torch = next(target for target in results.targets if target.id == TARGETS["torch"])
    modes = {f"mode-{number}": f"torch==1.0[mode-{number}]@cpu" for number in range(count)}
    own = [result for result in results.results if result.target == torch.id]
    return replace(
        results,
        targets=[*results.targets, *(replace(torch, id=name, mode=mode) for mode, name in modes.items())],
        mappings=[*results.mappings, *(replace(results.mappings[0], target=name) for name in modes.values())],
        results=[*results.results, *(_in_mode(result, name, count - 1) for name in modes.values() for result in own)],
    )


def _in_mode(result: ResultRecord, target: str, dying: int) -> ResultRecord:
    dies = target == f"torch==1.0[mode-{dying}]@cpu" and result.case.endswith("/at-the-length")
    return replace(result, target=target, outcome=OUTCOMES["d"] if dies else result.outcome)


def results_to_port() -> Results:
    clause = ClauseRecord("gather_nd.rule.all", "gather_nd", "rule", "Everything is taken.", [], "specs/it.yaml:1")
    call = record("gather_nd", params={"int32": [7, 8]}, indices={"int32": [[0]]})
    cases = {
        f"{clause.id}/{name}": replace(
            record("gather_nd", params=call.call["params"], indices=indices),
            id=f"{clause.id}/{name}", clause=clause.id, operation="gather_nd", expectation={"observed": "nobody says"},
        )
        for name, (indices, _) in CALLS.items()
    }  # fmt: skip
    mappings = [
        MappingRecord(TARGETS[name], api, "gather_nd", False, f"def gather_nd(): {api}") for name, api in NAMES.items()
    ]
    results = [
        ResultRecord(f"{clause.id}/{name}", TARGETS[of], api, clause.id, _outcome(letters[at]), "observed", "portability",
                     cast=_cast(letters[at]),
                     behaviour="wraps-negative" if (name, of) == ("below-zero", "torch") else None)
        for name, (_, letters) in CALLS.items()
        for at, (of, api) in enumerate(NAMES.items())
        if letters[at] != "."
    ]  # fmt: skip
    other = [
        replace(one, api=OTHER_API, outcome=_outcome("u"), cast={}) for one in results if one.api == NAMES["torch"]
    ]
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run", 7, "f00d", "0.1.0"),
        targets=[TargetRecord(one, name, "1.0", "cpu", "eager", title=name.title()) for name, one in TARGETS.items()],
        clauses={clause.id: clause},
        cases=cases,
        mappings=[*mappings, replace(mappings[0], api=OTHER_API)],
        results=[*results, *other],
        end=EndRecord(True, {}),
    )


def results_of_frameworks(count: int, blocked: int = 0) -> Results:
    """The same calls of other frameworks, each of which does what torch does; the last ones did not start."""
    results, torch = results_to_port(), TARGETS["torch"]
    names = {f"{name}==1.0@cpu": name for name in (f"frame{number}" for number in range(count))}
    started = list(names)[: count - blocked]
    return replace(
        results,
        targets=[
            TargetRecord(target, name, "1.0", "cpu", "eager", blocked=None if target in started else "It is not there.")
            for target, name in names.items()
        ],
        mappings=[
            MappingRecord(target, f"{names[target]}.index", "gather_nd", False, "def call(): ...") for target in started
        ],
        results=[
            replace(result, target=target, api=f"{names[target]}.index")
            for target in started
            for result in results.results
            if (result.target, result.api) == (torch, NAMES["torch"])
        ],
    )


def results_of_many_apis(operations: int, apis: int) -> Results:
    """The same calls of more operations, on more APIs of each."""
    one = results_to_port()
    names = [f"gather_nd_{number}" for number in range(operations)]
    [clause] = one.clauses.values()

    def renamed(text: str, name: str) -> str:
        return text.replace("gather_nd", name, 1)

    cases = [
        replace(case, id=renamed(case.id, name), clause=renamed(clause.id, name), operation=name)
        for name in names
        for case in one.cases.values()
    ]
    mappings = [mapping for mapping in one.mappings if mapping.api != OTHER_API]
    results = [result for result in one.results if result.api != OTHER_API]
    return replace(
        one,
        clauses={of.id: of for of in (replace(clause, id=renamed(clause.id, name), operation=name) for name in names)},
        cases={case.id: case for case in cases},
        mappings=[
            replace(mapping, api=f"{mapping.api}_{number}", operation=name)
            for name in names
            for mapping in mappings
            for number in range(apis)
        ],
        results=[
            replace(
                result,
                case=renamed(result.case, name),
                clause=renamed(clause.id, name),
                api=f"{result.api}_{number}",
            )
            for name in names
            for result in results
            for number in range(apis)
        ],
    )
