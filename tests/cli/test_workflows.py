"""The workflow and the action call what the command line has, and hand on nothing that a stranger wrote."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from conformance.cli.commands.docs import command as docs
from conformance.cli.main import conformance
from conformance.environments.definition import find_definitions
from conformance.environments.resolve import resolve
from tests.cli.command import REPOSITORY

WORKFLOW = REPOSITORY / ".github" / "workflows" / "conformance.yml"
CHECKS = WORKFLOW.with_name("checks.yml")
RELEASE = WORKFLOW.with_name("release.yml")
DOCUMENTATION = WORKFLOW.with_name("documentation.yml")
ACTION = REPOSITORY / "action.yml"
FILES = [WORKFLOW, CHECKS, RELEASE, DOCUMENTATION, ACTION]
NAMES = ["workflow", "checks", "release", "documentation", "action"]
PAGE = REPOSITORY / "docs" / "ci.md"


def content(file: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return parsed


def steps(of: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in of.get("jobs", {}).values():
        yield from job.get("steps", [])
    yield from of.get("runs", {}).get("steps", [])


def calls(script: str) -> Iterator[list[str]]:
    """The words of each line of a script that runs the command."""
    for line in script.splitlines():
        if re.match(r'\s*(conformance|"\$CONFORMANCE") ', line):
            yield shlex.split(line.partition("||")[0].partition(">")[0])


def options_of(name: str) -> set[str]:
    command = conformance.get_command(click.Context(conformance), name)
    assert command is not None, f"no command {name}"
    return {name for parameter in command.params for name in parameter.opts}


def page_examples() -> list[Any]:
    """A workflow, and steps of others: to test a build, and to open issues."""
    examples = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 3
    return list(map(yaml.safe_load, examples))


def test_the_action_uses_only_existing_commands_and_options() -> None:
    scripts = [step["run"] for step in steps(content(ACTION)) if "run" in step]
    called = [call for script in scripts for call in calls(script)]
    assert {call[1] for call in called} == {"run", "matrix", "diff"}
    for call in called:
        assert {word for word in call[2:] if word.startswith("-") and word != "--"} <= options_of(call[1])
    more = {word for script in scripts for word in re.findall(r"more\+=\((-[\w-]+)", script)}
    assert more == {"-k", "--specs", "--shard", "--smoke", "--api", "--python", "--here", "--offline"}
    assert more <= options_of("run")


def test_the_page_calls_what_there_is() -> None:
    for line in re.findall(r"(?m)^(?:\$ )?(conformance .*)$", PAGE.read_text(encoding="utf-8")):
        call = shlex.split(line, comments=True)
        assert {word for word in call[2:] if word.startswith("-")} <= options_of(call[1])


@pytest.mark.parametrize(
    ("given", "number"),
    [([*steps(content(WORKFLOW))], 2), ([*steps(page_examples()[0])], 2), (page_examples()[1], 1)],
    ids=["workflow", "page", "steps on the page"],
)
def test_workflows_give_the_action_inputs_that_it_has(given: list[dict[str, Any]], number: int) -> None:
    inputs = set(content(ACTION)["inputs"])
    uses = [step for step in given if re.match(r"\./|OWNER/conformance@", step.get("uses", ""))]
    assert len(uses) == number
    for step in uses:
        assert set(step["with"]) <= inputs


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_no_expression_stands_in_a_script(file: Path) -> None:
    # What a branch or an input is called would be executed as a part of the script.
    assert not [step for step in steps(content(file)) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("file", [*FILES, PAGE], ids=[*NAMES, "page"])
def test_actions_of_others_are_pinned_to_a_commit_and_say_its_version(file: Path) -> None:
    used = re.findall(r"uses: ((?:actions|pypa)/.*)", file.read_text(encoding="utf-8"))
    assert used
    assert all(re.fullmatch(r"[a-z]+/[a-z-]+(/[a-z]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in used)


def test_every_workflow_is_among_those_that_are_tested() -> None:
    assert sorted(WORKFLOW.parent.glob("*")) == sorted([WORKFLOW, CHECKS, RELEASE, DOCUMENTATION])


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (WORKFLOW, {("publish", "pages"), ("publish", "id-token")}),
        (CHECKS, set()),
        (RELEASE, {("publish", "id-token"), ("archives", "contents")}),
        (DOCUMENTATION, {("unread", "issues")}),
    ],
    ids=["workflow", "checks", "release", "documentation"],
)
def test_a_job_has_the_permissions_that_it_needs_and_no_others(file: Path, expected: set[tuple[str, str]]) -> None:
    workflow = content(file)
    assert workflow["permissions"] == {}
    writing = {
        (name, permission)
        for name, job in workflow["jobs"].items()
        for permission, access in job.get("permissions", {}).items()
        if access == "write"
    }
    assert writing == expected


@pytest.mark.parametrize("file", [WORKFLOW, CHECKS, RELEASE], ids=["workflow", "checks", "release"])
def test_no_checkout_leaves_its_credentials_behind(file: Path) -> None:
    checkouts = [step for step in steps(content(file)) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_checks_run_environments_that_tox_has_on_every_supported_python() -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(REPOSITORY / "tox.ini", encoding="utf-8")
    matrix = content(CHECKS)["jobs"]["tox"]["strategy"]["matrix"]
    environments = {*matrix["environment"], *(entry["environment"] for entry in matrix["include"])}
    in_tox = {*tox["tox"]["env_list"].split(", "), "coverage", "lowest"}
    assert environments == in_tox - {"frameworks"}
    pythons = [f"Programming Language :: Python :: {version}" for version in matrix["python"]]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [text for text in project["classifiers"] if re.search(r":: 3\.\d+$", text)] == pythons


def test_only_a_tag_publishes_a_release_and_only_after_it_was_checked() -> None:
    release = content(RELEASE)
    # YAML 1.1 takes the key `on` for a boolean.
    triggers = {str(key): value for key, value in release.items()}["True"]
    assert triggers["push"] == {"tags": ["v*"]}
    jobs = release["jobs"]
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "build": None, "publish": "build", "archives": "publish"
    }  # fmt: skip
    assert {name for name, job in jobs.items() if job.get("if") == "github.event_name == 'push'"} == {
        "publish",
        "archives",
    }
    scripts = "".join(step.get("run", "") for step in release["jobs"]["build"]["steps"])
    assert ["twine check --strict" in scripts, "conformance check" in scripts] == [True, True]


def script_of(name: str) -> str:
    [script] = [step["run"] for step in steps(content(ACTION)) if step.get("name") == name]
    return str(script)


def ran(script: str, folder: Path, **variables: str) -> list[str]:
    """The lines that a step of the action wrote to its output, which is also that of a `conformance` that prints its words."""
    program = folder / "conformance"
    program.write_text(
        '#!/bin/bash\nprintf "%s\\n" "$@" >> "$GITHUB_OUTPUT"\nif [ "$1" = env ]; then cat "$LISTED"; fi\n'
    )
    program.chmod(0o755)
    output = folder / "output"
    output.write_text("")
    settings = {"PATH": os.environ["PATH"], "CONFORMANCE": str(program), "GITHUB_OUTPUT": str(output), **variables}
    shell = ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]  # as GitHub runs it
    subprocess.run(shell, cwd=folder, env=settings, check=True)
    return output.read_text().splitlines()


AS_BY_DEFAULT = {
    "TARGET": "torch", "OUTPUT": "out", "KEYWORD": "", "SPECS": "", "DRAWS": "0", "SEED": "0", "SHARD": "", "SMOKE": "false",
    "API": "", "AT_LEAST": "0", "PYTHON": "", "HERE": "false", "OFFLINE": "false", "FAIL_ON": "own",
}  # fmt: skip
FIRST = ["run", "--output", "out", "--draws", "0", "--seed", "0", "--at-least", "0", "--fail-on", "own"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, []),
        ({"KEYWORD": "gather and not float"}, ["-k", "gather and not float"]),
        ({"SMOKE": "true"}, ["--smoke"]),
        ({"API": "torch.Tensor.*\ntorch.gather"}, ["--api", "torch.Tensor.*", "--api", "torch.gather"]),
        ({"PYTHON": ".venv/bin/python", "OFFLINE": "true"}, ["--python", ".venv/bin/python", "--offline"]),
        ({"HERE": "true"}, ["--here"]),
        ({"SPECS": "my specs", "SHARD": "2/5"}, ["--specs", "my specs", "--shard", "2/5"]),
    ],
)
def test_the_action_hands_its_inputs_to_the_run(tmp_path: Path, given: dict[str, str], words: list[str]) -> None:
    assert ran(script_of("Run"), tmp_path, **{**AS_BY_DEFAULT, **given}) == [*FIRST, *words, "--", "torch"]


def test_the_variables_of_the_run_are_those_of_the_inputs() -> None:
    [step] = [step for step in steps(content(ACTION)) if step.get("name") == "Run"]
    assert set(step["env"]) == set(AS_BY_DEFAULT)


def test_environments_are_kept_under_another_key_once_there_is_another(tmp_path: Path) -> None:
    listed = tmp_path / "listed"
    keys = []
    for names in (["torch-2.13.0-cpu"], ["torch-2.13.0-cpu"], ["torch-2.13.0-cpu", "torch-2.14.0-cpu"]):
        listed.write_text("".join(f'    "name": "{name}",\n' for name in names))
        made = ran(script_of("Name what is to be kept"), tmp_path, LISTED=str(listed), PREFIX="torch-", RESTORED="")
        keys += [line for line in made if line.startswith("key=torch-")]
    assert keys[0] == keys[1] != keys[2]
    restored = keys[2].removeprefix("key=")
    assert not [
        line
        for line in ran(
            script_of("Name what is to be kept"), tmp_path, LISTED=str(listed), PREFIX="torch-", RESTORED=restored
        )
        if line.startswith("key=")
    ]


def test_every_input_of_the_action_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in content(ACTION)["inputs"] if f"`{name}`" not in page] == []


def test_the_workflow_names_targets_that_there_are() -> None:
    script = next(step["run"] for step in steps(content(WORKFLOW)) if step.get("id") == "targets")
    chosen = [shlex.split(words) for words in re.findall(r"targets=\(([^)]*)\)", script)]
    assert len(chosen) == 2
    definitions = find_definitions(REPOSITORY / "adapters")
    assert all(resolve(names, definitions) for names in chosen)


TITLE = "json==2.0@cpu: documentation to read"


@pytest.mark.parametrize(
    ("unread", "issues", "opened"),
    [
        ("- [ ] sentence 3", "", True),
        ("- [ ] sentence 3", "json==1.0@cpu: documentation to read", True),
        ("- [ ] sentence 3", TITLE, False),
        ("", "", False),
    ],
    ids=["new release", "issue of another release", "issue of this release", "nothing to read"],
)
def test_one_issue_is_opened_for_a_release_with_sentences_that_nobody_has_read(
    tmp_path: Path, unread: str, issues: str, opened: bool
) -> None:
    [script] = [step["run"] for step in steps(content(DOCUMENTATION)) if "conformance docs" in step.get("run", "")]
    [call] = calls(script)
    assert {word for word in call[2:] if word.startswith("--")} <= {"--target", *options_of_docs()}
    programs = {
        "conformance": f"printf '## {TITLE}\\n\\n%s\\n' '{unread}'",
        "gh": f"if [ $2 = list ]; then echo '{issues}'; else printf '%s|' \"$@\" > opened; cat \"${{@: -1}}\" >> opened; fi",
    }
    for name, commands in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{commands}\n")
        (tmp_path / name).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TARGET": "json>=1"}
    subprocess.run(["/bin/bash", "-e", "-o", "pipefail", "-c", script], cwd=tmp_path, env=variables, check=True)
    assert (tmp_path / "opened").exists() is opened
    if opened:
        sent = (tmp_path / "opened").read_text()
        assert sent.startswith(f"issue|create|--title|{TITLE}|")
        assert "- [ ] sentence 3" in sent


def options_of_docs() -> set[str]:
    return {name for parameter in docs.commands["show"].params for name in parameter.opts}


@pytest.mark.skipif(shutil.which("jq") is None, reason="the script needs jq, which GitHub's runners have")
def test_an_issue_is_opened_once_for_each_new_cause(tmp_path: Path) -> None:
    [step] = page_examples()[2]
    findings = [{"id": f"f{n}", "results": [f"case-{n}"], "target": "mine@cpu", "api": "mine.take"} for n in range(3)]
    causes = [
        {"id": f"c{n}", "known": known, "apis": ["mine.take"], "danger": "wrong", "findings": [f"f{n}"]}
        for n, known in enumerate([None, "in-the-ledger", None])
    ]
    (tmp_path / "conformance-report").mkdir()
    (tmp_path / "conformance-report" / "conclusions.json").write_text(
        json.dumps({"findings": findings, "causes": causes})
    )
    gh = tmp_path / "gh"
    gh.write_text(
        '#!/bin/bash\nif [ "$2" = list ]; then echo "[c2] mine.take: wrong"; else printf "%s|" "$@" >> opened; fi\n'
    )
    gh.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    shell = ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(shell, cwd=tmp_path, env=variables, check=True)
    shown = "Shown by `conformance repro 'case-0' --target 'mine@cpu' --api 'mine.take'`."
    assert (tmp_path / "opened").read_text() == f"issue|create|--title|[c0] mine.take: wrong|--body|{shown}|"
