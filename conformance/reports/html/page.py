"""The page: the rendered template with its style, script and data, under a policy that loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.findings.behaviour import called_cases
from conformance.findings.conclusions import Conclusions
from conformance.findings.sentences import coverage
from conformance.reports.document import ToResult
from conformance.reports.glossary import GLOSSARY, sentence
from conformance.reports.html import labels
from conformance.reports.html.apis import api_address
from conformance.reports.html.behaviours import shown_operations
from conformance.reports.html.claims import address_of, claim_id, clause_id, documents
from conformance.reports.html.overview import shown_at_first
from conformance.reports.html.payload import PageData
from conformance.reports.html.places import ClaimPlaces
from conformance.reports.html.questions import TITLES
from conformance.reports.html.scripts import joined_script
from conformance.reports.remarks import left_out_texts, missing_kernel_texts, not_exported_texts
from conformance.reports.sections import EXAMPLES, failing_examples
from conformance.reports.statistics import (
    SORTS,
    TargetStatistics,
    incomplete_text,
    target_statistics,
    unexpected_texts,
)
from conformance.reports.text import counted, visible, web_address
from conformance.reports.wording import (
    DANGERS,
    by_danger,
    level_texts,
    others_text,
    place_text,
    shortened_list,
    standing_text,
    upstream_link,
    upstream_text,
    word_of,
)
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.table import sort_of

ASSETS = Path(__file__).parent / "assets"
STYLES = ("base.css", "behaviours.css", "matrix.css", "panel.css", "views.css", "pictures.css", "porting.css")
MOST_CAUSES = 60
_CAUSE_TEXTS = (place_text, shortened_list, standing_text, upstream_link, upstream_text)
RARE = "printed"
"""The sort whose column is left out of the totals if it is empty."""
TOTALS = ("conforms", "own", "printed", "portability", "died", "hung", "blocked", "observed", "unsupported")


def index_html(results: Results, conclusions: Conclusions | None = None) -> str:
    """The whole page; ``conclusions`` are those of the same results, if they have been drawn already."""
    conclusions = conclusions or Conclusions(results)
    style, script = _style(), joined_script(ASSETS, "main.js")
    statistics, table, data = target_statistics(conclusions.table), conclusions.behaviour_table, PageData(conclusions)
    targets = list(conclusions.table.targets.values())
    shown = shown_at_first(targets)
    all_causes = conclusions.causes
    alarming = [cause for cause in all_causes if cause.is_alarming]
    context = {
        "run": results.run,
        "results": results,
        "called": called_cases(results),
        "kernels": missing_kernel_texts(results),
        "incomplete": incomplete_text(results),
        "unexpected": unexpected_texts(results),
        "figures": statistics,
        "expensive": [*left_out_texts(results), *not_exported_texts(results)],
        "sorts": labels.SORTS,
        "glossary": GLOSSARY,
        "order": list(reversed(SORTS)),
        "shown": shown,
        "hidden": len(targets) - len(shown),
        "folded_targets": _by_framework([row for row in statistics if row.target.id not in shown]),
        "totals": [sort for sort in TOTALS if sort != RARE or any(row.counts[sort] for row in statistics)],
        "levels": list(level_texts(all_causes)),
        "behaviours": shown_operations(results, table, data.number),
        "dangers": by_danger(alarming[:MOST_CAUSES]),
        "danger_titles": DANGERS,
        "more_causes": len(alarming[MOST_CAUSES:]),
        "other_causes": others_text([cause for cause in all_causes if not cause.is_alarming]),
        "examples_title": EXAMPLES,
        "failing_examples": failing_examples(conclusions),
        "questions": TITLES,
        "operations": data.operations,
        "documents": documents(results),
        "coverage": sorted(coverage(results), key=lambda each: each.api),
        # the package's own files, and base64, which has no special characters of HTML
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "data": Markup(data.packed()),  # noqa: S704
        "policy": policy(style, script),
    }
    environment = _environment()
    environment.globals["claim_places"] = ClaimPlaces(results).of
    return environment.get_template("page.html.j2").render(context)


def _by_framework(rows: Sequence[TargetStatistics]) -> dict[str, list[TargetStatistics]]:
    """Framework to the targets that the matrices do not show at first."""
    frameworks: dict[str, list[TargetStatistics]] = {}
    for row in rows:
        frameworks.setdefault(row.target.title or row.target.framework, []).append(row)
    return frameworks


def policy(style: str, script: str) -> str:
    """A policy that allows only this style and script."""
    rules = ["default-src 'none'", f"style-src '{_digest(style)}'", f"script-src '{_digest(script)}'"]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def breakable(text: str) -> Markup:
    """A dotted name that may be wrapped after its dots and underscores."""
    return Markup("<wbr>").join(re.split(r"(?<=[._])", visible(text)))


def to_result(result: ResultRecord) -> ToResult:
    return ToResult(result.case, result.api, result.target)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _style() -> str:
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in STYLES)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible_text,
    )
    environment.filters["breakable"] = breakable
    environment.filters["counted"] = counted
    for function in (
        *_CAUSE_TEXTS,
        api_address,
        sort_of,
        word_of,
        sentence,
        to_result,
        web_address,
        address_of,
        claim_id,
        clause_id,
    ):
        environment.globals[function.__name__] = function
    return environment


def _visible_text(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
