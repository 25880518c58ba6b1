"""The documentation that ships with the installed version of a target, which its worker is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from conformance.documentation.speaking import DocumentedApi, documents_of, hashes, objects_of, spoken
from conformance.execution.client import Client
from conformance.execution.started import StartedTarget
from conformance.specification.model import Document
from conformance.worker.frames import Message


@dataclass(frozen=True)
class Shipped:
    """The texts of a target. They are third-party text: printed, but never stored."""

    target: str
    """Its canonical name."""
    framework: str
    apis: tuple[DocumentedApi, ...]
    texts: Mapping[str, str]
    """By the dotted name of an object, its documentation."""
    problems: Mapping[str, str]
    """By object, why it has no documentation."""

    def apis_of(self, name: str) -> list[str]:
        """The APIs that the text of an object documents."""
        return [api.name for api in self.apis if name in api.documentation]


def read_documentation(target: StartedTarget, documents: Iterable[Document], client: Client) -> Shipped:
    """The documentation of a target, from a worker of it."""
    record = target.record
    # An API may implement several operations, and follow another API in only one of them.
    mapped = sorted(target.apis, key=lambda api: api["follows"] is not None)
    apis = tuple({api["name"]: _documented(api) for api in mapped}.values())
    named = objects_of(document for document in documents if document.framework == record.framework)
    entries = client.documentation(sorted(named.union(*(api.documentation for api in apis))))
    return Shipped(
        record.id,
        record.framework,
        apis,
        {name: entry["text"] for name, entry in entries.items() if "text" in entry},
        {name: entry["problem"] for name, entry in entries.items() if "problem" in entry},
    )


def _documented(api: Message) -> DocumentedApi:
    return DocumentedApi(api["name"], api["follows"], tuple(api["documentation"]))


def with_documentation(target: StartedTarget, documents: Iterable[Document], shipped: Shipped) -> StartedTarget:
    """The target with the claims that its own documentation makes."""
    described = documents_of(documents, shipped.framework, shipped.apis)
    texts = {name: hashes(text) for name, text in shipped.texts.items()}
    said = {api.name: spoken(described, shipped.framework, api, texts) for api in shipped.apis}
    record = replace(
        target.record,
        sentences={name: sorted(sentences) for name, sentences in sorted(texts.items())},
        unread={name: sorted(claims.unread) for name, claims in said.items() if claims.unread},
    )
    return replace(target, record=record, spoken=said)
