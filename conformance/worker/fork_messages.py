"""What the suite and a fork server send each other besides descriptors."""

from __future__ import annotations

import struct

NO_FOLDER = b"-"
"""A request for a worker without a folder for temporary files; the request for any other is the path of its folder."""
NUMBER = struct.Struct("<q")
"""A process id or an exit code, on the status pipe of a worker."""
