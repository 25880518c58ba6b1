"""``conformance docs``: its commands with their arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.selecting import check_targets
from conformance.cli.commands.options import INTERPRETER, options


class _DefaultGroup(click.Group):
    """A group that runs ``show``, unless another command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(name="docs", cls=_DefaultGroup)
def command() -> None:
    """Read the documentation that ships with a target, sentence by sentence.

    \b
    conformance docs torch.gather              the text with the claims that rest on it
    conformance docs --target torch --unread   what nobody has read in this version
    conformance docs add HASH --target torch --document torch.gather
    conformance docs diff torch==2.12.0 torch==2.13.0
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph


@command.command(name="show")
@click.argument("apis", nargs=-1, metavar="[API]...")
@click.option("--target", metavar="T", help="A target as for run, such as torch, 'torch==2.13.0' or ./mine.py; by default the one that maps the API.")  # fmt: skip
@click.option("--unread", is_flag=True, help="Only what no claim rests on, and claims that lost a sentence.")
@click.option("--markdown", is_flag=True, help="As Markdown, for an issue.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with hashes and places but no text.")
@options("specs", *INTERPRETER)
def show(
    apis: tuple[str, ...], target: str | None, specs: Path | None, python: Path | None, *,
    here: bool, offline: bool, **output: bool,
) -> int:  # fmt: skip
    """Print the documentation that ships with a target by sentence: the claims that rest on each, or why nothing can test it.

    This is the default. API may be a pattern such as 'torch.Tensor.*'; by default all APIs of the target. The text is
    third-party text and is only printed. The exit status does not depend on it.
    """
    check_targets([target] if target is not None else [])
    from conformance.cli.docs_show import show_documentation
    from conformance.execution.plan import Interpreters

    return show_documentation(apis, target, specs, Interpreters(python, here, offline), **output)


@command.command(name="add")
@click.argument("sentences", nargs=-1, required=True, metavar="HASH|API...")
@click.option("--target", required=True, metavar="T", help="The target whose documentation has the sentences.")
@click.option("--document", required=True, metavar="ID", help="The document; it is created if it does not exist.")
@click.option("--locator", metavar="L", help="The locator of the claim; by default where the sentence stands.")
@click.option("--says", metavar="TEXT", help="What the claim says, in your own words.")
@click.option("--refers", metavar="OBJECT", help="The object to whose documentation the sentences refer.")
@click.option("--untestable", "group", metavar="GROUP", help="Add them to a group of sentences that no case can test.")
@click.option("--reason", metavar="TEXT", help="Why no case can test the group, in your own words.")
@options("specs", *INTERPRETER)
def add(
    sentences: tuple[str, ...], target: str, specs: Path | None, python: Path | None, *,
    here: bool, offline: bool, **entries: Any,
) -> int:  # fmt: skip
    """Write sentences into the documents, each as a claim to be put into words, and their hashes into the lock files.

    A claim that exists gets more sentences. For the name of an API, all its unread statements are added. A sentence that
    several of the document's APIs have is added for each of them.
    """
    check_targets([target])
    from conformance.cli.docs_add import NewEntries, add_sentences
    from conformance.execution.plan import Interpreters

    return add_sentences(sentences, target, NewEntries(**entries), specs, Interpreters(python, here, offline))


@command.command(name="diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.argument("apis", nargs=-1, metavar="[API]...")
@click.option("--results", type=click.Path(path_type=Path), nargs=2, metavar="A.jsonl B.jsonl", help="Their results, to set changes in behaviour beside those of text.")  # fmt: skip
@click.option(
    "--markdown", is_flag=True, help="As Markdown, with the claims that rest on a sentence instead of its text."
)
@options("specs", *INTERPRETER)
def diff(
    before: str, after: str, apis: tuple[str, ...], results: tuple[Path, Path] | None, specs: Path | None,
    python: Path | None, *, here: bool, offline: bool, markdown: bool,
) -> int:  # fmt: skip
    """Show which sentences of the documentation changed from target A to target B, word by word.

    With the results of both, say where behaviour changed and the text did not, where the text changed and behaviour did
    not, and where both did. The text is third-party text and is only printed.
    """
    check_targets([before, after])
    from conformance.cli.docs_diff import compare_documentation
    from conformance.execution.plan import Interpreters

    interpreters = Interpreters(python, here, offline)
    return compare_documentation(before, after, apis, results, specs, interpreters, markdown=markdown)
