"""The published site: the newest run at ``latest/``, every run at an address that lasts, and files for other programs.

All pages name their address below ``latest/`` as canonical.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from conformance.files import replace_text
from conformance.findings.conclusions import Conclusions
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
    replace_text(folder / FEED, _feed(root, conclusions))
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


def _feed(root: str, conclusions: Conclusions) -> str:
    """What changed from version to version, an entry for each version in which anything did."""
    started = conclusions.results.run.started
    feed = ET.Element("feed", xmlns=ATOM)
    _fields(feed, id=f"{root}{FEED}", title="Conformance of scatter and gather", updated=started)
    ET.SubElement(feed, "link", rel="self", href=f"{root}{FEED}")
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = "conformance"
    for title, first, second, page, lines in _entries(conclusions):
        entry = ET.SubElement(feed, "entry")
        _fields(entry, id=f"{root}{LATEST}/{page}", title=title, updated=started, content="\n".join(lines))
        ET.SubElement(entry, "link", rel="alternate", href=f"{root}{LATEST}/{page}")
        ET.SubElement(entry, "category", term=f"{first} {second}")
    return _xml(feed)


def _entries(conclusions: Conclusions) -> Iterator[tuple[str, str, str, str, list[str]]]:
    for timeline in conclusions.timelines:
        for step in reversed(timeline.steps):
            if step.changes:
                page = f"changes/{anchor(timeline.framework)}/#{anchor(step.second)}"
                title = visible(
                    f"{timeline.title} {step.second}: {counted(step.changed, 'call')} changed since {step.first}"
                )
                lines = [
                    visible(f"{change.api}: {change.was} → {change.now} in {counted(len(change.cases), 'call')}")
                    for change in step.changes
                ]
                yield title, visible(step.first), visible(step.second), page, lines


def _fields(element: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(element, name).text = text


def _xml(element: Any) -> str:
    ET.indent(element)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(element, encoding="unicode") + "\n"
