"""The page on the keys of specs, made from the docstrings and types of the forms.

``python -m conformance.spec_keys docs/spec-keys.md`` updates it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conformance.docstrings import of_class, of_fields
from conformance.specification import file_format as form
from conformance.specification.programs.file import ProgramTemplate

HEAD = """\
# Keys of specs

Each form of the YAML files has a table of its keys here: what stands there, what is meant without the key, and what it means. The
[spec reference](specs.md) says which files there are, and how [literals](specs.md#literals) and [expressions](specs.md#expressions) are written.
Names are lower-case words with hyphens, or those of arguments, with underscores. Unknown keys are errors.

This page is made from the docstrings in `conformance/specification/file_format.py`, as are the [schemas for editors](specs.md#in-an-editor).
"""
SECTIONS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "a spec": (
        *(form.SpecFile, form.ArgumentPart, form.ResultPart, form.ExamplePart, form.RulePart),
        *(form.BehaviourPart, form.RelationPart, form.RelationCasePart),
    ),
    "a call": (form.CallPart, form.OutcomePart),
    "documents": (
        *(form.DocumentsFile, form.DocumentPart, form.ClaimPart, form.ErratumPart, form.ProofPart),
        *(form.FalseOnExamplePart, form.ImpossibleTypePart, form.CallRefusedPart),
        *(form.FalseWhenRunPart, form.ObservationPart),
    ),
    "case files": (form.CaseFilePart, form.FoundPart, form.RegressionsPart),
    "programs around calls": (ProgramTemplate,),
}
"""By what they are about, the forms in the order of the page."""
_LITERAL = "[literal](specs.md#literals)"
_EXPRESSION = "[expression](specs.md#expressions)"
_TITLES = {part.__name__: str(part.model_config["title"]) for parts in SECTIONS.values() for part in parts}


def page() -> str:
    """The text of the page."""
    contents = "\n".join(
        f"| {group} | {', '.join(_link(part.__name__) for part in parts)} |" for group, parts in SECTIONS.items()
    )
    sections = (_section(part) for parts in SECTIONS.values() for part in parts)
    return f"{HEAD}\n| of | forms |\n|---|---|\n{contents}\n\n" + "\n\n".join(sections) + "\n"


def _section(part: type[BaseModel]) -> str:
    properties = part.model_json_schema()["properties"]
    texts = of_fields(part)
    own = inspect.get_annotations(part)
    base = part.__mro__[1]
    inherited = [f"It has the keys of {_link(base.__name__)} too."] if base.__name__ in _TITLES else []
    rows = [
        f"| `{info.alias or name}` | {_value(properties[info.alias or name])} | {_default(info.is_required(), info.default)} "
        f"| {texts[name]} |"
        for name, info in part.model_fields.items()
        if name in own
    ]
    table = "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows])
    return "\n\n".join([f"## {_TITLES[part.__name__]}", of_class(part), *inherited, table])


def _link(name: str) -> str:
    title = _TITLES[name].lower()
    return f"[{title}](#{title.replace(' ', '-')})"


def _default(is_required: bool, default: object) -> str:
    if is_required:
        return "required"
    return f"`{str(default).lower()}`" if isinstance(default, str | bool) and default != "" else ""


def _value(schema: Mapping[str, Any]) -> str:
    """What a value may be, as its schema says."""
    return " or ".join(_words(one) for one in schema.get("anyOf", [schema]) if one.get("type") != "null")


def _words(schema: Mapping[str, Any]) -> str:
    """The kind of value that a schema without alternatives allows."""
    match schema:
        case {"$ref": str(name)}:
            return _link(name.rpartition("/")[2])
        case {"enum": [*words]}:
            return ", ".join(f"`{word}`" for word in words)
        case {"type": "string", "const": word}:
            return f"`{word}`"
        case {"type": "array", "items": items}:
            return f"a list of: {_value(items)}"
        case {"type": "object"}:
            inner = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
            return f"by name: {next((_value(one) for one in inner if isinstance(one, dict)), _LITERAL)}"
        case {"type": ["string", "boolean"]}:
            return _EXPRESSION
        case {"type": "string"}:
            return _of_text(schema.get("pattern"))
        case {"type": str(kind)}:
            return _of_number(kind, schema)
        case _:
            return _LITERAL


def _of_text(pattern: str | None) -> str:
    if pattern is None:
        return "text"
    return "a name" if pattern in (form.SLUG, form.IDENTIFIER) else form.PATTERNS[pattern]


def _of_number(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "boolean":
        return "`true`" if schema.get("const") is True else "`true` or `false`"
    return f"a number from {schema['minimum']} to {schema['maximum']}" if "maximum" in schema else "a number"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
