"""Plans of draws: which form a call has and what is changed in it, found by trying every change once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.cases.draws.choices import Choose, Recorder, Rejected, one_of, seeded, simplest
from conformance.cases.draws.elements import Invalid, fill
from conformance.cases.draws.geometry import DTYPES, Geometry, Profile, draw_geometry, layout_of, profiles
from conformance.cases.draws.mutate import changed, stays_within
from conformance.cases.draws.mutations import Change, changes
from conformance.specification.model import Call, Operation, Rule

MOST_PROFILES = 64
"""Profiles that a survey tries."""
_SURVEYS: dict[int, tuple[Operation, Survey]] = {}
ATTEMPTS = 20
"""Times that a plan or a call is tried again before it is given up."""


@dataclass(frozen=True)
class Plan:
    """A form of calls, and the change that breaks a rule; no change in calls that keep all."""

    geometry: Geometry
    change: Change | None = None


@dataclass(frozen=True)
class Drawn:
    """A drawn call; its valid control where it breaks a rule."""

    call: Call
    control: Call | None = None
    change: Change | None = None


@dataclass(frozen=True)
class Way:
    """A change that breaks a rule in calls with so many axes."""

    change: Change
    profile: Profile


@dataclass(frozen=True)
class Broken:
    """A call, and the rules that it breaks."""

    call: Call
    rules: tuple[str, ...]


@dataclass
class Survey:
    """What single changes do to the rules of an operation."""

    valid: list[Call] = field(default_factory=list)
    invalid: list[Broken] = field(default_factory=list)
    """Calls of the layout that should be valid and are not."""
    ways: dict[str, dict[tuple[str, str], list[Way]]] = field(default_factory=dict)
    """By rule and family of changes: what breaks it and nothing but what it declares."""
    breaks: dict[str, list[Broken]] = field(default_factory=dict)
    """By rule: calls that break it."""
    alone: dict[str, list[Broken]] = field(default_factory=dict)
    """By rule: those of them that break nothing but what it declares."""


def plan(choose: Choose, operation: Operation, rule: Rule | None, dtypes: Sequence[str] = DTYPES) -> Plan:
    """A form of calls that break the rule, or keep all where it is None; Rejected where these choices lead to none.

    KeyError where no drawn call breaks the rule alone, as the survey tells.
    """
    if rule is None:
        return Plan(draw_geometry(choose, operation, dtypes=dtypes))
    ways = survey(operation).ways[rule.name]
    family = one_of(choose, sorted(ways))
    for _ in range(ATTEMPTS):
        way = one_of(choose, ways[family])
        found = Plan(draw_geometry(choose, operation, way.profile, dtypes), way.change)
        try:
            draw(simplest, operation, rule, found)
        except Rejected:
            continue
        return found
    raise Rejected


def draw(choose: Choose, operation: Operation, rule: Rule | None, plan: Plan) -> Drawn:
    """A call of a plan; Rejected where these choices lead to none."""
    control = fill(choose, operation, plan.geometry)
    if plan.change is None or rule is None:
        return Drawn(control)
    call = changed(choose, plan.change, operation, plan.geometry, control)
    if not _breaks_alone(operation, rule, plan, call, operation.broken_rules(call)):
        raise Rejected
    return Drawn(call, control, plan.change)


def _breaks_alone(operation: Operation, rule: Rule, plan: Plan, call: Call, broken: Sequence[str]) -> bool:
    if rule.name not in broken or not {rule.name, *rule.implies}.issuperset(broken):
        return False
    if not _is_false(operation, rule, call):
        return False
    return plan.change is None or plan.change.of_values or stays_within(operation, call)


def _is_false(operation: Operation, rule: Rule, call: Call) -> bool:
    """Whether the rule says no, rather than cannot be asked: an error could then be about something else."""
    try:
        return rule.require is not None and not rule.require.value(operation.values(call))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def survey(operation: Operation) -> Survey:
    """What every change does, in one call of each profile; worked out once for an operation."""
    # By identity: an operation holds mappings, so it has no hash. Kept with its survey, it keeps its identity.
    kept = _SURVEYS.get(id(operation))
    if kept is None:
        kept = _SURVEYS[id(operation)] = (operation, _survey(operation))
    return kept[1]


def _survey(operation: Operation) -> Survey:
    generator = seeded("survey")
    tried = profiles(layout_of(operation))
    if len(tried) > MOST_PROFILES:
        tried = [tried[0], *generator.sample(tried[1:], MOST_PROFILES - 1)]
    found = Survey()
    rules = {rule.name: rule for rule in operation.rules if rule.require is not None}
    for profile in tried:
        geometry = draw_geometry(Recorder(generator), operation, profile)
        try:
            call = fill(Recorder(generator), operation, geometry)
        except Invalid as invalid:
            found.invalid.append(Broken(invalid.call, operation.broken_rules(invalid.call)))
            continue
        except Rejected:
            continue
        found.valid.append(call)
        _try_changes(found, operation, rules, Plan(geometry), call, profile)
    return found


def _try_changes(
    found: Survey, operation: Operation, rules: Mapping[str, Rule], plan: Plan, call: Call, profile: Profile
) -> None:
    for change in changes(operation, plan.geometry, call):
        try:
            other = changed(simplest, change, operation, plan.geometry, call)
        except Rejected:
            continue
        broken = operation.broken_rules(other)
        for name in broken:
            found.breaks.setdefault(name, []).append(Broken(other, broken))
            if _breaks_alone(operation, rules[name], Plan(plan.geometry, change), other, broken):
                ways = found.ways.setdefault(name, {}).setdefault(change.family, [])
                ways.append(Way(change, profile))
                found.alone.setdefault(name, []).append(Broken(other, broken))
