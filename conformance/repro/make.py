"""A script made of what was seen, and tried: one that does not show the same is not offered."""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.cases.model import Agrees, Returns
from conformance.repro.bench import Bench, Ran
from conformance.repro.header import MOST_ELEMENTS, documented_lines, head
from conformance.repro.script import Script, Step
from conformance.repro.seen import Called, NotShown, Seen
from conformance.repro.source import AdapterSource, CannotQuote, Quoted, names_in
from conformance.repro.values import forms, numpy_form
from conformance.repro.views import Built, built
from conformance.results.describe import digest
from conformance.specification.literals import Tensor
from conformance.specification.model import Raises
from conformance.targets.prepared import START_LIMIT, Prepared

_NUMPY = "import numpy as np"
_LARGE = 100
"""Elements from which what a framework prints of a tensor leaves some out."""


@dataclass(frozen=True)
class Made:
    """A script, and what it did when it was run."""

    text: str
    ran: Ran
    mismatch: str | None
    """In what it differs from what the suite saw; None where it shows the same."""


def make(seen: Seen, calls: Sequence[Called], prepared: Prepared, bench: Bench) -> Made:
    """Write a script of these calls and run it; NotShown where they cannot be written without the suite."""
    for one in calls:
        _check_ending(one.observation.outcome)
    source = AdapterSource(prepared.adapter.read_text(encoding="utf-8"))
    started = time.monotonic()
    try:
        script = _script(seen, calls, prepared, bench, source)
    except CannotQuote as error:
        raise NotShown(str(error)) from None
    text = script.text()
    names = [*(one.name for one in calls), *script.steps[-1].shows, *script.steps[-1].buffers]
    # as long as it took to try the tensors, the framework's import among it, and to spare
    spare = 5 + 2 * (time.monotonic() - started)
    hangs = any(one.observation.outcome["status"] == "hung" for one in calls)
    ran = bench.run(text, script.steps[-1].name, names, bench.limit + (spare if hangs else START_LIMIT))
    return Made(text, ran, _mismatch(seen, calls, ran))


def _check_ending(outcome: Mapping[str, Any]) -> None:
    """What a script by itself cannot show; NotShown for it."""
    if "most_memory" in outcome:
        raise NotShown("the call takes more memory than can be spared, so no script of it is run")
    if outcome["status"] == "died" and not {"signal", "exit_code"} & outcome.keys():
        raise NotShown("its process went on, and only its answers to the suite ended")


def _script(seen: Seen, calls: Sequence[Called], prepared: Prepared, bench: Bench, source: AdapterSource) -> Script:
    quoted = [_quoted(seen, one, source) for one in calls]
    views = [_views(seen, one, some, several=len(calls) > 1) for one, some in zip(calls, quoted, strict=True)]
    tensors = _tensors(calls, quoted, views, bench, source)
    setup = None
    if not prepared.eager or prepared.device != "cpu":
        setup = f"setup({prepared.device!r}, {prepared.mode!r})" if source.defines("setup") else None
    texts = [setup or "", source.version or "", *(text for some in tensors for text in some.values())]
    needs = set().union(*(one.names for one in quoted), *map(names_in, texts))
    helpers = list(dict.fromkeys([*source.helpers(needs), *(text for one in quoted for text in one.functions)]))
    needs |= set().union(*map(names_in, helpers))
    imports = source.imports(needs)
    if ("np" in needs or any(views)) and _NUMPY not in imports:
        imports.append(_NUMPY)
    steps = [_step(seen, *parts) for parts in zip(calls, quoted, tensors, views, strict=True)]
    return Script(
        head=head(seen, calls, prepared),
        imports=imports,
        helpers=helpers,
        setup=setup,
        version=source.version,
        title=seen.target.title or seen.target.framework,
        documented=documented_lines(seen),
        steps=steps,
        elements=_elements(seen),
    )


def _quoted(seen: Seen, one: Called, source: AdapterSource) -> Quoted:
    mapping = seen.mapping(one.made.api, one.made.operation)
    plain = {name: value for name, value in one.made.call.arguments.items() if not isinstance(value, Tensor)}
    return source.quote(mapping.source, plain)


def _used(one: Called, quoted: Quoted) -> dict[str, Tensor]:
    """The tensors of a call; an argument that is not used is left out."""
    arguments = one.made.call.arguments.items()
    return {name: value for name, value in arguments if isinstance(value, Tensor) and name in _read(quoted)}


def _views(seen: Seen, one: Called, quoted: Quoted, *, several: bool) -> dict[str, Built]:
    """How those of them that are views are built, each call having variables of its own."""
    prefix = f"{one.name}_" if several else ""
    whole = (seen.mapping(one.made.api, one.made.operation).in_place, "expanded")
    # What is changed in place needs elements of its own, so the worker does not expand it.
    views = {name: value for name, value in _used(one, quoted).items() if (name, value.view) != whole}
    found = {name: built(prefix + name, value) for name, value in views.items()}
    return {name: view for name, view in found.items() if view is not None}


def _tensors(
    calls: Sequence[Called],
    quoted: Sequence[Quoted],
    views: Sequence[dict[str, Built]],
    bench: Bench,
    source: AdapterSource,
) -> list[dict[str, str]]:
    """For each call its tensors as its framework's users write them."""
    used = [_used(one, some) for one, some in zip(calls, quoted, strict=True)]
    wanted = [
        (value, _forms(value, built_ones.get(name), source))
        for some, built_ones in zip(used, views, strict=True)
        for name, value in some.items()
    ]
    every = set().union(*(names_in(form) for _, some in wanted for form in some))
    lines = [line for built_ones in views for view in built_ones.values() for line in view.lines]
    found = iter(bench.forms("\n".join([_NUMPY, *source.imports(every), *lines]), wanted))
    return [
        {name: _or_quoted(value, next(found), source, built_ones.get(name)) for name, value in some.items()}
        for some, built_ones in zip(used, views, strict=True)
    ]


