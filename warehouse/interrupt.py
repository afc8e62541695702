"""Ctrl-C is not lost where an engine swallows it, and nothing is committed after it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_pressed = threading.Event()


def pressed() -> bool:
    """Whether Ctrl-C came in the watch that is running."""
    return _pressed.is_set()


def check() -> None:
    """Raise KeyboardInterrupt, again, where one was raised inside an engine and became an error of the engine's."""
    if _pressed.is_set():
        raise KeyboardInterrupt


@contextmanager
def watched() -> Iterator[None]:
    """Remember Ctrl-C while the body runs, and no longer: a library's lakes open after it as before.

    A program told to ignore it, or with a handler of its own, keeps that.
    """
    _pressed.clear()
    before = signal.getsignal(signal.SIGINT)
    ours = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, _press)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
        _pressed.clear()


def _press(number: int, frame: FrameType | None) -> None:
    _pressed.set()
    raise KeyboardInterrupt
