"""Plans of draws: the form of a call and its mutation, found by a survey of all mutations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.cases.draws.choices import Choose, Recorder, Rejected, choose_item, seeded, simplest
from conformance.cases.draws.elements import Invalid, fill
from conformance.cases.draws.geometry import DTYPES, Geometry, Profile, draw_geometry, layout_of, profiles
from conformance.cases.draws.mutate import is_in_bounds, mutate
from conformance.cases.draws.mutations import Mutation, mutations
from conformance.specification.model import Call, Operation, Rule

MOST_PROFILES = 64
"""The maximum number of profiles in a survey."""
_SURVEYS: dict[int, tuple[Operation, Survey]] = {}
ATTEMPTS = 20
"""The maximum number of attempts for a plan or a call."""


@dataclass(frozen=True)
class Plan:
    """A form of calls, and the mutation that breaks a rule; no mutation for valid calls."""

    geometry: Geometry
    mutation: Mutation | None = None


@dataclass(frozen=True)
class DrawnCall:
    """A drawn call and, if it breaks a rule, its control and mutation."""

    call: Call
    control: Call | None = None
    mutation: Mutation | None = None


@dataclass(frozen=True)
class BreakingMutation:
    """A mutation that breaks a rule in calls of a profile."""

    mutation: Mutation
    profile: Profile


@dataclass(frozen=True)
class InvalidCall:
    """A call and the rules that it breaks."""

    call: Call
    rules: tuple[str, ...]


@dataclass
class Survey:
    """The effects of mutations on the rules of an operation."""

    valid: list[Call] = field(default_factory=list)
    invalid: list[InvalidCall] = field(default_factory=list)
    """Calls that match the layout, but break rules."""
    mutations: dict[str, dict[tuple[str, str], list[BreakingMutation]]] = field(default_factory=dict)
    """By rule and family, mutations that break the rule and no others except those that it implies."""
    breaking: dict[str, list[InvalidCall]] = field(default_factory=dict)
    """By rule, calls that break it."""
    breaking_only: dict[str, list[InvalidCall]] = field(default_factory=dict)
    """By rule, calls that break it and no others except those that it implies."""


def plan(choose: Choose, operation: Operation, rule: Rule | None, dtypes: Sequence[str] = DTYPES) -> Plan:
    """A plan of calls that break the rule, or of valid calls if it is None; Rejected if the choices lead to none.

    KeyError if no mutation in the survey breaks the rule without breaking others.
    """
    if rule is None:
        return Plan(draw_geometry(choose, operation, dtypes=dtypes))
    families = survey(operation).mutations[rule.name]
    family = choose_item(choose, sorted(families))
    for _ in range(ATTEMPTS):
        breaking = choose_item(choose, families[family])
        candidate = Plan(draw_geometry(choose, operation, breaking.profile, dtypes), breaking.mutation)
        try:
            draw(simplest, operation, rule, candidate)
        except Rejected:
            continue
        return candidate
    raise Rejected


def draw(choose: Choose, operation: Operation, rule: Rule | None, plan: Plan) -> DrawnCall:
    """A call of a plan; Rejected if the choices lead to none."""
    control = fill(choose, operation, plan.geometry)
    if plan.mutation is None or rule is None:
        return DrawnCall(control)
    call = mutate(choose, plan.mutation, operation, plan.geometry, control)
    if not _breaks_only(operation, rule, plan.mutation, call, operation.broken_rules(call)):
        raise Rejected
    return DrawnCall(call, control, plan.mutation)


def _breaks_only(operation: Operation, rule: Rule, mutation: Mutation, call: Call, broken: Sequence[str]) -> bool:
    if rule.name not in broken or not {rule.name, *rule.implies}.issuperset(broken):
        return False
    if not _is_false(operation, rule, call):
        return False
    return mutation.of_values or is_in_bounds(operation, call)


def _is_false(operation: Operation, rule: Rule, call: Call) -> bool:
    """Whether the rule is false; a rule that cannot be evaluated does not count, as the call has another defect."""
    try:
        return rule.require is not None and not rule.require.value(operation.values(call))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def survey(operation: Operation) -> Survey:
    """The effects of all mutations in a call of each profile; cached by operation."""
    # By identity, as an operation has no hash. The cache holds the operation, so that its id is not reused.
    if id(operation) not in _SURVEYS:
        _SURVEYS[id(operation)] = (operation, _survey(operation))
    return _SURVEYS[id(operation)][1]


def _survey(operation: Operation) -> Survey:
    generator = seeded("survey")
    selected = profiles(layout_of(operation))
    if len(selected) > MOST_PROFILES:
        selected = [selected[0], *generator.sample(selected[1:], MOST_PROFILES - 1)]
    result = Survey()
    rules = {rule.name: rule for rule in operation.rules if rule.require is not None}
    for profile in selected:
        geometry = draw_geometry(Recorder(generator), operation, profile)
        try:
            call = fill(Recorder(generator), operation, geometry)
        except Invalid as invalid:
            result.invalid.append(InvalidCall(invalid.call, operation.broken_rules(invalid.call)))
            continue
        except Rejected:
            continue
        result.valid.append(call)
        _try_mutations(result, operation, rules, geometry, call, profile)
    return result


def _try_mutations(
    result: Survey, operation: Operation, rules: Mapping[str, Rule], geometry: Geometry, call: Call, profile: Profile
) -> None:
    for mutation in mutations(operation, geometry, call):
        try:
            mutated = mutate(simplest, mutation, operation, geometry, call)
        except Rejected:
            continue
        broken = operation.broken_rules(mutated)
        for name in broken:
            result.breaking.setdefault(name, []).append(InvalidCall(mutated, broken))
            if _breaks_only(operation, rules[name], mutation, mutated, broken):
                families = result.mutations.setdefault(name, {})
                families.setdefault(mutation.family, []).append(BreakingMutation(mutation, profile))
                result.breaking_only.setdefault(name, []).append(InvalidCall(mutated, broken))
