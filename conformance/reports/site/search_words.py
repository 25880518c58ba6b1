"""What the search finds: operations, situations, APIs, ports, modes, changes and kinds of findings, each with other words that readers use for it.

Most words follow from the results: what arguments an API takes, such as ``reduce=amax``, and the situations of its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.findings.behaviour import was_called
from conformance.findings.findings import Danger
from conformance.findings.sentences import release
from conformance.findings.situations import (
    ARGUMENTS,
    BELOW_ZERO,
    BROADCAST,
    DEPTH_ZERO,
    EMPTY_AXIS,
    FAR_OUTSIDE,
    INDEX_DTYPE,
    MIXED_DTYPES,
    NEGATIVE_AXIS,
    NO_AXES,
    NO_INDICES,
    NON_FINITE,
    PAST_THE_END,
    RESHAPED,
    SHORTER_INDEX,
    SUBNORMAL,
    TOO_FEW,
    TOO_MANY,
    TWICE,
    USUAL,
    Situation,
    choices,
)
from conformance.reports.site.addresses import PAGE, anchor, place_in_list
from conformance.reports.site.facts import Api, Facts
from conformance.reports.site.port_page import Ports
from conformance.reports.wording import DANGERS, by_danger

OF_OPERATIONS: Mapping[str, str] = {
    "advanced_index_get": "x[i, j] x[mask] x[idx] fancy advanced indexing boolean mask subscript slice getitem",
    "advanced_index_set": "x[i, j] = v x[mask] = v x[idx] = v fancy advanced indexing boolean mask assignment setitem",
    "basic_index_get": "x[1:] x[::-1] x[0] x[..., i] x[None] x[1:, None, True] slice basic indexing subscript getitem newaxis ellipsis",
    "basic_index_set": "x[1:] = v x[::-1] = v x[0] = v x[...] = v slice basic indexing assignment setitem slice_scatter",
    "diagonal_scatter": "diagonal fill_diagonal trace set_diag band",
    "dynamic_slice": "window narrow slice_in_dim crop clamp start",
    "dynamic_update_slice": "window slice_update update_slice_in_dim cache clamp start",
    "batched_gather_nd": "batch_dims batched",
    "batched_index_select": "batch_dims batched embedding lookup",
    "gather_elements": "take_along_axis take_along_dim gather pick along axis",
    "gather_nd": "x[i, j] index vectors coordinates",
    "index_add": "accumulate sum rows embedding gradient",
    "index_copy": "write assign rows",
    "index_fill": "fill rows constant",
    "index_reduce": "rows maximum minimum product mean",
    "index_select": "embedding lookup rows take x[idx]",
    "masked_fill": "mask boolean where x[mask] = 0 attention padding",
    "masked_scatter": "mask boolean x[mask] = v",
    "masked_select": "mask boolean x[mask] boolean_mask compress filter nonzero",
    "put": "flat indices x.flat[i] = v assign",
    "scatter_elements": "put_along_axis scatter_add scatter_reduce one-hot onehot histogram",
    "scatter_nd": "index vectors zeros",
    "segment_reduce": "sorted segments groups ragged pooling",
    "split_reduce": "offsets lengths ragged segments pooling split",
    "take": "flat indices x.flat[i] lookup",
    "take_into": "out= preallocated output",
    "take_into_view": "out= view strided gaps non-contiguous output masked_select compress",
    "tensor_scatter_nd_add": "x.at[i].add(v) np.add.at accumulate index_put accumulate=True",
    "tensor_scatter_nd_reduce": "x.at[i].max(v) maximum minimum product",
    "tensor_scatter_nd_update": "x.at[i].set(v) x[i, j] = v index_put assign",
    "typed_gather": "variable resource handle dtype",
    "unsorted_segment_reduce": "group by groupby segments pooling",
}
OF_SITUATIONS: Mapping[str, str] = {
    PAST_THE_END.name: "out of bounds out of range too large equal to the length IndexError overflow",
    BELOW_ZERO.name: "negative indices -1 minus one below zero from the end wraps out of bounds",
    FAR_OUTSIDE.name: "out of bounds out of range too large overflow huge",
    TWICE.name: "duplicates duplicate indices repeated index twice collision order last wins accumulate race deterministic unique",
    SHORTER_INDEX.name: "smaller index shape broadcast",
    TOO_FEW.name: "short source updates shape mismatch",
    TOO_MANY.name: "long source updates shape mismatch",
    BROADCAST.name: "broadcasting source shape mismatch",
    RESHAPED.name: "source shape mismatch",
    NO_INDICES.name: "empty index zero indices",
    EMPTY_AXIS.name: "empty tensor zero size",
    DEPTH_ZERO.name: "empty index vectors rank 0",
    NO_AXES.name: "scalar 0-d rank 0 zero-dimensional",
    NEGATIVE_AXIS.name: "negative dim axis -1",
    MIXED_DTYPES.name: "type promotion mixed cast",
    NON_FINITE.name: "nan inf infinity",
    SUBNORMAL.name: "denormal subnormal flush to zero",
    INDEX_DTYPE: "dtype of indices index type integer",
    USUAL.name: "ordinary valid call",
    ARGUMENTS.name: "in place mutates overwrites input changed aliasing",
}
PARTS: Mapping[str, tuple[str, str]] = {
    "dtypes": (
        "dtypes",
        "dtype bool int8 int16 int32 int64 uint8 float16 half bfloat16 float32 float64 double complex64 complex128 fp8",
    ),
    "derivatives": ("derivatives and batches", "gradient grad backward autograd vjp jvp vmap batched differentiable"),
    "determinism": ("the same bits each time", "deterministic determinism reproducible race nondeterministic"),
}
"""Other parts of the page of an API: id to title and other words."""
ELSEWHERE = "elsewhere"
"""The id of the part about other frameworks, whose names are its other words."""
OF_DANGERS: Mapping[Danger, str] = {
    "varies": "flaky nondeterministic race unstable random order",
    "ends": "crash crashes die dies death abort aborts segfault SIGSEGV SIGABRT kills hang timeout",
    "outside": "out of bounds memory uninitialised garbage buffer overflow",
    "internal": "internal assert",
    "wrong": "silent silently incorrect values",
    "differs": "silent silently",
    "accepts": "invalid no error",
    "refuses": "rejects valid error",
    "error": "exception type",
}
MOST_CHOICES = 24
"""Words that an API has for the arguments that it takes."""


Choices = Mapping[tuple[str, str], list[str]]
"""By API and operation, the words and keys that it takes: ``amax``, ``x[i, :, j]``."""


def names(facts: Facts, ports: Ports) -> dict[str, Any]:
    """``Names`` of ``page.d.ts``."""
    situations = facts.shown_situations
    numbers = {situation: number for number, situation in enumerate(situations)}
    taken = _choices(facts)
    found = (_operations(facts, taken), _situations(facts), _apis(facts, ports, numbers, taken), _ports(facts, ports))
    others = (_dangers(facts), _modes(facts), _changes(facts))
    return {
        "names": [name for names in (*found, *others) for name in names],
        "situations": [
            *([each.title, _words_of(each), anchor(each.title)] for each in situations),
            *([title, words, part] for part, (title, words) in PARTS.items()),
            ["in other frameworks", f"{_frameworks(facts)} port replace instead equivalent", ELSEWHERE],
        ],
    }


def _frameworks(facts: Facts) -> str:
    return " ".join(f"{name} {targets[0].title or ''}" for name, targets in facts.frameworks.items())


def _words_of(situation: Situation) -> str:
    return OF_SITUATIONS.get(situation.of, "")


def _operations(facts: Facts, taken: Choices) -> Iterator[list[Any]]:
    for operation, apis in facts.operations.items():
        words = dict.fromkeys(word for api in apis for word in taken.get((api.name, operation), ()))
        text = " ".join([OF_OPERATIONS.get(operation, ""), *list(words)[:MOST_CHOICES]])
        yield [operation, "operation", facts.addresses.operation(operation), text.strip()]


def _situations(facts: Facts) -> Iterator[list[Any]]:
    for situation in facts.shown_situations:
        yield [situation.title, "situation", facts.addresses.situation(situation), _words_of(situation)]


def _apis(facts: Facts, ports: Ports, numbers: Mapping[Situation, int], taken: Choices) -> Iterator[list[Any]]:
    for api in facts.apis.values():
        words = dict.fromkeys(word for operation in api.operations for word in taken.get((api.name, operation), ()))
        rows = list(_rows(facts, ports, api, numbers))
        text = " ".join([*(OF_OPERATIONS.get(name, "") for name in api.operations), *list(words)[:MOST_CHOICES]])
        yield [api.name, api.title, facts.addresses.api(api.name), text.strip(), rows]


def _rows(facts: Facts, ports: Ports, api: Api, numbers: Mapping[Situation, int]) -> Iterator[list[Any]]:
    """Of each operation, the prefix of the ids of its rows on the page, and the numbers of its situations."""
    for operation in api.operations:
        prefix = f"{anchor(operation)}-" if len(api.operations) > 1 else ""
        found = {
            situation for target in api.targets for situation in facts.does.get((api.name, operation, target.id), ())
        }
        of_api = sorted(numbers[situation] for situation in found if situation in numbers)
        parts = facts.parts(api, operation)
        of_api += [len(numbers) + number for number, part in enumerate(PARTS) if part in parts]
        of_api += [len(numbers) + len(PARTS)] if ports.elsewhere(api, operation) else []
        if of_api:
            yield [prefix, of_api]


def _ports(facts: Facts, ports: Ports) -> Iterator[list[Any]]:
    titles = {framework: targets[0].title or framework for framework, targets in facts.frameworks.items()}
    for first, second in ports.pairs:
        yield [
            f"from {titles[first]} to {titles[second]}",
            "porting",
            facts.addresses.port(first, second),
            f"{first} {second} port migrate convert instead",
        ]


def _dangers(facts: Facts) -> Iterator[list[Any]]:
    for danger, causes in by_danger(facts.conclusions.causes):
        first = next((cause for cause in causes if cause.is_alarming), causes[0])
        yield [DANGERS[danger], "findings", place_in_list(first), OF_DANGERS[danger]]


def _modes(facts: Facts) -> Iterator[list[Any]]:
    for target, pair in facts.modes.items():
        words = f"{pair.second.framework} compile compiled graph differs {pair.first.mode}"
        title = f"{pair.second.title or pair.second.framework} {release(pair.second)}, {pair.second.mode}"
        yield [title, "mode", facts.addresses.mode(target), words]


def _changes(facts: Facts) -> Iterator[list[Any]]:
    titles = {timeline.framework: timeline.title for timeline in facts.conclusions.timelines}
    for framework, title in titles.items():
        words = f"{framework} changed version upgrade update release since"
        yield [f"changes of {title}", "versions", f"changes/{anchor(framework)}/{PAGE}", words]


def _choices(facts: Facts) -> Choices:
    table = facts.conclusions.table
    of_case = {case.id: [_word(choice) for choice in choices(case)] for case in table.results.cases.values()}
    found: dict[tuple[str, str], dict[str, None]] = {}
    for result in table.results.results:
        words = of_case.get(result.case)
        if words and was_called(result):
            found.setdefault((result.api, table.operation(result)), {}).update(dict.fromkeys(words))
    return {key: list(words) for key, words in found.items()}


def _word(choice: str) -> str:
    """A key as it is written, ``x[i, :, j]``; else the value alone, by which a reader looks for it."""
    value = choice.partition("=")[2]
    return f"x[{value}]" if {",", ":"} & {*value} else value
