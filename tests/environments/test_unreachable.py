"""No network, a wrong address and an index that does not answer are told apart."""

from __future__ import annotations

import errno
import socket
import urllib.error
from typing import Any

import pytest

from conformance.environments.unreachable import Cause, Unreachable, connection_problem, explained, unanswered


def problem(host: str, cause: Cause, setting: str | None = "PIP_INDEX_URL") -> Unreachable:
    return Unreachable(f"https://{host}/simple", "the reason", cause, setting)


def test_a_machine_without_a_network_is_said_to_have_none() -> None:
    for problems in (
        [problem("a.example", "network")],
        [problem("a.example", "network"), problem("b.example", "name", "UV_INDEX")],
        [problem("a.example", "name"), problem("b.example", "name", "PIP_EXTRA_INDEX_URL")],
    ):
        text = explained(problems)
        assert text.startswith("there is no network: https://a.example/simple (set by PIP_INDEX_URL): the reason")
        assert "Connect this machine" in text


def test_one_name_that_no_host_has_may_be_a_mistake_in_the_address() -> None:
    text = explained([problem("a.example", "name"), problem("a.example", "name", "PIP_EXTRA_INDEX_URL")])
    assert text.startswith("no host has the name in the address of a package index: https://a.example/simple (set by ")
    assert "Correct or unset PIP_INDEX_URL and PIP_EXTRA_INDEX_URL;" in text


def test_an_index_that_does_not_answer_is_not_a_lack_of_network() -> None:
    text = explained([problem("a.example", "name"), problem("b.example", "index", None)])
    assert text.startswith(
        "a package index does not answer: https://a.example/simple (set by PIP_INDEX_URL): the reason; "
    )
    assert "https://b.example/simple: the reason. Try again later" in text


def test_an_address_that_nobody_has_set_is_no_mistake() -> None:
    errors = "error: Failed to fetch: https://pypi.org/simple/toy/\n  cause: dns error\n  cause: unknown"
    summary = "Failed to fetch: https://pypi.org/simple/toy/: unknown"
    found = unanswered(errors, summary, {})
    assert found == Unreachable("https://pypi.org/simple/toy/", "unknown", "network")
    own = unanswered(errors, summary, {"https://me:secret@pypi.org/simple": "UV_INDEX"})
    assert own == Unreachable("https://***@pypi.org/simple", "unknown", "name", "UV_INDEX")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "later"), "network"),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "name"),
        (OSError(errno.ENETUNREACH, "no way"), "network"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "index"),
        (TimeoutError(), "index"),
    ],
)
def test_the_error_of_a_connection_says_which_it_is(
    monkeypatch: pytest.MonkeyPatch, error: OSError, cause: Cause
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise urllib.error.URLError(error)

    monkeypatch.setattr("urllib.request.OpenerDirector.open", fails)
    found = connection_problem(f"http://index.invalid/{cause}/{type(error).__name__}/{error.errno}")
    assert found is not None
    assert found[0] == cause
