"""The whole-corpus runs of "Must hold", with a table at the end: `make accept`. Exit 1 when one does not hold."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from corpora import CORPORA, run_corpus, scratch  # noqa: E402
from protocol_counts import whole_counts  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

# What the suite runs smaller or shorter, here in full.
WHOLE_TESTS = (
    "tests/eval_sql/test_hard_tables.py",
    "tests/warehouse/test_kill.py",
    "tests/warehouse/test_concurrency.py",
)


def main() -> int:
    """Run all corpora and the conformance cases; print what was seen."""
    shared = Path(os.environ.get("BENCHLAKE_SHARED", ROOT.parent / "shared"))
    if not shared.is_dir():
        print(f"no shared data at {shared}: set BENCHLAKE_SHARED", file=sys.stderr)
        return 2
    table = Table(
        "corpus",
        "questions",
        "gold with rows",
        "tasks",
        "share",
        "must",
        "gold = gold",
        "trivial passes",
        "rejected because",
        "s",
        "holds",
    )
    held = True
    for corpus in CORPORA:
        with scratch() as folder:
            got = run_corpus(corpus, shared, Path(folder))
        fine = (
            got.share >= corpus.least_share
            and got.gold_accuracy == 1.0
            and not got.trivial_passes
            and not got.undecided
        )
        held &= fine
        codes = ", ".join(f"{code} {count}" for code, count in got.codes.most_common())
        table.add_row(
            got.corpus, str(got.questions), str(got.with_rows), str(got.tasks), f"{got.share:.1%}",
            f"{corpus.least_share:.0%}", f"{got.gold_accuracy:.1%}", ", ".join(got.trivial_passes) or "none", codes,
            f"{got.seconds:.0f}", "yes" if fine else "NO",
        )  # fmt: skip
        print(f"{got.corpus}: {got.tasks} tasks in {got.seconds:.0f} s", file=sys.stderr)
    command = f"{Path(sys.executable).parent / 'benchlake'} score"
    cases = subprocess.run(
        [sys.executable, str(shared / "conformance" / "run.py"), "--command", command], text=True, capture_output=True
    )
    held &= cases.returncode == 0
    whole = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *WHOLE_TESTS], cwd=ROOT, env={**os.environ, "BENCHLAKE_ACCEPT": "1"}
    )
    held &= whole.returncode == 0
    Console(width=220).print(table)
    protocols = Table("protocol", "published", "here", "holds")
    for what, published, here in whole_counts(shared / "data"):
        held &= published == here
        protocols.add_row(what, str(published), str(here), "yes" if published == here else "NO")
    Console(width=220).print(protocols)
    print(cases.stdout)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
