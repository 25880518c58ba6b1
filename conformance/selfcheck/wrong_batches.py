"""Adapters whose calls are right and whose batches are not, and one whose batches are right in another style."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.cases.model import Case
from conformance.judging.vocabulary import Divergence
from conformance.selfcheck.defect import ADD, ALONG, GATHER, INTO, SCATTER, UPDATE
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, all_cases, results
