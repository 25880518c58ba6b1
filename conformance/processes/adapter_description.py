"""What a worker says of its adapter once it has started; the adapter chooses most of it, so it is checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformance.environments.errors import TargetBlocked
from conformance.worker.frames import Message

Word = Annotated[str, Field(max_length=300)]
_Source = Annotated[str, Field(max_length=1_000_000)]
_Problem = Annotated[str, Field(max_length=2000)]
_Form = Annotated[tuple[Word, int, Word, Word | None], Field(strict=False)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class _About(_Part):
    framework: Word | None = None
    version: Annotated[str, Field(max_length=100, pattern=r"^[!-~]*$")] | None = None
    immutable: bool | None = None


class _Api(_Part):
    name: Word
    operation: Word
    composed: bool
    in_place: Word | None
    follows: Word | None
    index_dtypes: list[Word]
    dtypes: list[Word]
    helpers: dict[Word, Word]
    devices: list[Word]
    lacks_kernel: bool
    source: _Source


class _Ready(_Part):
    type: Literal["ready"]
    about: _About
    apis: list[_Api]
    python: Word
    numpy: Word
    executable: str
    os: Word
    arch: Word
    cpu: Annotated[list[Word], Field(max_length=1000)]
    unconverted: dict[Word, _Problem]
    guarded: list[Word]
    problems: list[Annotated[tuple[_Form, _Problem], Field(strict=False)]]
    hooks: dict[Word, list[Word]]
    modules: Annotated[dict[str, str], Field(max_length=100_000)]


def check_description(reply: Message, adapter: str) -> Message:
    """The worker's description of its adapter; TargetBlocked if it is not one."""
    try:
        _Ready.model_validate(reply)
    except ValidationError as error:
        raise TargetBlocked(f"{adapter}: {_problem(error, reply)}") from None
    return reply


def _problem(error: ValidationError, reply: Message) -> str:
    first = error.errors(include_url=False)[0]
    place, found = [*first["loc"]], repr(first["input"])
    return f"{_words(place, reply)} is {found[:100]}: {first['msg']}"


def _words(place: list[Any], reply: Message) -> str:
    match place:
        case ["about", name, *_]:
            return f"{name} in describe()"
        case ["apis", int(number), name, *_]:
            return f"{name} of the API {str(reply['apis'][number].get('name'))[:100]!r}"
    return ".".join(map(str, place)) or "its description"
