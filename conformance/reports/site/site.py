"""The site: a static page for each API, operation, cause, pair of frameworks, document and framework.

Everything is readable without JavaScript; the script adds the search and the panel with the details of a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from conformance.findings.behaviours import REFERENCE, Behaviour
from conformance.findings.conclusions import Conclusions
from conformance.findings.disagreements import Disagreement
from conformance.findings.findings import Cause
from conformance.findings.sentences import coverage, newest, release
from conformance.findings.situations import Situation
from conformance.findings.timeline import VersionChange
from conformance.reports.behaviours import WORDS
from conformance.reports.glossary import GLOSSARY, sentence
from conformance.reports.remarks import remarks
from conformance.reports.site import call_data
from conformance.reports.site.addresses import (
    FINDINGS,
    PAGE,
    PORTABILITY,
    anchor,
    call_fragment,
    place_in_list,
    relative,
    without_page,
)
from conformance.reports.site.api_page import ApiPages, verb_text
from conformance.reports.site.claims import claim_anchor, documents
from conformance.reports.site.drawing import drawn_call
from conformance.reports.site.facts import Facts
from conformance.reports.site.finding_page import FindingPages, extent_texts
from conformance.reports.site.formulas import FORMULAS
from conformance.reports.site.glance import STANDINGS, glances
from conformance.reports.site.guide import Guide
from conformance.reports.site.labels import SORTS
from conformance.reports.site.port_page import Ports
from conformance.reports.site.scripts import joined_script
from conformance.reports.statistics import incomplete_text, target_statistics, unexpected_texts
from conformance.reports.text import counted, visible, web_address
from conformance.reports.wording import (
    DANGERS,
    apis_text,
    by_danger,
    happens_text,
    standing_text,
    upstream_link,
    word_of,
)
from conformance.results.file import Results
from conformance.results.table import sort_of

HERE = Path(__file__).parent
STYLES = ("base.css", "pages.css", "panel.css", "pictures.css")
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"
"""Nothing is loaded but the site's own style and scripts."""
SEARCH_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'")
"""Of the page that searches the text: pagefind is compiled to WebAssembly, and loads parts of its index."""
SEARCH = f"search/{PAGE}"
MARK = "<!doctype html>\n<!-- conformance -->"
"""How each page begins."""
STYLE, SCRIPT = "site/style.css", "site/script.js"
OBSERVED = {
    "works": ("conforms", "works"),
    "some": ("blocked", "partly"),
    "refused": ("observed", "rejected"),
    "differs": ("portability", "differs"),
    "wrong": ("own", "wrong"),
    "ended": ("died", "died"),
    "silent": ("unsupported", "unknown"),
}
"""Observation of a dtype to the sort whose colour it has, and its word."""
VERB_WORDS: dict[str, str] = {verb: text for verb, (_, text) in WORDS.items()}
TRANSFORMS: dict[str, str] = {
    "vjp": "reverse mode",
    "jvp": "forward mode",
    "vmap": "batched",
    "vmap-vjp": "reverse mode of each call of a batch",
    "vjp-vmap": "reverse mode of a batch",
    "vjp-vjp": "reverse mode of reverse mode",
    "jvp-vjp": "forward mode of reverse mode",
}
"""Transform to its usual name."""
CLAIMED = {"yes": "by name", "family": "as a family", "others": "no, others are", "example": "in an example"}
MOST_OF_INDEX = 6
"""Rows of a list of the first page."""
MOST_DTYPES = 3
"""Dtypes of indices that a cell names, else it counts them."""
MOST_OF_TITLE = 3
"""Frameworks that the title of the first page names."""


