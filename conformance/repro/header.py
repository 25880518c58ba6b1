"""The comment at the top of a script: what happened, what is documented, and where this was observed."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from conformance.adapter import BACKEND, PRELOAD, REPLACES
from conformance.cases.expectations import Agrees, Returning, Returns, ReturnsAnyWritten, ToDigits, Within, tolerance_of
from conformance.environments.prepared_target import Prepared
from conformance.environments.recipe import Recipe, recipe_for
from conformance.judging.standing import citations
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import Outcome, Raised, Returned
from conformance.reports.text import counted, web_address
from conformance.reports.wording import shortened_list
from conformance.repro.values import listed
from conformance.results.observed import CaseResult
from conformance.results.records import Difference, KnownRecord
from conformance.specification.model import Citation, Raises

_BUILDS = "https://download.pytorch.org/whl"
"""Has a folder for each value of uv's ``--torch-backend``."""
MEMCHECK = "PYTHONMALLOC=malloc OMP_NUM_THREADS=1 valgrind -q --tool=memcheck --error-limit=no python SCRIPT"
"""The command line that shows an access that memcheck saw."""
MOST_ELEMENTS = 5
"""The number of differing elements whose values are printed."""
_MOST_PRINTED = 64
"""The largest number of elements of a documented result that is printed in full."""


def header(case_result: CaseResult, prepared: Prepared) -> list[str]:
    """Paragraphs: what happened, what is documented and where, and the versions."""
    result, clause = case_result.result, case_result.case.clause
    return [
        f"{result.api}: {result.explanation or 'does what is documented'}",
        *_standing(case_result),
        *_known(case_result),
        "",
        f"Expected: {clause.states}",
        *_cited(result.api, clause.id, (*clause.citations, *_broken_dtype_claim(case_result))),
        "",
        f"Observed with {_versions(case_result, prepared)}.",
        *([f"Environment: {_variables(prepared)}"] if _variables(prepared) else []),
        *([f"Memcheck shows it: {MEMCHECK}"] if _is_of_memcheck(result.outcome) else []),
    ]


def _is_of_memcheck(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned | Raised) and any(access.by == "memcheck" for access in outcome.outside)


def inline_metadata(prepared: Prepared) -> str:
    """The Python and the packages that a script needs, as PEP 723 has it, so that ``uv run`` makes its environment.

    The packages that the target's definition names, in the versions of its environment. Empty for the user's own adapter,
    interpreter or framework, which a package index may not have.
    """
    target, environment = prepared.target, prepared.environment
    if target.definition is None or target.is_file or environment.folder is None or environment.version is None:
        return ""
    recipe = recipe_for(target.definition, _public(environment.version), target.device_kind, target.mode, own=False)
    names = dict.fromkeys(canonicalize_name(Requirement(text).name) for text in recipe.attempts[0].requirements)
    needed = [f"{name}=={_public(environment.packages[name])}" for name in names if name in environment.packages]
    python = ".".join(environment.python_version.split(".")[:2])
    lines = [
        "/// script",
        f'requires-python = "=={python}.*"',
        "dependencies = [",
        *(f'  "{text}",' for text in needed),
    ]
    return "\n".join(f"# {line}".rstrip() for line in [*lines, "]", *_index(recipe, environment.version), "///"])


def _index(recipe: Recipe, version: str) -> list[str]:
    """Where uv finds the build that was run, if that is not the one of PyPI, which may have gigabytes of GPU libraries."""
    backend = Version(version).local
    if recipe.package is None or backend is None or backend not in {each.torch_backend for each in recipe.attempts}:
        return []
    return [
        "",
        "[[tool.uv.index]]",
        f'name = "{recipe.package}-{backend}"',
        f'url = "{_BUILDS}/{backend}"',
        "explicit = true",
        "",
        "[tool.uv.sources]",
        f'{recipe.package} = {{ index = "{recipe.package}-{backend}" }}',
    ]


def _public(version: str) -> str:
    """A version without the label of a build, such as ``+cpu``, which the package index does not have."""
    return Version(version).public


def _known(case_result: CaseResult) -> list[str]:
    """What is known of it, so that nobody reports it again."""
    known = case_result.known
    return [f"Known, {reported(known)}: {' '.join(known.reason.split())}"] if known is not None else []


def reported(known: KnownRecord) -> str:
    """Where a known divergence is reported."""
    address = web_address(known.link)
    return f"reported at {address}" if address is not None else "not yet reported"


def documented_lines(case_result: CaseResult) -> list[str]:
    """What the script prints before its calls."""
    expectation = case_result.case.expectation
    documented = (
        "documented" if case_result.result.standing in BINDING else f"documented for {_first_described(case_result)}"
    )
    if isinstance(expectation, Raises):
        return [f"{documented}: {expectation.error or 'an error'}"]
    if isinstance(expectation, Agrees):
        return [f"{documented}: left and right are the same", f"left:  {expectation.relation.left.text}",
                f"right: {expectation.relation.right.text}"]  # fmt: skip
    if isinstance(expectation, Returning):
        return [f"{documented}: {_value(expectation)}", *_differing(case_result)]
    return ["documented: nothing"]


