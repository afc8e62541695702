"""Small files that a user names: read whole when they are regular and within a limit, never waited for."""

import os
import stat
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.shown import shown


def read_small(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes.

    Raises BenchlakeError in one line for anything else: a FIFO or a device is not read, nor the rest of a larger file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:  # noqa: PTH123 (a descriptor, not a path)
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BenchlakeError(f"{shown(path)}: not a regular file")
            data = file.read(limit + 1)
    except OSError as error:
        raise BenchlakeError(f"{shown(path)}: cannot be read ({error.strerror})") from error
    if len(data) > limit:
        raise BenchlakeError(f"{shown(path)}: larger than {limit} bytes")
    return data
