"""Commands that take long say on a terminal what they do."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from conformance.cli.commands.announced import announced


class Timer:
    """A timer whose time is up at once, or never."""

    daemon = False

    def __init__(self, up: bool, call: Callable[..., object], words: tuple[str], more: dict[str, bool]) -> None:
        self._up, self._call, self._words, self._more = up, call, words, more
        self.cancelled = False

    def start(self) -> None:
        if self._up:
            self._call(*self._words, **self._more)

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize(
    ("terminal", "up", "said"), [(True, True, "reading the specs ...\n"), (True, False, ""), (False, True, "")]
)
def test_what_takes_long_is_said_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, up: bool, said: str
) -> None:
    timers: list[Timer] = []

    def timer(_: float, call: Callable[..., object], words: tuple[str], more: dict[str, bool]) -> Timer:
        timers.append(Timer(up, call, words, more))
        return timers[-1]

    monkeypatch.setattr("conformance.cli.commands.announced.threading.Timer", timer)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with announced("reading the specs"):
        assert not any(timer.cancelled for timer in timers)
    assert capsys.readouterr().err == said
    assert [timer.cancelled for timer in timers] == ([True] if terminal else [])
