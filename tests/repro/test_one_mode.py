"""A script has no branches of an adapter's ``setup`` and ``prepare`` for other modes than its own."""

from __future__ import annotations

import textwrap

import pytest

from conformance.repro.source import AdapterSource

ADAPTER = textwrap.dedent(
    """
    import frame

    COMPILED = {"fast": True, "faster": False}
    EXPORTED = ("file",)
    MODES = ("eager", *COMPILED, *EXPORTED)
    COMPUTED = tuple(frame.modes())


    def compiler(mode):
        return frame.compiler(mode)


    def exporter(mode):
        return frame.exporter(mode)


    def setup(device, mode):
        if mode not in MODES:
            raise ValueError(mode)
        frame.use(device)
        if mode in COMPILED:
            compiler(mode)
        if mode == "file" or mode in EXPORTED:
            exporter(mode)
        if device == "gpu" or mode == "fast":
            frame.warm_up()
        if mode in COMPUTED:
            frame.computed()
        if mode != "eager":
            frame.other()
        else:
            frame.plain()


    def take(input, index, mode):
        if mode == "clip":
            return frame.clipped(input, index)
        return frame.take(input, index)
    """
)


def script(mode: str) -> str:
    """What a script in this mode quotes of the adapter."""
    return "\n".join(
        AdapterSource(ADAPTER).for_mode(mode).definitions([f"setup('cpu', {mode!r})", "take(x, i, 'clip')"])
    )


@pytest.mark.parametrize(
    ("mode", "there", "gone"),
    [
        ("eager", ["frame.use(device)"], ["compiler", "exporter", "EXPORTED", "raise ValueError"]),
        ("faster", ["compiler(mode)", "def compiler"], ["exporter", "raise ValueError"]),
        ("file", ["exporter(mode)", "def exporter"], ["compiler(mode)"]),
        ("unknown", ["raise ValueError"], ["compiler(mode)", "exporter(mode)"]),
    ],
)
def test_only_what_the_mode_does_is_quoted(mode: str, there: list[str], gone: list[str]) -> None:
    text = script(mode)
    assert [part for part in there if part not in text] == []
    assert [part for part in gone if part in text] == []


@pytest.mark.parametrize("mode", ["eager", "fast", "file"])
def test_what_does_not_depend_on_the_mode_alone_stays(mode: str) -> None:
    text = script(mode)
    for part in ("frame.warm_up()", "frame.computed()", "frame.other()", "frame.plain()"):
        assert part in text


def test_an_argument_of_an_api_that_is_called_mode_is_none() -> None:
    assert "frame.clipped(input, index)" in script("eager")
