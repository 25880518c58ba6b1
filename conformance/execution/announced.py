"""The calls that were announced to a worker, which can begin with them before their replies are waited for."""

from __future__ import annotations

from collections import deque

from conformance.cases.model import ApiCall

_AHEAD = 32_768
"""Maximum number of bytes to send ahead: less than the buffer of any pipe, so that sending never blocks."""
_LONGEST_PAUSE = 0.001
_SHORTEST_PAUSE = 0.0001
"""Seconds; a shorter one saves nothing."""
_SHARE = 0.25
"""Share of the announced calls that are made during a pause, so that the worker always has some to make."""
_WEIGHT = 1 / 16
"""Weight of a call's duration in the moving average."""


class Announced:
    """The announced calls that were not made yet, in their order, with those of their frames that were not sent yet."""

    def __init__(self) -> None:
        self._calls: deque[tuple[ApiCall, bytes]] = deque()
        self._size = 0
        """The sum of the sizes of their frames."""
        self._unsent = bytearray()
        self._seconds = 0.0
        """Moving average of how long calls take."""

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, call: ApiCall, frame: bytes) -> bool:
        """Announce a call; False if the buffer is full."""
        if self._size + len(frame) > _AHEAD:
            return False
        self._calls.append((call, frame))
        self._size += len(frame)
        self._unsent += frame
        return True

    def take(self, call: ApiCall) -> bool:
        """Remove a call if it is the first; False if it is not."""
        if self._calls and self._calls[0][0] is call:
            self.take_first()
            return True
        return False

    def take_first(self) -> ApiCall:
        """Remove the first call, and return it."""
        call, frame = self._calls.popleft()
        self._size -= len(frame)
        return call

    def take_frames(self) -> bytes:
        """The frames that are to be sent now."""
        frames = bytes(self._unsent)
        self._unsent.clear()
        return frames

    def send_again(self) -> None:
        """Send all frames again, to another worker."""
        self._unsent = bytearray().join(frame for _, frame in self._calls)

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
        self._unsent.clear()
        self._size = 0

    def note(self, seconds: float) -> None:
        """Note how long a call took."""
        self._seconds += _WEIGHT * (seconds - self._seconds)

    @property
    def pause(self) -> float:
        """Seconds in which replies may gather while the worker makes announced calls; 0 if they would gather too few.

        Being woken for each reply would take as long as judging one.
        """
        pause = min(_LONGEST_PAUSE, _SHARE * len(self._calls) * self._seconds)
        return pause if pause >= _SHORTEST_PAUSE else 0.0
