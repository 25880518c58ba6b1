"""The published site: the newest run at ``latest/``, every run at an address that lasts, and files for other programs.

All pages name their address below ``latest/`` as canonical.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from conformance.files import replace_text
from conformance.findings.conclusions import Conclusions
from conformance.findings.extent import runs_of
from conformance.findings.timeline import Step, Timeline
from conformance.reports.behaviours import behaviours_json
from conformance.reports.conclusions import conclusions_json
from conformance.reports.site.addresses import PAGE, anchor, without_page
from conformance.reports.site.folder import write_site
from conformance.reports.site.guide import Guide
from conformance.reports.site.site import MARK, Published
from conformance.reports.text import counted, visible
from conformance.results.file import Results

LATEST, FROZEN = "latest", "r"
FEED, MAP = "changes.atom", "sitemap.xml"
ATOM = "http://www.w3.org/2005/Atom"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIGITS = 12
"""Of the digest in the address of a run."""


def digest_of(results: Results) -> str:
    """The digest in the address of a run: that of its results, whatever file they are in."""
    digest = hashlib.sha256(json.dumps(asdict(results.run), sort_keys=True).encode())
    for result in results.results:
        fields = (result.case, result.target, result.api, result.verdict, sorted(result.divergence), result.known)
        digest.update(json.dumps(fields).encode())
    return digest.hexdigest()[:DIGITS]


def publish(
    results: Results, folder: Path, address: str, guide: Guide | None, schemas: Mapping[str, str]
) -> list[Path]:
    """Write everything that is published at an address into a folder, beside earlier runs; the paths of the two sites.

    schemas: by file name, the JSON Schemas that the files for other programs name. OSError if the folder cannot be written.
    """
    root = address.rstrip("/") + "/"
    conclusions = Conclusions(results)
    published = Published(f"{root}{LATEST}/", f"{root}{FEED}")
    sites = [folder / LATEST, folder / FROZEN / digest_of(results)]
    for site in sites:
        site.mkdir(parents=True, exist_ok=True)
        write_site(results, site, conclusions, guide=guide, published=published)
    (folder / "schemas").mkdir(exist_ok=True)
    for name, text in schemas.items():
        replace_text(folder / "schemas" / name, text)
    for name, text in (
        ("behaviours", behaviours_json(results, conclusions)),
        ("conclusions", conclusions_json(results, conclusions)),
    ):
        head = {"$schema": f"{root}schemas/{name}.schema.json", "$id": f"{root}{name}.json"}
        replace_text(
            folder / f"{name}.json", json.dumps(head).removesuffix("}") + ", " + text.lstrip().removeprefix("{")
        )
    replace_text(folder / MAP, _sitemap(root, sites[0]))
    replace_text(folder / FEED, _feed(root, conclusions, _dates(folder / FEED)))
    replace_text(folder / PAGE, _first_page(root))
    return sites


def _first_page(root: str) -> str:
    """Leads to the newest run."""
    return (
        f'{MARK}\n<html lang="en"><head><meta charset="utf-8"><title>conformance</title>'
        f'<link rel="canonical" href="{root}{LATEST}/"><meta http-equiv="refresh" content="0; url={LATEST}/{PAGE}"></head>'
        f'<body><p><a href="{LATEST}/{PAGE}">The newest run</a></p></body></html>\n'
    )


def _sitemap(root: str, site: Path) -> str:
    urls = ET.Element("urlset", xmlns=SITEMAP)
    for page in sorted(site.rglob(PAGE)):
        path = page.relative_to(site).as_posix()
        ET.SubElement(ET.SubElement(urls, "url"), "loc").text = f"{root}{LATEST}/{without_page(path)}"
    return _xml(urls)


@dataclass(frozen=True)
class _Words:
    """What an entry of the feed says; another date alone makes it no other entry."""

    id: str
    title: str
    content: str


@dataclass(frozen=True)
class _Entry:
    """What changed from one version to the next."""

    words: _Words
    first: str
    second: str
    started: str
    """When the last of the runs that show it started."""


def _feed(root: str, conclusions: Conclusions, dates: Mapping[_Words, str]) -> str:
    """What changed from version to version, an entry for each version in which anything did.

    dates: those of the entries of the feed that it replaces, which the same words keep.
    """
    entries = {
        entry: dates.get(entry.words, entry.started)
        for timeline in conclusions.timelines
        for entry in _entries(root, conclusions, timeline)
    }
    feed = ET.Element("feed", xmlns=ATOM)
    updated = max(entries.values(), default=conclusions.results.run.started)
    _fields(feed, id=f"{root}{FEED}", title="Conformance of scatter and gather", updated=updated)
    ET.SubElement(feed, "link", rel="self", href=f"{root}{FEED}")
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = "conformance"
    for entry, date in entries.items():
        element = ET.SubElement(feed, "entry")
        words = entry.words
        _fields(element, id=words.id, title=words.title, updated=date, content=words.content)
        ET.SubElement(element, "link", rel="alternate", href=words.id)
        ET.SubElement(element, "category", term=f"{entry.first} {entry.second}")
    return _xml(feed)


def _entries(root: str, conclusions: Conclusions, timeline: Timeline) -> Iterator[_Entry]:
    for step in reversed(timeline.steps):
        if step.changes:
            page = f"{root}{LATEST}/changes/{anchor(timeline.framework)}/#{anchor(step.second)}"
            title = f"{timeline.title} {step.second}: {counted(step.changed, 'call')} changed since {step.first}"
            lines = (
                visible(f"{change.api}: {change.was} → {change.now} in {counted(len(change.cases), 'call')}")
                for change in step.changes
            )
            words = _Words(page, visible(title), "\n".join(lines))
            yield _Entry(words, visible(step.first), visible(step.second), _started(conclusions, step))


def _started(conclusions: Conclusions, step: Step) -> str:
    """When the last run of the targets started whose calls are compared."""
    targets = {step.second, *(change.first for change in step.changes)}
    run, of_id = conclusions.results.run, conclusions.table.targets
    return max(of_target.started for target in targets for of_target in runs_of(run, of_id[target]))


def _dates(file: Path) -> dict[_Words, str]:
    """The dates of the entries of a feed; none if there is no feed yet, or something else."""
    try:
        feed = ET.parse(file).getroot()  # noqa: S314  # in the folder of what this module wrote before
    except (FileNotFoundError, ET.ParseError):
        return {}
    texts = [{element.tag: element.text or "" for element in entry} for entry in feed.iter(f"{{{ATOM}}}entry")]
    id_, title, content, updated = (f"{{{ATOM}}}{name}" for name in ("id", "title", "content", "updated"))
    return {
        _Words(entry[id_], entry[title], entry[content]): entry[updated]
        for entry in texts
        if entry.keys() >= {id_, title, content, updated}
    }


def _fields(element: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(element, name).text = text


def _xml(element: Any) -> str:
    ET.indent(element)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(element, encoding="unicode") + "\n"
