"""The page's modules as one script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.reports.site.scripts import ScriptError, joined_script
from conformance.reports.site.site import HERE


def _folder(tmp_path: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
    return tmp_path


def test_each_module_stands_once_after_those_that_it_imports_and_without_imports_and_exports(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        main='import { b } from "./b.js";\nimport { a, c } from "./a.js";\nb(a, c);\n',
        a="export const a = 1;\nexport let c = 2;\nconst hidden = 3;\n",
        b='import { a } from "./a.js";\nexport async function b() {\n  return a;\n}\n',
        unused="export const d = 1;\n",
    )
    assert joined_script(folder, "main.js") == (
        "const a = 1;\nlet c = 2;\nconst hidden = 3;\nasync function b() {\n  return a;\n}\nb(a, c);"
    )


@pytest.mark.parametrize(
    ("main", "message"),
    [
        (
            'import { a as b } from "./a.js";',
            "main.js:1: found 'import { a as b } from \"./a.js\";'; expected import",
        ),
        ('import * as all from "./a.js";', "main.js:1: "),
        ("import {", "main.js:1: "),
        ('const here = 1;\nexport default "a";', "main.js:2: "),
        ("export { a };", "main.js:1: "),
        ("const { a } = b;", "main.js:1: "),
        ('import { a } from "./gone.js";', "main.js: no module gone.js"),
        ('import { gone } from "./a.js";', "main.js: imports gone from a.js, which does not export it"),
        ('import { hidden } from "./a.js";', "main.js: imports hidden from a.js, which does not export it"),
        (
            'import { a } from "./a.js";\nfunction hidden() {}',
            "a.js and main.js both declare hidden; rename one of them",
        ),
        (
            'import { back } from "./back.js";\nexport const a = 1;',
            "main.js -> back.js -> main.js: circular import",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused_with_its_place(tmp_path: Path, main: str, message: str) -> None:
    folder = _folder(
        tmp_path,
        main=main,
        a="export const a = 1;\nconst hidden = 2;",
        back='import { a } from "./main.js";\nexport const back = a;',
    )
    with pytest.raises(ScriptError, match=f"^{re.escape(message)}"):
        joined_script(folder, "main.js")


def test_every_module_of_the_page_is_part_of_its_script() -> None:
    script = joined_script(HERE / "assets", "main.js")
    for path in (HERE / "assets").glob("*.js"):
        assert path.read_text(encoding="utf-8").splitlines()[0] in script, path.name
