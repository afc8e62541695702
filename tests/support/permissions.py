"""Tests of what a user may not do, also when the tests run as root, whom file permissions do not bind."""

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root read and write where the permissions say no.
OVERRIDING = 1 << 1 | 1 << 2


def permissions_bind(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test where permissions bind: here for an ordinary user, for root in a process without its privilege."""

    @functools.wraps(test)
    def wrapped(*arguments: object, **fixtures: object) -> None:
        if not _overrides():
            test(*arguments, **fixtures)
            return
        own = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}", sys.executable, "-m", "pytest", "-q", own]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 passed" in done.stdout, done.stdout

    return wrapped


def _overrides() -> bool:
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) & OVERRIDING)
