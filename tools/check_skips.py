"""Fail when tests were skipped: `check_skips.py REPORT`, with REPORT the JUnit XML of a pytest run.

Exit 0 when every test ran, 1 when some were skipped (named on stderr) or there were none at all. An expected
failure (xfail) has run and does not count.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def skipped(report: Path) -> tuple[int, list[str]]:
    """(number of tests, "test: reason" of each skipped one) of a JUnit report."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    found = [
        f"{case.get('classname')}::{case.get('name')}: {mark.get('message')}"
        for case in cases
        for mark in case.iter("skipped")
        if mark.get("type") != "pytest.xfail"
    ]
    return len(cases), found


def main(report: Path) -> None:
    """Exit with a message for people when the report does not hold."""
    count, found = skipped(report)
    if not count:
        sys.exit("no test ran")
    if found:
        sys.exit("\n".join(["skipped, but in CI every test must run:", *found]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
