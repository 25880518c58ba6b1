"""``python -m tests.faults --seconds 1800``: as many rounds of the harness of faults as fit, and what came of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.rounds import KINDS, play_for


def main() -> int:
    """0 if nothing was lost, different or left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800, help="How long to go on. [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="Of the first round; each further one has the next.")
    parser.add_argument("--kind", action="append", choices=KINDS, help="Only this kind of round; may be repeated.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        kinds = given.kind or [*KINDS]
        tally = play_for(given.seconds, Path(folder), given.seed, kinds, lambda line: print(line, flush=True))
    print(*tally.lines(), sep="\n")
    return 0 if tally.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
