"""The effects of all mutations on the rules of an operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.cases.draws.breaking import breaks
from conformance.cases.draws.choices import Recorder, Rejected, seeded, simplest
from conformance.cases.draws.elements import Invalid, fill
from conformance.cases.draws.geometry import Geometry, Profile, draw_geometry, layout_of, profiles
from conformance.cases.draws.mistakes import mistakes
from conformance.cases.draws.mutate import mutate
from conformance.cases.draws.mutations import Mutation, mutations
from conformance.cases.draws.single_defect import suited
from conformance.specification.applied import Applied
from conformance.specification.model import Operation

MOST_PROFILES = 64
"""The maximum number of profiles in a survey."""
MORE_ROUNDS = 8
"""The maximum number of further calls of each profile for rules that no call has broken: one may be about a word of a choice."""
_SURVEYS: dict[int, tuple[Operation, Survey]] = {}
# By the identity of the operation, as it has no hash. The caches hold the operation, so that its id is not reused.
_TO_DRAW: dict[int, tuple[Operation, ToDraw]] = {}


@dataclass(frozen=True)
class BreakingMutation:
    """A mutation that breaks a rule in calls of a profile."""

    mutation: Mutation
    profile: Profile


ToDraw = Mapping[str, Mapping[tuple[str, str], Sequence[BreakingMutation]]]
"""By rule and family, the mutations to draw for it; mistakes come last."""


@dataclass(frozen=True)
class InvalidCall:
    """A call and the rules that it breaks."""

    call: Applied
    rules: tuple[str, ...]


@dataclass
class Survey:
    """The effects of mutations on the rules of an operation."""

    valid: list[Applied] = field(default_factory=list)
    invalid: list[InvalidCall] = field(default_factory=list)
    """Calls that match the layout, but break rules."""
    mutations: dict[str, dict[tuple[str, str], list[BreakingMutation]]] = field(default_factory=dict)
    """As ``ToDraw``."""
    breaking: dict[str, list[InvalidCall]] = field(default_factory=dict)
    """By rule, calls that break it without a mistake."""
    breaking_only: dict[str, list[InvalidCall]] = field(default_factory=dict)
    """By rule, calls that break it and no others except those that it implies."""


def survey(operation: Operation) -> Survey:
    """The effects of all mutations in a call of each profile; cached by operation."""
    if id(operation) not in _SURVEYS:
        _SURVEYS[id(operation)] = (operation, _survey(operation))
    return _SURVEYS[id(operation)][1]


def mutations_to_draw(operation: Operation) -> ToDraw:
    """Those of the survey, or as they were stored."""
    if id(operation) not in _TO_DRAW:
        return survey(operation).mutations
    return _TO_DRAW[id(operation)][1]


def restore_mutations(operation: Operation, mutations: ToDraw) -> None:
    """Use stored mutations in place of a survey."""
    _TO_DRAW[id(operation)] = (operation, mutations)


def _survey(operation: Operation) -> Survey:
    generator = seeded("survey")
    selected = profiles(layout_of(operation))
    if len(selected) > MOST_PROFILES:
        selected = [selected[0], *generator.sample(selected[1:], MOST_PROFILES - 1)]
    result = _round(operation, selected, generator)
    for _ in range(MORE_ROUNDS):
        missing = {rule.name for rule in operation.rules if rule.require is not None} - result.mutations.keys()
        if not missing:
            break
        further = _round(operation, selected, generator)
        for rule in missing & further.mutations.keys():
            result.mutations[rule] = further.mutations[rule]
            result.breaking.setdefault(rule, []).extend(further.breaking.get(rule, []))
            result.breaking_only.setdefault(rule, []).extend(further.breaking_only.get(rule, []))
    for rule, families in result.mutations.items():
        result.mutations[rule] = dict(sorted(families.items(), key=_simplest_first))
    return result


def _round(operation: Operation, selected: Sequence[Profile], generator: Random) -> Survey:
    """The effects of all mutations in one call of each profile."""
    result = Survey()
    for profile in selected:
        try:
            geometry = draw_geometry(Recorder(generator), operation, profile)
            call = fill(Recorder(generator), operation, geometry)
        except Invalid as invalid:
            result.invalid.append(InvalidCall(invalid.call, invalid.call.broken_rules))
            continue
        except Rejected:
            continue
        result.valid.append(call)
        _try_mutations(result, _Sample(profile, geometry, call))
    return result


def _simplest_first(item: tuple[tuple[str, str], list[BreakingMutation]]) -> tuple[bool, tuple[str, str]]:
    family, mutations_of_family = item
    return mutations_of_family[0].mutation.is_mistake, family


@dataclass(frozen=True)
class _Sample:
    """A valid call of a profile."""

    profile: Profile
    geometry: Geometry
    call: Applied

    def mutated(self, mutation: Mutation) -> Applied:
        """The call after a mutation, or another call of the profile if the mutation needs another geometry."""
        geometry = suited(self.call.operation, self.geometry, mutation)
        call = self.call if geometry is self.geometry else fill(simplest, self.call.operation, geometry)
        return mutate(simplest, mutation, geometry, call)


def _try_mutations(result: Survey, sample: _Sample) -> None:
    call = sample.call
    rules = {rule.name: rule for rule in call.operation.rules if rule.require is not None}
    for mutation in (*mutations(sample.geometry, call), *mistakes(call)):
        try:
            mutated = sample.mutated(mutation)
        except Rejected:
            continue
        broken = mutated.broken_rules
        for name in broken:
            invalid = InvalidCall(mutated, broken)
            to_draw = breaks(rules[name], mutation, mutated, broken)
            if to_draw:
                families = result.mutations.setdefault(name, {})
                families.setdefault(mutation.family, []).append(BreakingMutation(mutation, sample.profile))
            if not mutation.is_mistake:
                result.breaking.setdefault(name, []).append(invalid)
                if to_draw:
                    result.breaking_only.setdefault(name, []).append(invalid)
