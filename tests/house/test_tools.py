"""What `make` and CI run: the check that no test was skipped, and the set-up's refusals."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSED = '<testcase classname="tests.a" name="test_one"/>'
FAILED_AS_EXPECTED = (
    '<testcase classname="tests.a" name="test_x"><skipped type="pytest.xfail" message="known"/></testcase>'
)
SKIPPED = '<testcase classname="tests.a" name="test_two"><skipped type="pytest.skip" message="no data"/></testcase>'


def check(report: Path, *cases: str) -> subprocess.CompletedProcess[str]:
    report.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>", encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "check_skips.py"), str(report)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_run_without_skips_holds(tmp_path: Path) -> None:
    assert check(tmp_path / "report.xml", PASSED, FAILED_AS_EXPECTED).returncode == 0


def test_a_skipped_test_is_named_with_its_reason(tmp_path: Path) -> None:
    done = check(tmp_path / "report.xml", PASSED, SKIPPED)
    assert done.returncode == 1
    assert "tests.a::test_two: no data" in done.stderr


def test_a_run_without_tests_does_not_hold(tmp_path: Path) -> None:
    assert check(tmp_path / "report.xml").returncode == 1


@pytest.mark.parametrize("script", [".ci/run", "tools/setup.sh"])
def test_a_script_is_well_formed_and_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert subprocess.run(["bash", "-n", ROOT / script], check=False).returncode == 0


def test_the_set_up_refuses_an_old_python_in_one_line() -> None:
    environment = {**os.environ, "PYTHON": "false"}
    command = ["bash", str(ROOT / "tools" / "setup.sh"), "run"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no Python 3.11 or newer" in done.stderr
