"""The documentation that ships with the installed version of a target: its texts, and its examples, run as they stand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.documentation.examples import Example, ExampleStatement, examples
from conformance.documentation.printed import mismatch
from conformance.documentation.randomness import random_examples
from conformance.documentation.speaking import DocumentedApi, documents_of, hashes, objects_of, spoken
from conformance.execution.client import Client
from conformance.execution.target import StartedTarget
from conformance.judging.standing import DescribedApi, binds
from conformance.outcomes.model import Died, Error, Hung
from conformance.results.records import ExampleRecord
from conformance.specification.model import Citation, Document
from conformance.worker.frames import Message

RANDOM = "It shows random numbers, which are others each time."
_BY_CHANCE = ("number", "shape")
"""What random numbers may change of what is printed: a mask that is drawn selects another number of elements."""


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
    apis = tuple({api.name: api for api in (*map(_documented, mapped), *_hooks(target).values())}.values())
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


def _hooks(target: StartedTarget) -> dict[str, DocumentedApi]:
    """By transform, what the adapter's hook calls; the first object names it."""
    return {kind: DocumentedApi(objects[0], None, tuple(objects)) for kind, objects in target.hooks.items()}


def with_documentation(target: StartedTarget, documents: Iterable[Document], shipped: Shipped) -> StartedTarget:
    """The target with the claims that its own documentation makes."""
    described = documents_of(documents, shipped.framework, shipped.apis)
    release = target.record.framework, target.record.version
    texts = {name: hashes(text) for name, text in shipped.texts.items()}
    said = {api.name: spoken(described, shipped.framework, api, texts) for api in shipped.apis}
    record = replace(
        target.record,
        sentences={name: sorted(sentences) for name, sentences in sorted(texts.items())},
        unread={name: sorted(claims.unread) for name, claims in said.items() if claims.unread},
    )
    promised = {
        kind: tuple(map(str, _promised(kind, described, DescribedApi(*release, hook.name, None, citations))))
        for kind, hook in _hooks(target).items()
        for citations in [said[hook.name].citations]
    }
    return replace(target, record=record, spoken=said, promised=promised)


def _promised(kind: str, documents: Iterable[Document], hook: DescribedApi) -> Iterator[Citation]:
    """The claims of the documentation of a hook about what this transform computes."""
    for document in documents:
        cited = [Citation(document, claim) for claim in document.claims.values() if claim.transform == kind]
        yield from (citation for citation in cited if binds(citation, hook))


@dataclass(frozen=True)
class _OfText:
    """The examples of the documentation of an object."""

    examples: Sequence[Example]
    untestable: Mapping[str, str]
    """By the hash of one that nothing can test, the reason."""
    lacks_kernel: bool
    """The target's device has no kernel for any of its APIs."""

    @property
    def runs(self) -> bool:
        """Whether any of them is judged."""
        return not self.lacks_kernel and any(example.piece.hash not in self.untestable for example in self.examples)


def run_examples(
    target: StartedTarget, names: Iterable[str], shipped: Shipped, documents: Iterable[Document], client: Client
) -> Iterator[ExampleRecord]:
    """The examples in the documentation of objects with these names.

    They are written for the framework's default mode, so no other mode runs them. If one fails, those of its text are
    repeated in a fresh process, since others may have changed theirs.
    """
    if not target.record.default_mode:
        return
    described = [document for document in documents if document.framework == shipped.framework]
    client.close()
    for name in names:
        of_text = _of_text(target, shipped, described, name)
        records = _run(of_text, client)
        if any(record.fails for record in records):
            client.close()
            records = _run(of_text, client)
        for record in records:
            yield replace(record, target=target.record.id, object=name, apis=shipped.apis_of(name))
    client.close()


def documented_objects(target: StartedTarget, operations: Collection[str], calls: Callable[[str], bool]) -> list[str]:
    """The objects with the documentation of the APIs that implement these operations and are called."""
    chosen = [api for api in target.apis if api["operation"] in operations and calls(api["name"])]
    return sorted({name for api in chosen for name in api["documentation"]})


def _of_text(target: StartedTarget, shipped: Shipped, documents: Iterable[Document], name: str) -> _OfText:
    groups = [group for document in documents for group in document.untestable]
    return _OfText(
        examples(shipped.texts.get(name, "")),
        {sentence: group.reason for group in groups for sentence in group.rests.get(name, ())},
        all(api["lacks_kernel"] for api in target.apis if name in api["documentation"]),
    )


def _run(of_text: _OfText, client: Client) -> list[ExampleRecord]:
    sources = [statement.source for example in of_text.examples for statement in example.statements]
    return list(_judged(of_text, client.example(sources) if of_text.runs else []))


def _judged(of_text: _OfText, outcome: Sequence[Message] | Died | Hung) -> Iterator[ExampleRecord]:
    """A record of each example; the caller adds what is the same for all."""
    done = 0
    has_failed = False
    for example, is_random in zip(of_text.examples, random_examples(of_text.examples), strict=True):
        record = ExampleRecord("", "", str(example.piece.place), example.piece.hash, [], "agrees")
        if example.piece.hash in of_text.untestable:
            yield replace(record, verdict="untestable", explanation=of_text.untestable[example.piece.hash])
        elif of_text.lacks_kernel:
            yield replace(record, verdict="unsupported", explanation="The device has no kernel for it.")
        elif isinstance(outcome, Died | Hung):
            yield replace(record, verdict=outcome.status, explanation=f"The process {outcome.phrase}.")
        elif not example.statements:
            yield replace(record, verdict="raised", explanation="It is not in the form of an interactive session.")
        else:
            replies = outcome[done : done + len(example.statements)]
            compared = _compared(record, example.statements, replies, has_failed=has_failed)
            if is_random and compared.mismatch in _BY_CHANCE:
                compared = replace(record, verdict="untestable", explanation=RANDOM)
            has_failed = has_failed or compared.verdict == "raised"
            yield compared
        done += len(example.statements)


def _compared(
    record: ExampleRecord, statements: Sequence[ExampleStatement], replies: Sequence[Message], *, has_failed: bool
) -> ExampleRecord:
    """The record of an example by the first of its statements that fails.

    has_failed: an earlier example of the text did not run, so names may be missing that it should have defined.
    """
    for number, (statement, reply) in enumerate(zip(statements, replies, strict=True), 1):
        failed = _failed(replace(record, statement=number), statement, reply)
        if failed is not None:
            is_missing = has_failed and failed.error is not None and failed.error.type == "NameError"
            says = f"Statement {number} needs a name of an earlier example that does not run."
            return replace(failed, verdict="blocked", error=None, explanation=says) if is_missing else failed
    return record


def _failed(record: ExampleRecord, statement: ExampleStatement, reply: Message) -> ExampleRecord | None:
    """The record of an example of which this statement fails; None if it does not."""
    error = reply.get("error")
    subject = f"Statement {record.statement}"
    if error is not None and statement.error is None:
        raised = Error(error, reply["message"])
        return replace(record, verdict="raised", error=raised, explanation=f"{subject} raises {error}.")
    if error != statement.error:
        says = f"{subject} should raise {statement.error} and {f'raises {error}' if error else 'returns'}."
        return replace(record, verdict="differs", mismatch="error", explanation=says)
    different = mismatch(statement.printed, reply["printed"]) if statement.printed else None
    if different is None:
        return None
    return replace(
        record, verdict="differs", mismatch=different.what, explanation=f"{subject} prints {different.says}."
    )