def _first_described(case_result: CaseResult) -> str:
    """The API that was called if a document describes it, or else the first API that is described."""
    described = [api for citation in case_result.case.clause.citations for api in citation.document.describes]
    return case_result.result.api if case_result.result.api in described else (described or ["no API"])[0]


def _standing(case_result: CaseResult) -> list[str]:
    """Whether the API breaks its own documentation or differs from another's."""
    if case_result.result.verdict != "diverges":
        return []
    if case_result.result.standing == "own":
        return ["This contradicts its own documentation: a bug in the code or in the text."]
    if case_result.result.standing == "printed":
        return ["This contradicts a printed example of this API, in a document that is not official."]
    api = _first_described(case_result)
    return [f"This differs from the documentation of {api}; its own documentation does not specify it."]


def _broken_dtype_claim(case_result: CaseResult) -> Iterator[Citation]:
    """The claim of the API's own documentation that names a dtype which it refuses."""
    result, operation = case_result.result, case_result.case.operation
    claim = result.dtype_claim if result.standing == "own" and "rejected" in result.divergence else None
    if claim is not None and claim.claimed == "yes":
        yield from (citation for citation in citations(operation) if str(citation) == claim.by)


def _cited(api: str, clause: str, citations: tuple[Citation, ...]) -> Iterator[str]:
    """Each of the API's own documents with its claims; where it has none, the first document, and how to see the others."""
    documents = {citation.document.id: citation.document for citation in citations}
    by_authority = sorted(documents.values(), key=lambda document: not document.official)
    own = [document for document in by_authority if api in document.describes]
    first = by_authority[:1]
    for document in own or first:
        about = "" if own else f", about {shortened_list(document.describes)},"
        url = f" {document.url}" if document.url else ""
        yield f"{'Documented' if document.official else 'Described'}{about} in {document.title}{url}:"
        yield from (f"- {citation.claim.says}" for citation in citations if citation.document.id == document.id)
    if not own and len(documents) > 1:
        yield f"The same in {counted(len(documents) - 1, 'other document')}: conformance trace {clause}"


def _versions(case_result: CaseResult, prepared: Prepared) -> str:
    target = case_result.target
    name = f"{target.title or target.framework} {target.version}" if target.version else target.framework
    machine = " ".join(filter(None, (target.os, target.arch)))
    gpu = f" ({target.gpu_name}, driver {target.gpu_driver})" if target.gpu_name else ""
    versions = [name, *_extra(case_result, prepared), f"NumPy {target.numpy}", f"Python {target.python}"]
    software = ", ".join([*versions, machine] if machine else versions)
    return f"{software}; device {target.device}{gpu}, mode {target.mode}"


def _extra(case_result: CaseResult, prepared: Prepared) -> Iterator[str]:
    """What a derived target adds to the one that it extends, in its version: ``torch_xla 2.9.0``."""
    definition = prepared.target.definition
    for name in (Requirement(text).name for text in definition.extra) if definition is not None else ():
        version = case_result.target.packages.get(canonicalize_name(name))
        if version is not None:
            yield f"{name} {version}"


def _variables(prepared: Prepared) -> str:
    shown = {name: value for name, value in prepared.variables.items() if name not in (PRELOAD, REPLACES, BACKEND)}
    return " ".join(f"{name}={value}" for name, value in shown.items())


def _value(expectation: Returning) -> str:
    value = expectation.value
    if isinstance(expectation, Returns) and expectation.parts:
        return "; ".join(f"{part.name} {part.dtype} of shape {part.shape}" for part in expectation.parts)
    tolerance = tolerance_of(expectation)
    digits = f", to {tolerance.digits} decimal places" if isinstance(tolerance, ToDigits) else ""
    within = f", within {tolerance.largest:g}" if isinstance(tolerance, Within) else ""
    elements = f": {listed(value.array)}" if value.array.size <= _MOST_PRINTED else ""
    is_any = isinstance(expectation, ReturnsAnyWritten)
    remains = "; with several updates to one element, any of them may remain" if is_any else ""
    return f"{value.dtype} of shape {value.shape}{digits}{within}{elements}{remains}"


def _differing(case_result: CaseResult) -> list[str]:
    differences = case_result.result.differences
    if differences is None or differences.total <= _MOST_PRINTED:
        return []
    return [f"documented at {_place(row)}: {row.expected}" for row in differences.first[:MOST_ELEMENTS]]


def _place(row: Difference) -> str:
    return str(row.index) if row.result is None else f"{row.index} of {row.result}"
