"""A started target: its record, its APIs, the cases that it runs on each of them, and the attempts of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from conformance.cases.expectations import Agrees, Returning
from conformance.cases.model import Case
from conformance.cases.variation import DrawnProgram, Transformed, Written
from conformance.cases.wire import cast_indices
from conformance.documentation.speaking import Spoken
from conformance.environments.adapter_digest import module_paths, source_digest
from conformance.environments.definition import Claim
from conformance.environments.errors import TargetBlocked
from conformance.environments.gpu import gpu_of
from conformance.environments.name import exact_version
from conformance.environments.prepared_target import Prepared, capabilities_of
from conformance.environments.resolve import Target
from conformance.execution.attempt import Attempt, CallAttempt
from conformance.execution.probes import Probes
from conformance.execution.relation import RelationAttempt, partners
from conformance.judging.dtype_claims import DtypeClaim, control_index_dtypes, dtype_claim, index_dtypes, unlisted
from conformance.judging.helpers import helper_of
from conformance.judging.standing import (
    DescribedApi,
    concerns,
    describes,
    excluding,
    kept,
    other_errors,
    promises_of,
    says_dtype_of_result,
    says_result,
    standing_of,
)
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import BINDING, Standing
from conformance.results.records import MappingRecord, TargetRecord, documents_device
from conformance.specification.applied import Applied
from conformance.specification.model import (
    Around,
    Citation,
    Clause,
    Manner,
    Observed,
    Operation,
    Raises,
    Sharing,
    around_of,
)
from conformance.specification.problems import nearest
from conformance.specification.programs.meaning import changed_by
from conformance.specification.vocabulary import HOOKS, Transformation
from conformance.worker.frames import Message


@dataclass(frozen=True)
class StartedTarget:
    """A target that is ready for calls."""

    prepared: Prepared
    record: TargetRecord
    apis: Sequence[Message]
    """Descriptions from the worker."""
    immutable: bool
    """The framework's tensors cannot be changed."""
    spoken: Mapping[str, Spoken] = field(default_factory=dict)
    """By API, the claims whose sentences are in the documentation that ships with it."""
    hooks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By transform, the objects whose documentation says what the adapter's hook computes."""
    promised: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By transform, the claims of this documentation, as ``document#locator``, to which all derivatives or batches are held."""
    _described: dict[tuple[str, str | None], DescribedApi] = field(default_factory=dict, init=False, compare=False)

    @property
    def keeps_error_types(self) -> bool:
        """Errors have the same types in its mode as when nothing is compiled."""
        return self.prepared.mode.keeps_error_types

    def described(self, api: Message) -> DescribedApi:
        """An API with the claims that its documentation makes."""
        key = api["name"], api["follows"]
        if key not in self._described:
            citations = self.spoken.get(api["name"], Spoken()).citations
            self._described[key] = DescribedApi(self.record.framework, self.record.version, *key, citations)
        return self._described[key]

    def claims(self, case: Case, api: Message) -> bool:
        """Whether the target promises to take the plain call of a case; what its adapter's hooks make of one, it does not."""
        definition = self.prepared.target.definition
        if definition is None or not definition.claims or case.call.manner.needs:
            return False
        dtypes = {value.dtype for value in case.call.tensors.values()}
        return any(
            claim.is_about(api["name"], api["operation"]) and claim.covers(dtypes) for claim in definition.claims
        )

    def apis_of(self, operation: str) -> Sequence[Message]:
        """The APIs that implement an operation."""
        return [api for api in self.apis if api["operation"] == operation]

    def concerns(self, case: Case, api: Message) -> bool:
        """Whether the call of a case is made on an API."""
        return concerns(case, self.described(api), composed=api["composed"])

    def copies(self, call: Applied) -> bool:
        """Whether the framework copies a tensor of a call, so that what is written next to it is not seen."""
        return not {value.dtype for value in call.tensors.values()}.issubset(self.record.guarded or ())

    def mappings(self) -> list[MappingRecord]:
        """A record of each API."""
        return [_mapping(self.record.id, api) for api in self.apis]


