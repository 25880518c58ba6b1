"""The form of the numbers on the status pipe of a forked worker."""

from __future__ import annotations

import struct

NUMBER = struct.Struct("<q")
"""A process id or an exit code."""
