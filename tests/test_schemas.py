from __future__ import annotations

from pathlib import Path

import pytest

from conformance.schemas import schemas, text_of

FOLDER = Path(__file__).parent.parent / "reports" / "schemas"


@pytest.mark.parametrize("name", schemas())
def test_the_published_schema_is_the_one_that_the_program_goes_by(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == text_of(schemas()[name]), (
        "run: python -m conformance.schemas reports/schemas"
    )


def test_nothing_is_published_that_the_program_does_not_know() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(schemas())


@pytest.mark.parametrize("name", schemas())
def test_a_schema_names_its_dialect_and_itself(name: str) -> None:
    schema = schemas("https://site.test/schemas/")[name]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://site.test/schemas/{name}"
    assert schema["title"]


@pytest.mark.parametrize("name", ["spec", "documents", "case", "regressions"])
def test_an_editor_shows_what_each_key_of_a_spec_means(name: str) -> None:
    schema = schemas()[f"{name}.schema.json"]
    for part in [schema, *schema["$defs"].values()]:
        assert part["description"]
        assert [key for key, value in part["properties"].items() if not value.get("description")] == []
    assert "](" not in text_of(schema), "an editor cannot follow links to pages"