def started(prepared: Prepared, ready: Message, memcheck: str | None = None) -> StartedTarget:
    """The target of a worker that is ready; TargetBlocked if its version is not the one requested, or it lacks what it claims."""
    immutable = bool(ready["about"].get("immutable"))
    apis = _with_claims(prepared.target, ready["apis"])
    return StartedTarget(prepared, _record(prepared, ready, memcheck), apis, immutable, hooks=ready["hooks"])


def _with_claims(target: Target, apis: Sequence[Message]) -> Sequence[Message]:
    """The APIs, which promise the dtypes that the target claims of them too; TargetBlocked if there is none for a claim."""
    claims = target.definition.claims if target.definition is not None else []
    for number, claim in enumerate(claims):
        if not any(claim.is_about(api["name"], api["operation"]) for api in apis):
            names = [*claim.api, *claim.operation]
            raise TargetBlocked(
                f"{target.asked}: claims[{number}] of its target.toml is about no API that {target.adapter} has in this version "
                f"({', '.join(name for name in names if name != '*')}); restore the function, or correct the claim"
                f"{nearest(names[0], [api['name'] for api in apis])}"
            )
    return [{**api, "dtypes": [*api["dtypes"], *_claimed_dtypes(claims, api)]} for api in apis]


def _claimed_dtypes(claims: Sequence[Claim], api: Message) -> Iterator[str]:
    return (dtype for claim in claims if claim.is_about(api["name"], api["operation"]) for dtype in claim.dtypes)


def unstarted_record(target: Target, reason: str) -> TargetRecord:
    """The record of a target that could not be started, or gave up."""
    return TargetRecord(
        id=target.asked,
        framework=target.framework,
        version=None,
        device=target.device,
        mode=target.mode,
        blocked=reason,
        asked=target.asked,
        file=target.file,
        here=target.is_here,
        default_mode=_is_default_mode(target),
        requested=_requested(target),
    )


def _record(prepared: Prepared, ready: Message, memcheck: str | None) -> TargetRecord:
    target = prepared.target
    modules = module_paths(target, ready["modules"])
    gpu = gpu_of(target.device) if target.gpu else None
    version = ready["about"].get("version") or prepared.environment.version
    return TargetRecord(
        id=prepared.identify(version),
        framework=ready["about"].get("framework") or _undescribed(target),
        version=version,
        device=target.device,
        mode=target.mode,
        os=ready["os"],
        arch=ready["arch"],
        cpu=ready["cpu"],
        gpu_name=gpu.name if gpu else None,
        gpu_driver=gpu.driver if gpu else None,
        python=ready["python"],
        numpy=ready["numpy"],
        packages=dict(prepared.environment.packages),
        variables=dict(prepared.variables),
        gpu=target.gpu,
        title=ready["about"].get("framework") or target.title if target.is_file else target.title,
        issues=target.definition.issues if target.definition else None,
        asked=target.asked,
        file=target.file,
        here=target.is_here,
        default_mode=_is_default_mode(target),
        path=prepared.mode.path,
        together=prepared.mode.together if prepared.mode.together > 1 else None,
        passes=capabilities_of(target),
        requested=_requested(target),
        sources=source_digest(target, modules),
        modules=modules,
        unconverted=dict(ready["unconverted"]),
        guarded=list(ready["guarded"]),
        memcheck=memcheck,
    )


def _undescribed(target: Target) -> str:
    """The framework of an adapter that does not name it; that of a user's file is none that a document describes."""
    return target.adapter.name if target.is_file else target.framework


def _is_default_mode(target: Target) -> bool:
    return target.definition is None or target.mode == target.definition.default_mode


def _requested(target: Target) -> str | None:
    return exact_version(target.specifier) if target.specifier is not None else None


def _mapping(target: str, api: Message) -> MappingRecord:
    return MappingRecord(
        target=target,
        api=api["name"],
        operation=api["operation"],
        composed=api["composed"],
        source=api["source"],
        in_place=api["in_place"],
        follows=api["follows"],
        helpers=api["helpers"],
        devices=api["devices"],
        lacks_kernel=api["lacks_kernel"],
        documentation=list(api["documentation"]),
    )


def is_planned(case: Case, operation: str, devices: Collection[str | None], *, lacks_kernel: bool) -> bool:
    """Whether a case is run on an API that implements an operation.

    devices: the kinds of devices whose cases the target runs. lacks_kernel: the API has no kernel for the target's device.
    """
    return (
        operation == case.operation.name
        and case.device in devices
        and (isinstance(case.variation, Written) or not lacks_kernel)
    )


