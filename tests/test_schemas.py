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
