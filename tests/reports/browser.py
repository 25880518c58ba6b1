"""A real Chromium, spoken to over its debugging pipe: what a test needs of a browser and nothing else."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "no chromium or no bash is installed; install Debian's chromium to run the browser tests"
AVAILABLE = CHROMIUM is not None and shutil.which("bash") is not None

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
]

WAIT = """
new Promise((resolve, reject) => {
  const until = performance.now() + 10000;
  const look = () => {
    const value = (() => { try { return (%s); } catch { return false; } })();
    if (value) resolve(true);
    else if (performance.now() > until) reject(new Error("never came true"));
    else setTimeout(look, 5);
  };
  look();
})
"""


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        self.errors: list[str] = []
        """Exceptions, console errors and violations of the policy."""
        self.loaded = False

    def call(self, method: str, **parameters: Any) -> Any:
        return self._browser.call(method, parameters, self._session)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Return as soon as an expression is true."""
        self.evaluate(WAIT % expression)

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            codes = {"Escape": 27, "Tab": 9, "Enter": 13}
            text = {"text": "\r"} if key == "Enter" and kind == "rawKeyDown" else {}
            kind = "keyDown" if text else kind  # noqa: PLW2901
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **text)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def take(self, message: dict[str, Any]) -> None:
        """Keep what an event says."""
        parameters = message["params"]
        if message["method"] == "Page.loadEventFired":
            self.loaded = True
        elif message["method"] == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif message["method"] == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"]))
        elif message["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])


class Browser:
    """A Chromium with a profile of its own that is removed afterwards."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._process = process
        self._to = os.fdopen(to, "wb", buffering=0)
        self._back = os.fdopen(back, "rb")
        self._number = 0
        self._pages: dict[str, Page] = {}
        self._events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._to.close()
        self._back.close()
        self._process.terminate()
        self._process.wait(timeout=20)

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> Any:
        """Send a command, take the events before its answer, return the answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": session} if session else {}
        self._to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._back.read(1)) != b"\0":
            assert byte, "chromium closed its pipe"
            text += byte
        message: dict[str, Any] = json.loads(text)
        page = self._pages.get(message.get("sessionId", ""))
        if page and "method" in message:
            page.take(message)
        return message

    def open(
        self, address: str, width: int = 1400, height: int = 900, *, dark: bool = False, scripts: bool = True
    ) -> Page:
        """A new tab at an address, loaded."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        page.call("Page.navigate", url=address)
        while not page.loaded:
            self._read()
        return page


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        their_in, to = os.pipe()
        back, their_out = os.pipe()
        # bash, since a plain shell may know no descriptor above 9
        command = f'exec "$0" "$@" 3<&{their_in} 4>&{their_out}'
        process = subprocess.Popen(
            ["bash", "-c", command, str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(their_in, their_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        with Browser(process, to, back) as browser:
            yield browser