def can_run(case: Case, capabilities: Collection[str]) -> bool:
    """Whether a target with these capabilities can make the call of a case."""
    return case.call.manner.needs.issubset(capabilities)


Pair = tuple[Case, Message]
"""A case, and the worker's description of an API."""


def pairs_of(cases: Sequence[Case], target: StartedTarget) -> list[Pair]:
    """The cases that apply to a target, each with each API of its operation."""
    devices = (None, documents_device(target.record.device, gpu=target.record.gpu))
    capabilities = target.record.passes
    return [
        (case, api)
        for case in _harmless_first([case for case in cases if can_run(case, capabilities)])
        for api in _by_turns(case, _apis_of(case, target, devices))
    ]


def _apis_of(case: Case, target: StartedTarget, devices: Collection[str | None]) -> Sequence[Message]:
    """The APIs of a target that get the call of a case."""
    return [
        api
        for api in target.apis
        if is_planned(case, api["operation"], devices, lacks_kernel=api["lacks_kernel"])
        and target.concerns(case, api)
        and api["in_place"] not in case.call.call.constants
        and _takes(case.call.manner, api["in_place"])
    ]


def _by_turns(case: Case, apis: Sequence[Message]) -> Sequence[Message]:
    """The API of these that gets a drawn program, which are as many as a target has time for; all of any other case."""
    if not isinstance(case.variation, DrawnProgram) or not apis:
        return apis
    return [apis[case.variation.number % len(apis)]]


def _takes(manner: Manner, in_place: str | None) -> bool:
    """Whether a call in this manner is about an API that changes this argument, or none."""
    if isinstance(manner, Sharing):
        return manner.takes(in_place)
    around = around_of(manner)
    return around is None or around.takes(in_place)


def changed_around(manner: Manner, in_place: str | None) -> frozenset[str]:
    """The arguments that change besides what the API does: by a program around the call, or as they share memory with what it changes."""
    if isinstance(manner, Sharing):
        return frozenset({manner.other})
    return changed_by(manner.program, in_place) if isinstance(manner, Around) else frozenset()


def places_of(apis: Sequence[Message]) -> dict[tuple[str, str], int]:
    """By the name and the operation of an API, its place among those of the operation, from 0."""
    counts: Counter[str] = Counter()
    places = {}
    for api in apis:
        places[api["name"], api["operation"]] = counts[api["operation"]]
        counts[api["operation"]] += 1
    return places


def _harmless_first(cases: Sequence[Case]) -> list[Case]:
    """Calls that should raise come last, since a call that does not raise may affect the process and later calls."""
    return sorted(cases, key=lambda case: not isinstance(case.expectation, Returning | Agrees))


_CACHED = 16
"""Number of cast calls, and of cases whose errors are known, to cache."""

Cast = tuple[Applied, dict[str, str]]
"""A call, and its arguments that were cast with their new dtypes."""


@dataclass(frozen=True)
class _OfApi:
    """What is the same for all cases of an API and an operation."""

    described: DescribedApi
    probes: Probes
    calls: Callable[[Case], bool]
    """Whether the call of a case is made on the API."""
    helpers: Mapping[str, str]
    """As in ``helper_of``."""
    keeps: frozenset[str]
    """As in ``Subject``."""
    says_dtype: bool
    """As in ``Subject``."""
    says_result: bool
    """As in ``Subject``."""


