"""Write what ``opconform-data`` holds, from a results file: ``python opconform-data/write.py reports/results.jsonl.gz``.

The suite must be installed. Afterwards ``python -m build opconform-data`` builds the package.
"""

from __future__ import annotations

import datetime
import gzip
import shutil
import sys
from pathlib import Path

from conformance.app.results_files import load_results
from conformance.findings.conclusions import Conclusions
from conformance.reports.behaviours import behaviours_json
from conformance.reports.conclusions import conclusions_json
from conformance.schemas import schemas, text_of

HERE = Path(__file__).parent


def write(results_file: Path, folder: Path) -> None:
    """Write the files into a copy of this folder, or into the folder itself."""
    results = load_results(results_file)
    conclusions = Conclusions(results)
    package = folder / "opconform_data"
    texts = {"behaviours": behaviours_json(results, conclusions), "conclusions": conclusions_json(results, conclusions)}
    for name, text in texts.items():
        # Without a time in its head, equal runs give equal files.
        (package / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        schema = f"{name}.schema.json"
        (package / schema).write_text(text_of(schemas()[schema]), encoding="utf-8")
    day = datetime.datetime.fromisoformat(results.run.started).date()
    version = f'"""The date of the run."""\n\n__version__ = "{day.year}.{day.month}.{day.day}"\n'
    (package / "version.py").write_text(version, encoding="utf-8")
    shutil.copyfile(HERE.parent / "LICENSE", folder / "LICENSE")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else HERE)
