"""Calls handed to a worker ahead of time give what they give one by one, however the worker ends on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from conformance.cases.model import ApiCall
from conformance.execution.announced import Announced
from conformance.execution.client import Client
from conformance.outcomes.reply import digest
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import WorkerStarter
from tests.execution.harness import WRONG_ADAPTERS, fake_cases, job

CASES = {case.id.split(".")[2].partition("/")[0]: case for case in fake_cases()}


@pytest.fixture
def client() -> Iterator[Client]:
    prepared = job(WRONG_ADAPTERS / "misbehaving.py").prepare(lambda message: None)
    with staged_worker() as script, closing(WorkerStarter(prepared, script)) as starter:
        client = Client(starter, 5.0)
        client.start()
        yield client
        client.close()


def _made(case: str, api: str = "fake.right") -> ApiCall:
    return ApiCall(CASES[case].call, api, case)


def _outcome(client: Client, made: ApiCall) -> str:
    observation = client.call(made)
    return digest(observation.result) if observation.result else observation.outcome.status


def test_announced_calls_are_answered_in_their_order(client: Client) -> None:
    calls = [_made("lucky"), _made("unlucky"), _made("lucky-again")]
    alone = [_outcome(client, one) for one in calls]
    assert all(client.announce(one) for one in calls)
    assert [_outcome(client, one) for one in calls] == alone
    assert len(set(alone)) == 3


def test_a_call_that_was_not_announced_goes_before_those_that_were(client: Client) -> None:
    announced, other = _made("lucky"), _made("unlucky")
    expected = [_outcome(client, other), _outcome(client, announced)]
    client.announce(announced)
    assert [_outcome(client, other), _outcome(client, announced)] == expected


def test_a_death_among_announced_calls_is_its_own(client: Client) -> None:
    calls = [_made("lucky"), _made("unlucky", "fake.segfault"), _made("lucky-again")]
    for one in calls:
        client.announce(one)
    outcomes = [_outcome(client, one) for one in calls]
    assert outcomes[1] == "died"
    assert "died" not in (outcomes[0], outcomes[2])


def test_calls_that_a_worker_left_unanswered_are_announced_to_the_next_one(client: Client) -> None:
    deadly, after, last = _made("unlucky", "fake.segfault"), _made("lucky"), _made("lucky-again")
    expected = [_outcome(client, after), _outcome(client, last)]
    for one in (deadly, after, last):
        client.announce(one)
    assert _outcome(client, deadly) == "died"
    assert client.announced == 2
    assert [_outcome(client, after), _outcome(client, last)] == expected
    assert client.announced == 0


def test_another_call_after_a_death_goes_before_those_that_were_announced(client: Client) -> None:
    deadly, announced, other = _made("unlucky", "fake.segfault"), _made("lucky"), _made("lucky-again")
    expected = [_outcome(client, other), _outcome(client, announced)]
    for one in (deadly, announced):
        client.announce(one)
    assert _outcome(client, deadly) == "died"
    assert [_outcome(client, other), _outcome(client, announced)] == expected


def test_a_death_of_a_call_whose_answer_is_thrown_away_is_not_blamed_on_another(client: Client) -> None:
    deadly, other = _made("unlucky", "fake.segfault"), _made("lucky")
    client.announce(deadly)
    assert _outcome(client, other) != "died"
    assert _outcome(client, deadly) == "died"


def test_there_is_no_room_for_more_than_a_pipe_holds(client: Client) -> None:
    announced = 0
    while client.announce(_made("lucky")):
        announced += 1
        assert announced < 1000
    assert announced > 10


@pytest.mark.parametrize("seconds", [0.00002, 0.0001, 0.5])
def test_replies_gather_only_while_the_worker_has_calls_to_make(seconds: float) -> None:
    announced, call = Announced(), _made("lucky")
    for _ in range(40):
        assert announced.add(call, b"")
        announced.note(seconds)
    assert 0 < announced.pause < min(40 * seconds, 0.01)
    for _ in range(40):
        assert announced.take(call)
    assert announced.pause == 0


def test_replies_to_fast_calls_do_not_gather() -> None:
    announced = Announced()
    for _ in range(40):
        announced.add(_made("lucky"), b"")
        announced.note(0.000005)
    assert announced.pause == 0