@dataclass(frozen=True)
class Attempts:
    """Creates attempts for one worker of a target."""

    started: StartedTarget
    _casts: dict[tuple[object, ...], tuple[Applied, Cast]] = field(default_factory=dict)
    """The last cast calls, by the original call and the index dtypes of the API."""
    _documents: dict[tuple[object, ...], tuple[Standing, bool]] = field(default_factory=dict)
    """For a clause, whether a case is derived, its transform, and an API with its operation: the standing, and if a document is about it."""
    _errors: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    """The clauses besides its own by which a case is an error, for the last cases."""
    _apis: dict[tuple[str, str], _OfApi] = field(default_factory=dict)
    """By API and operation."""

    def attempt(self, case: Case, api: Message) -> Attempt:
        """The attempt of a case on one API; ``api`` is the worker's description of it."""
        if isinstance(case.expectation, Agrees):
            return self._relation_attempt(case, case.expectation, api)
        return self._call_attempt(case, api)

    def standing(self, case: Case, api: Message) -> Standing:
        """Whether the API is judged by its own documentation in this case."""
        if isinstance(case.expectation, Agrees):
            return self._relation_attempt(case, case.expectation, api).subject.standing
        return "own" if self._by_rules(case, api) else self._by_clause(case, api)

    def _by_clause(self, case: Case, api: Message) -> Standing:
        """The standing by the clause of the case: no document promises the result of a call that it calls an error."""
        standing = self._documented(case, api)[0]
        if standing in BINDING and isinstance(case.expectation, Returning) and not _is_transformed(case):
            promises = promises_of(self._other_errors(case), self.started.described(api), case.device)
            return "portability" if promises else standing
        return standing

    def _call_attempt(self, case: Case, api: Message) -> CallAttempt:
        is_described = self._documented(case, api)[1]
        by_rules = self._by_rules(case, api)
        standing = "own" if by_rules and not _is_transformed(case) else self._by_clause(case, api)
        dtypes = self._index_dtypes(case, api, standing)
        call, cast = self._cast(case.call, dtypes)
        control = None
        of_api = self._of(api, case.operation)
        described = of_api.described
        is_open = isinstance(case.expectation, Observed) and not api["composed"]
        lists_others = unlisted(case, described) if is_open else None
        if case.control is not None and (isinstance(case.expectation, Raises) or case.policies or lists_others):
            taken = control_index_dtypes(case, described, api["index_dtypes"], standing)
            control, _ = self._cast(case.control, taken)
        subject = Subject(
            standing,
            None if _is_transformed(case) else api["in_place"],  # a hook calls the API with copies
            self.started.immutable,
            copies=self.started.copies(call),
            error_types=self.started.keeps_error_types and is_described,
            claimed=self.started.claims(case, api),
            dtype_claim=self._dtype_claim(case, api),
            composed=api["composed"],
            decided_by=self._decided_by(case, api),
            helper=helper_of(case, of_api.helpers),
            by_rules=by_rules,
            keeps=of_api.keeps,
            says_dtype=of_api.says_dtype,
            says_result=of_api.says_result,
            without_derivative=self._without_derivative(case, api),
            unlisted=lists_others,
            changed_around=changed_around(case.call.manner, api["in_place"]),
        )
        test = case.dtype_test
        refusal = partial(of_api.probes.refusal, case) if test is not None and test.original is not None else None
        changes = partial(of_api.probes.changes, case, of_api.calls)
        right_alone = partial(of_api.probes.right_alone, case) if _is_transformed(case) else None
        death_of_call = partial(of_api.probes.death_of_call, case) if _is_transformed(case) else None
        return CallAttempt(
            case, api["name"], subject, call, cast, control, refusal, changes, right_alone, death_of_call
        )

    def _index_dtypes(self, case: Case, api: Message, standing: Standing) -> Sequence[str]:
        return index_dtypes(case, self.started.described(api), api["index_dtypes"], standing)

    def _documented(self, case: Case, api: Message) -> tuple[Standing, bool]:
        """The standing, and whether a document is about the API; the same for all cases of a clause of one kind."""
        is_derived = case.variation.base is not None
        key = case.clause.id, is_derived, _is_transformed(case), api["name"], api["operation"]
        if key not in self._documents:
            standing = self._standing(case, api, composed=api["composed"])
            self._documents[key] = standing, self._is_described(case, api)
        return self._documents[key]

    def _by_rules(self, case: Case, api: Message) -> tuple[str, ...]:
        """The claims against a call of an API that its clause alone leaves to portability, or about what a transform computes."""
        if isinstance(case.variation, Transformed):
            return () if case.variation.is_beyond_documents else self._promised(case.variation.manner.kind)
        if not isinstance(case.expectation, Raises) or api["composed"] or self._documented(case, api)[0] == "own":
            return ()
        promises = promises_of(self._other_errors(case), self.started.described(api), case.device)
        return tuple(dict.fromkeys(map(str, promises)))

    def _promised(self, transformation: Transformation) -> tuple[str, ...]:
        """The claims about what a transform computes: of one of another, those of the outer one, if there are some of both."""
        of_hooks = [self.started.promised.get(hook, ()) for hook in HOOKS[transformation]]
        return of_hooks[0] if all(of_hooks) else ()

    def _other_errors(self, case: Case) -> tuple[Clause, ...]:
        errors = self._errors.get(case.id)
        if errors is None:
            if len(self._errors) > _CACHED:
                self._errors.clear()
            errors = self._errors[case.id] = other_errors(case)
        return errors

    def _decided_by(self, case: Case, api: Message) -> str | None:
        """The clause that judges by a document of the API what that of the case leaves open."""
        if not isinstance(case.expectation, Observed) or _is_transformed(case):
            return None
        named = [clause for clause in case.operation.clauses if clause.id == case.clause.decided_by]
        described = self.started.described(api)
        for clause in (*named, *self._other_errors(case)):
            if standing_of(clause, described, composed=api["composed"]) == "own":
                return clause.id
        return None

    def _of(self, api: Message, operation: Operation) -> _OfApi:
        key = api["name"], api["operation"]
        known = self._apis.get(key)
        if known is None:
            described, is_composed = self.started.described(api), api["composed"]
            known = self._apis[key] = _OfApi(
                described,
                Probes(lambda case, client: self._call_attempt(case, api).observe(client)),
                partial(self.started.concerns, api=api),
                {**(_result_shape(operation) if is_composed else {}), **api["helpers"]},
                frozenset() if is_composed else kept(operation, described),
                not is_composed and says_dtype_of_result(operation, described),
                says_result(operation, described, composed=is_composed),
            )
        return known

    def _without_derivative(self, case: Case, api: Message) -> Citation | None:
        if not isinstance(case.variation, Transformed) or "vjp" not in HOOKS[case.variation.manner.kind]:
            return None
        return excluding(case.call, self.started.described(api))

    def _relation_attempt(self, case: Case, expectation: Agrees, api: Message) -> RelationAttempt:
        apis = partners(expectation.relation, api, self.started.apis)
        standing = self._standing(case, api, composed=any(group[0]["composed"] for group in apis.values() if group))
        if standing in BINDING:
            apis = {name: [api for api in group if not api["composed"]] for name, group in apis.items()}
        keeps_indices = standing in BINDING and not self._index_dtypes(case, api, standing)
        subject = Subject(
            standing,
            None,
            self.started.immutable,
            dtype_claim=self._dtype_claim(case, api),
            composed=api["composed"],
            says_result=self._of(api, case.operation).says_result,
        )
        return RelationAttempt(case, api["name"], subject, apis, keeps_indices=keeps_indices)

    def _is_described(self, case: Case, api: Message) -> bool:
        """Whether a document that the clause cites is about the API."""
        described = self.started.described(api)
        return not api["composed"] and any(describes(citation, described) for citation in case.clause.citations)

    def _standing(self, case: Case, api: Message, *, composed: bool) -> Standing:
        if _is_transformed(case):
            return "portability"
        is_derived = case.variation.base is not None
        return standing_of(case.clause, self.started.described(api), composed=composed, derived=is_derived)

    def _cast(self, call: Applied, index_dtypes: Sequence[str]) -> Cast:
        """The call with its indices in dtypes that an API takes; the same object for all APIs of a case."""
        key = (id(call), *index_dtypes)
        entry = self._casts.get(key)
        if entry is None:
            if len(self._casts) > _CACHED:
                self._casts.clear()  # other threads may use it: nothing is read from it after this
            # The entry keeps the call alive, so that its id is not reused.
            entry = self._casts[key] = (call, cast_indices(call, index_dtypes))
        return entry[1]

    def _dtype_claim(self, case: Case, api: Message) -> DtypeClaim | None:
        if not case.dtypes_tested:
            return None
        return dtype_claim(case, self.started.described(api), composed=api["composed"], promised=api["dtypes"])


def _is_transformed(case: Case) -> bool:
    return isinstance(case.variation, Transformed)


def _result_shape(operation: Operation) -> dict[str, str]:
    """The argument that gives the result's shape, as one of which a composed API knows nothing: another call takes it."""
    return {
        name: "the call that creates the result"
        for name, argument in operation.arguments.items()
        if "vector" in argument.kinds
    }
