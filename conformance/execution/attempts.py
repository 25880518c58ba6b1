"""Creates the attempts of cases on the APIs of a target, with their standing and their index dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import Agrees, Case
from conformance.execution.attempt import Attempt, CallAttempt
from conformance.execution.relation_attempt import RelationAttempt, partners
from conformance.execution.started import StartedTarget
from conformance.judging.dtype_claims import DtypeClaim, dtype_claim
from conformance.judging.judge import Subject
from conformance.judging.standing import standing_of
from conformance.judging.vocabulary import Standing
from conformance.specification.model import Call, Raises
from conformance.worker.frames import Message

_CACHED = 16
"""Number of cast calls to cache."""

Cast = tuple[Call, dict[str, str]]
"""A call, and its arguments that were cast with their new dtypes."""


@dataclass(frozen=True)
class Attempts:
    """Creates attempts for one worker of a target."""

    started: StartedTarget
    _casts: dict[tuple[object, ...], tuple[Call, Cast]] = field(default_factory=dict)
    """The last cast calls, by the original call and the index dtypes of the API."""

    def attempt(self, case: Case, api: Message) -> Attempt:
        """The attempt of a case on one API; ``api`` is the worker's description of it."""
        if isinstance(case.expectation, Agrees):
            return self._relation_attempt(case, case.expectation, api)
        standing = self._standing(case, api, composed=api["composed"])
        about_indices = any(case.operation.arguments[name].index for name in case.about_dtype)
        index_dtypes = [] if standing == "own" or about_indices else api["index_dtypes"]
        call, cast = self._cast(case, case.call, index_dtypes)
        control = None
        if case.control is not None and (isinstance(case.expectation, Raises) or case.policies):
            control, _ = self._cast(case, case.control, index_dtypes)
        subject = self._subject(standing, api["in_place"], self._dtype_claim(case, api))
        return CallAttempt(case, api["name"], subject, call, cast, control)

    def _relation_attempt(self, case: Case, expectation: Agrees, api: Message) -> RelationAttempt:
        apis = partners(expectation.relation, api, self.started.apis)
        standing = self._standing(case, api, composed=any(group[0]["composed"] for group in apis.values() if group))
        if standing == "own":
            apis = {name: [api for api in group if not api["composed"]] for name, group in apis.items()}
        return RelationAttempt(case, api["name"], self._subject(standing, None), apis, keeps_indices=standing == "own")

    def _subject(self, standing: Standing, in_place: str | None, claim: DtypeClaim | None = None) -> Subject:
        return Subject(standing, in_place, self.started.immutable, self.started.eager, claim)

    def _standing(self, case: Case, api: Message, *, composed: bool) -> Standing:
        target = self.started.record
        return standing_of(
            case.clause,
            framework=target.framework,
            version=target.version,
            api=api["name"],
            follows=api["follows"],
            composed=composed,
        )

    def _cast(self, case: Case, call: Call, index_dtypes: Sequence[str]) -> Cast:
        """The call with its indices in dtypes that an API takes; the same object for all APIs of a case."""
        key = (id(call), *index_dtypes)
        if key not in self._casts:
            if len(self._casts) > _CACHED:
                self._casts.clear()
            # The entry keeps the call alive, so that its id is not reused.
            self._casts[key] = (call, cast_indices(case.operation, call, index_dtypes))
        return self._casts[key][1]

    def _dtype_claim(self, case: Case, api: Message) -> DtypeClaim | None:
        if not case.about_dtype:
            return None
        target = self.started.record
        return dtype_claim(
            case,
            framework=target.framework,
            version=target.version,
            api=api["name"],
            follows=api["follows"],
            composed=api["composed"],
            promised=api["dtypes"],
        )
