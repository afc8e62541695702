"""Scoring against peers: one prediction tree, and many runs, of a corpus with the published sizes.

    python benchmarks/score.py [RUNS ...]        default: 1 10; 100 takes about 15 minutes, most of them the peers'

The corpus comes from conformance/bench_corpus.py of the shared data (410 tasks, 126,409 gold rows). Every figure is a
ratio against the plain row-by-row evaluator of tests/support, in the same run on the same machine. Two more peers for
one tree: datacompy comparing the tables that have one shape, when it is installed, and DuckDB merely reading the files.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

COMMAND = str(Path(sys.executable).parent / "benchlake")

PLAIN = """
import sys
from pathlib import Path
from plain_evaluator import evaluate_tree
root = Path(sys.argv[1])
gold, configs = root / "gold", root / "configs"
print(sum(v.passed for tree in sys.argv[2:] for v in evaluate_tree(Path(tree), gold, configs).values()))
"""

READ = """
import sys, duckdb
for folder in sys.argv[1:]:
    duckdb.sql(f"SELECT count(*) FROM read_text('{folder}/*/*.csv')").fetchall()
"""

DATACOMPY = """
import sys
from pathlib import Path
import pandas as pd
from datacompy import PandasCompare
gold, predictions = Path(sys.argv[1]) / "gold", Path(sys.argv[2])
for file in sorted(predictions.glob("*/prediction.csv")):
    try:
        left = pd.read_csv(gold / file.parent.name / "gold.csv", dtype=str, keep_default_na=False)
        right = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError):
        continue
    if left.shape == right.shape:
        right.columns = left.columns = [f"c{n}" for n in range(left.shape[1])]
        PandasCompare(left, right, on_index=True).matches()
"""

RESCORE = """
import sys, time
from eval_sql.score import score
from warehouse import Lake
with Lake.open(sys.argv[1]) as lake:
    start = time.perf_counter()
    count = score(lake, evaluator_version="benchmark").scored
    print(time.perf_counter() - start, count)
"""


def main(counts: list[int]) -> int:
    """Make the corpus, time everything, print the table."""
    shared = Path(os.environ.get("BENCHLAKE_SHARED", ROOT.parent / "shared"))
    maker = shared / "conformance" / "bench_corpus.py"
    if not maker.is_file():
        print(f"no {maker}: set BENCHLAKE_SHARED", file=sys.stderr)
        return 2
    table = Table("what", "runs", "s", "plain evaluator, s", "times faster", "peak MB")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "corpus"
        subprocess.run(
            [sys.executable, str(maker), "--out", str(root), "--runs", str(max(*counts, 2))],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        one_tree(table, root)
        for count in counts:
            many_runs(table, root, count, Path(folder) / f"lake{count}")
    Console(width=120).print(table)
    return 0


def one_tree(table: Table, root: Path) -> None:
    """Stand-alone scoring of one tree, process start and files included, and the peers on the same tree."""
    tree = root / "predictions"
    plain, peak = best(lambda: python(PLAIN, str(root), str(tree)))
    table.add_row("plain evaluator, one tree", "1", f"{plain:.2f}", f"{plain:.2f}", "1.0", f"{peak:.0f}")
    command = [
        COMMAND, "score", "--predictions", str(tree), "--gold", str(root / "gold"), "--configs", str(root / "configs"),
        "--output", str(root.parent / "summary.json"),
    ]  # fmt: skip
    add(table, "benchlake score, one tree", 1, *best(lambda: run(command)), plain)
    add(table, "DuckDB merely reads the files", 1, *best(lambda: python(READ, str(tree), str(root / "gold"))), plain)
    if subprocess.run([sys.executable, "-c", "import datacompy"], capture_output=True).returncode == 0:
        add(
            table, "datacompy, tables of one shape", 1, *best(lambda: python(DATACOMPY, str(root), str(tree)), 1), plain
        )


def many_runs(table: Table, root: Path, count: int, lake: Path) -> None:
    """From files to verdicts in a lake, then the verdicts again from what the lake keeps."""
    runs = [str(path) for path in sorted((root / "runs").iterdir())[:count]]
    plain, _ = best(lambda: python(PLAIN, str(root), *runs), 1)
    suite = ["--gold", str(root / "gold"), "--configs", str(root / "configs"), "--corpus", "bench", "--lake", str(lake)]
    run([COMMAND, "ingest", "suite", *suite])
    start = time.perf_counter()
    run([COMMAND, "ingest", "predictions", *runs, "--lake", str(lake)])
    peak = python("from eval_sql.score import score\nfrom warehouse import Lake\nimport sys\n"
                  "with Lake.open(sys.argv[1]) as lake: score(lake)", str(lake))[1]  # fmt: skip
    add(table, "files to verdicts in a lake", count, time.perf_counter() - start, peak, plain)
    answer, peak = python(RESCORE, str(lake))
    add(table, "rescoring in the lake", count, float(answer.split()[0]), peak, plain)


def add(table: Table, what: str, runs: int, seconds: float, peak: float, plain: float) -> None:
    """One line of the table."""
    table.add_row(what, str(runs), f"{seconds:.2f}", f"{plain:.2f}", f"{plain / seconds:.1f}", f"{peak:.0f}")
    print(f"{what}, {runs} runs: {seconds:.2f} s, plain {plain:.2f} s", file=sys.stderr)


def best(work: Callable[[], tuple[str, float]], times: int = 3) -> tuple[float, float]:
    """The shortest time of some, in seconds, and the peak memory of it in MB: machines are noisy."""
    found: list[tuple[float, float]] = []
    for _ in range(times):
        start = time.perf_counter()
        peak = work()[1]
        found.append((time.perf_counter() - start, peak))
    return min(found)


def python(code: str, *arguments: str) -> tuple[str, float]:
    """Run code in a process of its own."""
    return run([sys.executable, "-c", code, *arguments])


def run(command: list[str]) -> tuple[str, float]:
    """What a command prints, and its peak memory in MB."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert child.stdout is not None and child.stderr is not None
    answer, errors = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command[:3]} failed: {errors[-500:]}")
    return answer, usage.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main([int(count) for count in sys.argv[1:]] or [1, 10]))