def _forms(value: Tensor, view: Built | None, source: AdapterSource) -> list[str]:
    if view is None:
        return forms(value, source.constructors, source.framework_names)
    # The first of them is what the adapter does, and so keeps strides as far as the suite did.
    return [*(f"{constructor}({view.view})" for constructor in source.constructors), view.view]


def _read(quoted: Quoted) -> set[str]:
    # builtins such as input are names of arguments here
    texts = [*quoted.before, quoted.call]
    return {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _or_quoted(value: Tensor, form: str | None, source: AdapterSource, view: Built | None) -> str:
    """The form that was found, else the adapter's own way of making a tensor."""
    if form is not None:
        return form
    if not source.defines("to_native") or value.dtype == "bfloat16":
        raise NotShown(f"there is no plain way to write a {value.dtype} tensor of shape {list(value.shape)}")
    return f"to_native({view.view if view else numpy_form(value)}, {value.dtype!r})"


def _step(seen: Seen, one: Called, quoted: Quoted, tensors: dict[str, str], views: dict[str, Built]) -> Step:
    kinds = seen.result.divergence
    shows: list[str] = []
    if one.name == "got" and {"input-changed", "aliased"} & set(kinds):
        shows = [name for name in tensors if name in _touched(seen, one)]
    catches = one.error is not None or (one.name == "got" and isinstance(seen.case.expectation, Raises))
    spilled = seen.result.outcome.get("spilled", []) if one.name == "got" else []
    buffers = [view.buffer for name, view in views.items() if name in spilled]
    lines = [line for view in views.values() for line in view.lines]
    return Step(one.name, quoted, tensors, catches, shows, _remark(one), lines, buffers)


def _touched(seen: Seen, one: Called) -> set[str]:
    outcome = seen.result.outcome
    mapping = seen.mapping(one.made.api, one.made.operation)
    return {*outcome.get("changed", []), *outcome.get("aliased", []), *filter(None, [mapping.in_place])}


def _remark(one: Called) -> str | None:
    return {
        "earlier": "This call changes what the next one gives.",
        "before": "A valid call, before the error",
        "after": "and the same call after it.",
    }.get(one.name)


def _elements(seen: Seen) -> list[tuple[int, ...]]:
    """Where a large result differs, as what is printed of it leaves most out."""
    differences = seen.result.differences
    if differences is None or differences.total < _LARGE or isinstance(seen.case.expectation, Agrees):
        return []
    return [tuple(one["index"]) for one in differences.first[:MOST_ELEMENTS]]


def _mismatch(seen: Seen, calls: Sequence[Called], ran: Ran) -> str | None:
    """The first thing in which a script did otherwise than the suite saw."""
    for one in calls:
        status = one.observation.outcome["status"]
        if status == "hung":
            # it came as far as the call
            hung = ran.code is None and "documented" in ran.printed
            return None if hung else "the call returned, where the suite saw it hang"
        if status == "died":
            return _ending(one, ran)
        if ran.code is None:
            return "it did not come to its end"
        if status == "raised":
            got = ran.raised(one.name)
            if got != one.error:
                return f"{one.name} should have raised {one.error}, and {f'raised {got}' if got else 'did not raise'}"
        elif "unstable" not in seen.result.divergence and ran.digest(one.name) != one.digest:
            return f"{one.name} is not the value that the suite saw"
    if ran.code != 0:
        return "it failed"
    return _memory(seen, calls[-1], ran) or _unstable(seen, ran)


def _ending(one: Called, ran: Ran) -> str | None:
    wanted = one.observation.outcome.get("signal"), one.observation.outcome.get("exit_code")
    got = ran.signal, ran.code if ran.signal is None else None
    return None if wanted == got else f"its process ended otherwise than the suite saw, with {got[0] or got[1]}"


def _memory(seen: Seen, call: Called, ran: Ran) -> str | None:
    """Whether arguments were changed, and share memory with the result, as the suite saw it."""
    outcome, kinds = seen.result.outcome, seen.result.divergence
    for name, value in call.made.call.arguments.items():
        after = ran.results.get(name)
        if after is None or not isinstance(value, Tensor):
            continue
        changed = after.get("digest") != digest(value)
        if "input-changed" in kinds and changed != (name in outcome.get("changed", [])):
            return f"{name} was {'' if changed else 'not '}changed"
        if "aliased" in kinds and name in outcome.get("aliased", []) and not after.get("aliased"):
            return f"the result does not share memory with {name}"
    return _beside(seen, call, ran)


def _beside(seen: Seen, call: Called, ran: Ran) -> str | None:
    """Whether the buffers of views were written to where the suite saw it."""
    for name in seen.result.outcome.get("spilled", []):
        value = call.made.call.arguments[name]
        view = built(name, value) if isinstance(value, Tensor) else None
        after = [one.get("digest") for at, one in ran.results.items() if at.endswith(f"{name}_buffer") and one]
        if view is not None and after == [digest(view.held)]:
            return f"the buffer of which {name} is a view was not changed"
    return None


def _unstable(seen: Seen, ran: Ran) -> str | None:
    expectation = seen.case.expectation
    if "unstable" not in seen.result.divergence or not isinstance(expectation, Returns):
        return None
    return "this time the value is right" if ran.digest("got") == digest(expectation.value) else None
