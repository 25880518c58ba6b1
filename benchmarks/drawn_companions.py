"""Compares two computations of derivatives and batches of drawn calls: `python -m benchmarks.drawn_companions [--number N] [--seed S]`.

One is what a case expects: forward difference quotients of the reference, or the stack of its single results. The other is what the
hooks of the reference adapter return: central difference quotients, element by element, or the results of a loop over the calls of a batch. Both
rest on the same reference, so a difference is a mistake in the cases, the worker or the judging, not in an operation. Exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from conformance.cases.draws.generate import draw_many
from conformance.cases.draws.source import drawn_case, drawn_clauses
from conformance.cases.model import Case, generated_id
from conformance.cases.reference import load_reference
from conformance.cases.variants.batches import batch_cases
from conformance.cases.variants.derivatives import derivative_cases
from conformance.cases.variation import Drawn, Transformed
from conformance.data_folders import reference_adapter
from conformance.specification.loader import load_specs
from conformance.specification.model import Operation
from tests.planted.in_process import load, results

DRAWS = 600
"""Valid draws of an operation, of which those of floating-point data have companions."""


def main() -> int:
    """Print a table by operation and transform, and each case on which the two computations disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=5000, help="companions in all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    operations = [each for each in load_specs().operations.values() if each.layout is not None]
    counts: Counter[tuple[str, str, str]] = Counter()
    missing = options.number
    for number, operation in enumerate(operations):
        share = -(-missing // (len(operations) - number))
        for judged in results(load(reference_adapter()), islice(companions(operation, options.seed), share)):
            assert isinstance(judged.case.variation, Transformed)
            transform, verdict = judged.case.variation.manner.kind, judged.judgement.verdict
            counts[operation.name, transform, verdict] += 1
            missing -= 1
            if verdict not in ("conforms", "observed"):
                print(f"{judged.case.id}: {verdict} {judged.judgement.explanation or ''}")
    for (name, kind, ended), count in sorted(counts.items()):
        print(f"{name:28}{kind:6}{ended:10}{count:6}")
    wrong = sum(count for (_, _, verdict), count in counts.items() if verdict not in ("conforms", "observed"))
    print(f"{counts.total()} companions of draws with seed {options.seed}, {wrong} of them differ")
    return 1 if wrong else 0


def companions(operation: Operation, seed: int) -> Iterator[Case]:
    """The derivatives and batches of valid drawn calls by turns."""
    reference = load_reference(reference_adapter())
    valid = [clause for clause, rule in drawn_clauses(operation).values() if rule is None]
    for clause in valid:
        draws = draw_many(operation, None, count=DRAWS, seed=f"{seed} {clause.id}", excluded=[])
        for number, draw in enumerate(draws, start=1):
            variation = Drawn(None, number, number, draw.choices, reference)
            case = drawn_case(clause, generated_id(clause.id, number), draw.drawn, variation)
            yield from derivative_cases(operation, [case], reference)
            yield from batch_cases(operation, [case], reference)


if __name__ == "__main__":
    sys.exit(main())
