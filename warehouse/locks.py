"""Advisory file locks between the processes that use one lake on one machine."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import BenchlakeError

WAIT_SECONDS = 600.0


@contextmanager
def exclusive(path: Path, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold an exclusive lock on `path`; the kernel drops it when the process dies.

    Raises BenchlakeError when another process keeps it longer than `wait` seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        deadline = time.monotonic() + wait
        pause = 0.001
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise BenchlakeError(f"another process has been writing to {path.parent} for {wait:.0f} s: try again")
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        yield
    finally:
        os.close(handle)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Hold a shared lock on `path`: says that a stage is at work."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """True when no process holds the shared lock on `path`; while True, none can take it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        yield _try_lock(handle, fcntl.LOCK_EX)
    finally:
        os.close(handle)


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
