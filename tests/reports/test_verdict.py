"""The last lines of a run say why it passed or failed, and what to do next."""

from __future__ import annotations

import io
import shlex
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from conformance.findings.conclusions import Conclusions
from conformance.judging.vocabulary import FailOn
from conformance.reports.document import Code, Document, Sentence, text_of
from conformance.reports.terminal import show
from conformance.reports.verdict import next_steps, verdict
from conformance.results.exit_status import exit_status
from conformance.results.file import Results
from conformance.results.records import EndRecord, ResultRecord, UnexpectedRecord
from conformance.results.variations import DrawnProgramRecord, DrawnRecord, FoundRecord
from tests.reports.sample import sample

OUT = Path("out folder")


def only(keep: str | None = None, **changes: object) -> Results:
    """The sample with its targets that started, and with only the results of a verdict, changed."""
    results = sample()
    records: list[ResultRecord] = [one for one in results.results if one.verdict == keep]
    targets = [target for target in results.targets if target.blocked is None]
    changed = [replace(one, **changes) for one in records]  # type: ignore[arg-type]
    return replace(results, results=changed, targets=targets, end=EndRecord(True, {}, None))


def line(results: Results, fail_on: FailOn = "own", seconds: float | None = None) -> str:
    [sentence] = verdict(Conclusions(results), fail_on, seconds=seconds, status_shown=True)
    assert isinstance(sentence, Sentence)
    status, text = exit_status(results, fail_on), text_of(sentence.line)
    assert sentence.role == ("alarm" if status else "good")
    assert text.endswith(f"; exit status {status}")
    return text


def asked(results: Results, result: ResultRecord) -> str:
    return next(target.asked or target.id for target in results.targets if target.id == result.target)


def steps_after(results: Results, fail_on: FailOn = "own") -> list[str]:
    blocks = list(next_steps(Conclusions(results), fail_on, OUT))
    return [command for block in blocks if isinstance(block, Code) for command in block.lines]


def test_a_run_without_anything_unexpected_passes() -> None:
    results = only("conforms")
    count = len(results.results)
    assert line(results) == f"passed: nothing unexpected ({count} results); exit status 0"
    assert line(results, seconds=74.2).endswith(" in 74 s); exit status 0")
    assert steps_after(results) == []


def test_known_divergences_are_counted_and_do_not_fail() -> None:
    results = only("diverges", known="an-entry", standing="own")
    count = len(results.results)
    assert count > 1
    assert line(results) == f"passed: nothing unexpected ({count} results); exit status 0"


def test_a_failed_run_says_what_failed_it_and_how_to_go_on() -> None:
    results = only("diverges", known=None, standing="own")
    causes = len({(one.api, one.clause, *one.divergence) for one in results.results})
    assert f"failed: new: breaks its own documentation: {causes} causes, " in line(results)
    *scripts, last = steps_after(results)
    assert len(scripts) == 3
    assert last == "conformance known update 'out folder'"
    of_causes = [{(one.case, one.api) for one in cause.results} for cause in Conclusions(results).causes if cause.own]
    named = [(words[2], words[words.index("--api") + 1]) for words in map(shlex.split, scripts)]
    assert all(call in calls for call, calls in zip(named, of_causes, strict=False))


def test_what_failed_only_with_portability_is_recorded_with_all() -> None:
    results = only("diverges", known=None, standing="portability")
    assert steps_after(results, "any")[-1] == "conformance known update 'out folder' --all"


def test_a_call_that_was_not_confirmed_is_made_again_and_nothing_else_is_named() -> None:
    wrong = only("diverges", known=None, standing="own").results[0]
    other = replace(wrong, standing="portability", api="another.api")
    unconfirmed = replace(wrong, confirmed="no")
    results = replace(only(), results=[other, unconfirmed])
    assert "1 finding that was not confirmed" in line(results)
    assert steps_after(results) == [
        f"conformance run {shlex.quote(asked(results, wrong))} {wrong.case} --api {wrong.api}"
    ]


def test_a_target_that_did_not_start_is_not_followed_by_a_difference_of_another() -> None:
    results = only("diverges", known=None, standing="portability")
    assert len(steps_after(results)) == 1
    targets = [*results.targets, replace(sample().targets[0], id="other@cpu", blocked="no driver")]
    assert steps_after(replace(results, targets=targets)) == []


def test_an_unexpected_pass_is_followed_by_the_command_that_removes_it() -> None:
    passes = [UnexpectedRecord("mine", "an-entry", "passed", ["gather_nd.rule.range/*"], "it passed")]
    results = replace(only("conforms"), end=EndRecord(True, {}, None, passes))
    assert steps_after(results) == ["conformance known update 'out folder' --prune"]


def test_the_command_of_a_target_has_the_options_that_it_was_run_with() -> None:
    results = only("diverges", known=None, standing="own")
    first = results.results[0]

    def options(command: str, target: str = "./mine.py", *, here: bool = False) -> str:
        targets = [replace(one, asked=target, here=here) if one.id == first.target else one for one in results.targets]
        changed = replace(results, run=replace(results.run, command=command), targets=targets, results=[first])
        return steps_after(changed)[0].partition(f" --api {first.api}")[2].strip()

    assert options("conformance run ./mine.py --here --output x --draws 5") == "--here"
    assert (
        options("conformance run ./mine.py --python=venv/bin/python --timeout 2")
        == "--python venv/bin/python --timeout 2"
    )
    assert options("conformance run torch --specs 'my specs'") == "--specs 'my specs'"
    assert (
        options("conformance.run(['./mine.py'], specs='my specs', draws=3, here=True)") == "--here --specs 'my specs'"
    )
    assert options("conformance.run(['torch'])", "torch") == ""
    of_pytest = "pytest --conformance ./mine.py --conformance-specs s tests"
    assert options(of_pytest, here=True) == "--here --specs s"
    assert options(of_pytest) == "--specs s"  # what has a target.toml has an environment of its own
    assert options(f"{of_pytest} --conformance-python p", here=True) == "--python p --specs s"
    assert options("pytest --conformance torch", "torch") == ""
    assert options("conformance.run(") == ""