class _Compiled(BytecodeCache):
    """Templates that this process has compiled, which takes as long as filling them in for a small run."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _Compiled()


@dataclass(frozen=True)
class Published:
    """Where the site is published."""

    address: str
    """Of the newest run, with a slash at its end. Pages of every run name theirs below it as canonical."""
    feed: str
    """The address of the feed of changes."""

    def canonical(self, path: str) -> str:
        return f"{self.address}{without_page(path)}"


def site_files(
    results: Results,
    conclusions: Conclusions | None = None,
    guide: Guide | None = None,
    published: Published | None = None,
) -> Iterator[tuple[str, Iterable[str]]]:
    """Each file of the site with the parts of its text, by its path below the root. The same results give the same files."""
    facts = Facts(conclusions or Conclusions(results))
    site = _Site(facts, guide, published)
    for path, text in site.pages():
        yield path, [text]
    yield from site.data()


class _Site:
    def __init__(self, facts: Facts, guide: Guide | None, published: Published | None) -> None:
        self._facts, self._guide, self._published = facts, guide, published
        self._ports = Ports(facts)
        self._environment = _environment(facts)

    def pages(self) -> Iterator[tuple[str, str]]:
        facts, addresses = self._facts, self._facts.addresses
        yield self._page(PAGE, "index", self._index())
        yield self._page(f"api/{PAGE}", "apis", {"frameworks": facts.all_frameworks, "apis": facts.apis})
        api_pages = ApiPages(facts, self._ports)
        for api in facts.apis.values():
            yield self._page(addresses.api(api.name), "api", api_pages.context(api))
        for operation, apis in facts.operations.items():
            context: dict[str, Any] = {"operation": operation, "apis": apis, "columns": facts.columns(operation)}
            example = facts.plainest_case(operation)
            context |= {"formula": FORMULAS.get(operation), "drawing": drawn_call(example) if example else None}
            yield self._page(addresses.operation(operation), "operation", context)
        for situation in facts.shown_situations:
            yield self._page(addresses.situation(situation), "situation", {"situation": situation})
        yield from self._findings()
        finding_pages = FindingPages(facts)
        for cause in facts.conclusions.causes:
            yield self._page(addresses.cause(cause.id), "finding", finding_pages.context(cause))
        yield self._page(f"port/{PAGE}", "ports", {"ports": self._ports})
        for first, second in self._ports.pairs:
            for path, template, context in self._ports.pages(first, second):
                yield self._page(path, template, context)
        yield from self._changes()
        yield from self._modes()
        yield from self._documents()
        yield self._page(f"run/{PAGE}", "run", self._run())
        yield from self._guides()
        if self._published is not None:
            yield self._page(SEARCH, "search", {"policy": SEARCH_POLICY})

    def data(self) -> Iterator[tuple[str, Iterable[str]]]:
        facts, addresses = self._facts, self._facts.addresses
        for operation in facts.operations:
            yield addresses.cases(operation), call_data.cases_of(facts, operation)
        for api in facts.apis.values():
            yield addresses.data(api.name), call_data.calls_of(facts, api)
        yield call_data.WORDS, call_data.words()
        yield call_data.NAMES, call_data.names(facts, self._ports)
        styles = ((HERE / "assets" / name).read_text(encoding="utf-8") for name in STYLES)
        yield STYLE, ["\n".join(["/* conformance */", *styles])]
        yield SCRIPT, [f"// conformance\n{joined_script(HERE / 'assets', 'main.js')}"]

    def _index(self) -> dict[str, Any]:
        facts = self._facts
        ends = [cause for cause in facts.conclusions.causes if cause.danger == "ends"]
        steps = [
            (timeline, next((step for step in reversed(timeline.steps) if step.changes), timeline.steps[-1]))
            for timeline in facts.conclusions.timelines
            if timeline.steps
        ]
        steps.sort(key=lambda of_timeline: not of_timeline[1].changes)
        return {
            "facts": facts,
            "glances": glances(facts),
            "standings": STANDINGS,
            "names": _names(facts),
            "ends": [
                (cause, newest([facts.targets[target] for target in cause.targets])[cause.framework])
                for cause in ends[:MOST_OF_INDEX]
            ],
            "more_ends": max(0, len(ends) - MOST_OF_INDEX),
            "steps": steps[:MOST_OF_INDEX],
            "unexpected": unexpected_texts(facts.conclusions.results),
        }

    def _findings(self) -> Iterator[tuple[str, str]]:
        causes = self._facts.conclusions.causes
        others = [cause for cause in causes if not cause.is_alarming]
        alarming = [cause for cause in causes if cause.is_alarming]
        yield self._page(FINDINGS, "findings", _listed(alarming) | {"others": len(others)})
        if others:
            yield self._page(PORTABILITY, "portability", _listed(others))

    def _changes(self) -> Iterator[tuple[str, str]]:
        timelines: dict[str, list[Any]] = {}
        for timeline in self._facts.conclusions.timelines:
            timelines.setdefault(timeline.framework, []).append(timeline)
        for framework, of_framework in timelines.items():
            context = {"timelines": of_framework, "title": of_framework[0].title}
            yield self._page(f"changes/{anchor(framework)}/{PAGE}", "changes", context)

    def _modes(self) -> Iterator[tuple[str, str]]:
        facts = self._facts
        for target, pair in facts.modes.items():
            context = {
                "pair": pair,
                "disagreements": sorted(pair.disagreements, key=_by_weight),
                "programs": [kind for kind in facts.conclusions.programs if target in kind.cause.targets],
            }
            yield self._page(facts.addresses.mode(target), "mode", context)

    def _documents(self) -> Iterator[tuple[str, str]]:
        results = self._facts.conclusions.results
        found = documents(results)
        describes = {document.document: document.describes for document in results.documents}
        groups = {document.document: document.untestable for document in results.documents}
        yield self._page(
            f"documents/{PAGE}",
            "documents",
            {"documents": found, "coverage": coverage(results), "apis": self._facts.apis},
        )
        for document in found:
            context = {
                "document": document,
                "describes": [name for name in describes.get(document.name, ()) if name in self._facts.apis],
                "groups": groups.get(document.name, ()),
            }
            yield self._page(self._facts.addresses.document(document.name), "document", context)

    def _run(self) -> dict[str, Any]:
        results = self._facts.conclusions.results
        return {
            "statistics": target_statistics(self._facts.conclusions.table),
            "complete": results.complete,
            "remarks": remarks(results),
            "unexpected": unexpected_texts(results),
            "facts": self._facts,
            "examples": [example for example in results.examples if example.fails],
        }

    def _guides(self) -> Iterator[tuple[str, str]]:
        if self._guide is not None:
            for chapter in self._guide.chapters:
                yield self._page(f"guide/{chapter.name}/{PAGE}", "guide", {"chapter": chapter, "guide": self._guide})

    def _page(self, path: str, template: str, context: dict[str, Any]) -> tuple[str, str]:
        results = self._facts.conclusions.results
        shared = {
            "path": path,
            "to": lambda target: relative(path, target),
            "policy": POLICY,
            "canonical": self._published.canonical(path) if self._published else None,
            "feed": self._published.feed if self._published else None,
            "run": results.run,
            "incomplete": incomplete_text(results),
            "addresses": self._facts.addresses,
            "first_chapter": self._guide.first if self._guide else None,
            "search": SEARCH if self._published else None,
        }
        text = self._environment.get_template(f"{template}.html.j2").render({**shared, **context})
        return path, f"{MARK}\n{text}"


def _listed(causes: Sequence[Cause]) -> dict[str, Any]:
    return {"causes": by_danger(causes), "frameworks": list(dict.fromkeys(cause.framework for cause in causes))}


def _by_weight(disagreement: Disagreement) -> tuple[bool, int]:
    """Other elements, which nobody notices, come before the rest; then by the number of calls."""
    return "value" not in disagreement.aspects, -len(disagreement.cases)


def _names(facts: Facts) -> str:
    """``PyTorch, TensorFlow, MindSpore and 9 other frameworks``."""
    names = [targets[0].title or framework for framework, targets in facts.frameworks.items()]
    more = len(names) - MOST_OF_TITLE
    if more > 1:
        return f"{', '.join(names[:MOST_OF_TITLE])} and {more} other frameworks"
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


def by_size(changes: Iterable[VersionChange]) -> list[VersionChange]:
    """The changes with the most calls first; changes from an error to another error come last."""
    return sorted(changes, key=lambda change: (change.statuses == ("raised", "raised"), -len(change.cases)))


def dtype_texts(does: Mapping[Situation, Sequence[Behaviour]], situations: Sequence[Situation]) -> Iterator[str]:
    """``returns in int32, int64``, for each verb of an API with indices of these dtypes."""
    dtypes: dict[str, list[str]] = {}
    for situation in situations:
        for each in does[situation]:
            dtypes.setdefault(WORDS[each.verb][1], []).append(situation.detail)
    for verb, of_verb in dtypes.items():
        yield f"{verb} in {', '.join(of_verb) if len(of_verb) <= MOST_DTYPES else f'{len(of_verb)} dtypes'}"


def verb_words(behaviour: str) -> str:
    """What the pages call a behaviour in which two results differ: ``wraps around`` for ``wraps-modulo``."""
    return VERB_WORDS.get(behaviour, behaviour)


def breakable(text: str) -> Markup:
    """A dotted name that may be wrapped after its dots, and before what stands in brackets."""
    return Markup("<wbr>").join(re.split(r"(?<=[.])|(?=\()", visible(text)))


def _environment(facts: Facts) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible_text,
        bytecode_cache=_COMPILED,
    )
    environment.filters["breakable"] = breakable
    environment.filters["counted"] = counted
    for function in (
        *(anchor, release, call_fragment, claim_anchor, extent_texts, place_in_list, sentence, sort_of, standing_text),
        *(dtype_texts, verb_text, verb_words, web_address, word_of, by_size, apis_text, happens_text, upstream_link),
    ):
        environment.globals[function.__name__] = function
    environment.globals |= {
        "facts": facts,
        "reference": REFERENCE,
        "FINDINGS": FINDINGS,
        "PORTABILITY": PORTABILITY,
        "sorts": SORTS,
        "words": WORDS,
        "dangers": DANGERS,
        "glossary": GLOSSARY,
        "observed": OBSERVED,
        "claimed": CLAIMED,
        "transforms": TRANSFORMS,
    }
    return environment


def _visible_text(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