def test_an_adapter_elsewhere_has_its_ledger_named_since_results_cannot_choose_one() -> None:
    results = only("diverges", known=None, standing="own")
    first = results.results[0]
    [target] = (one for one in results.targets if one.id == first.target)
    asked = "../an@other/mine.py[compile]@cpu"
    elsewhere = replace(target, asked=asked, file="../an@other/mine.py")
    known = "--known ../an@other/divergences.yaml"
    alone = replace(results, targets=[elsewhere], results=[first])
    assert steps_after(alone)[-1] == f"conformance known update 'out folder' {known}"
    passes = [UnexpectedRecord(first.target, "an-entry", "passed", ["gather_nd.rule.range/*"], "it passed")]
    passed = replace(alone, results=only("conforms").results[:1], end=EndRecord(True, {}, None, passes))
    assert steps_after(passed) == [f"conformance known update 'out folder' --prune {known}"]
    beside = replace(target, id="other", asked="./mine.py", file="./mine.py")
    assert "known update" not in steps_after(replace(alone, targets=[elsewhere, beside]))[-1]


def test_a_drawn_call_is_made_again_as_it_was_drawn() -> None:
    wrong = replace(only("diverges", known=None, standing="own").results[0], confirmed="no")
    results = replace(only(), results=[wrong])
    run = replace(results.run, command="conformance run torch --case 'its case.yaml'", draws=7, programs=9, seed=3)
    case = results.cases[wrong.case]

    def chosen(command: str = run.command, **changes: object) -> str:
        cases = {**results.cases, case.id: replace(case, **changes)}  # type: ignore[arg-type]
        [step] = steps_after(replace(results, run=replace(run, command=command), cases=cases))
        return step.partition(shlex.quote(asked(results, wrong)))[2].partition("--api")[0].strip()

    assert chosen() == wrong.case
    assert chosen(variation=DrawnRecord()) == f"{wrong.case} --draws 7 --seed 3"
    assert chosen(variation=DrawnProgramRecord("r = call()"), number=1) == f"{wrong.case} --programs 9 --seed 3"
    assert chosen(variation=FoundRecord(), number=1) == "--case 'its case.yaml'"
    assert chosen("conformance run torch", variation=FoundRecord(), number=1) == wrong.case
    file = f"{wrong.case.replace('/', '.')}.yaml"
    assert chosen(variation=FoundRecord(), number=None) == f"--case 'out folder/counterexamples/{file}'"


def test_the_script_of_a_call_that_no_spec_has_needs_the_results() -> None:
    results = only("diverges", known=None, standing="own")
    first = next(one for one in results.results if "unstable" not in one.divergence)
    results = replace(results, results=[first])
    for changes in ({"variation": DrawnRecord()}, {"variation": FoundRecord(), "number": None}, {}):
        case = replace(results.cases[first.case], **changes)
        step = steps_after(replace(results, cases={**results.cases, first.case: case}))[0]
        assert ("--results 'out folder'" in step) is bool(changes)
    dependent = replace(first, divergence=[*first.divergence, "contaminated"])
    [step, _] = steps_after(replace(results, results=[dependent]))
    assert step.endswith("--results 'out folder'")


def test_portability_is_named_only_where_it_fails_the_run() -> None:
    results = only("diverges", known=None, standing="portability")
    assert line(results).startswith("passed: nothing unexpected")
    assert "new: differs from another API's documentation: " in line(results, "any")


def test_deaths_and_hangs_have_names_of_their_own() -> None:
    results = replace(only(), results=[*only("died", known=None).results, *only("hung", known=None).results])
    assert "new: died or hung: 2 causes, 2 findings" in line(results)


def test_an_interrupted_run_can_be_resumed() -> None:
    results = replace(only("conforms"), end=EndRecord(False, {}, "interrupted"))
    assert line(results).startswith("failed: incomplete run: interrupted (")
    [step] = steps_after(results)
    assert step.startswith("conformance run ")
    assert step.endswith("--resume 'out folder'")


def test_a_target_that_was_not_run_and_a_run_that_judged_nothing_are_reasons() -> None:
    blocked = replace(only("conforms"), targets=[replace(sample().targets[0], blocked="no driver")])
    assert "1 target could not be run" in line(blocked)
    assert line(only()) == "failed: nothing was judged (0 results); exit status 5"
    assert "nothing was judged" in line(only("unsupported"))


def test_a_shard_may_have_nothing_to_judge() -> None:
    results = only()
    assert line(replace(results, run=replace(results.run, shard="1/2"))).startswith("passed")


def test_commands_are_not_folded_on_a_narrow_terminal() -> None:
    results = only("diverges", known=None, standing="own")
    file = io.StringIO()
    show(Document.of(next_steps(Conclusions(results), "own", OUT)), Console(file=file, width=40))
    assert [text for text in file.getvalue().splitlines() if text.startswith("  ")] == [
        f"  {step}" for step in steps_after(results)
    ]
