"""Which prediction column stands for which gold column: the first mapping under which the rows are equal.

Method (evaluator.md, Equality). A column is a sequence of value numbers; equal numbers are equal values. For ordered
rows a pair of columns fits when the sequences are equal, and a bipartite matching decides. For unordered rows the
rows of both tables are split into classes that must correspond. A pair of columns fits while the multisets of
(class, value) are equal. A gold column with one sequence left to choose is placed: its values split the classes
further. A column that has one value in each class cannot split them any more and is settled. When all columns are
settled, every matching makes the rows equal, and the first one is taken.
The search branches only where no column is forced, and it counts the cells it visits.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain

from eval_sql.matching import bits, first_matching, has_matching
from eval_sql.table_csv import Ids

# Cells visited in one search, about ten seconds' worth. Equality up to the order of rows and columns is as hard as
# graph isomorphism, so there must be a bound; a large table may have each of its cells visited a few times.
WORK_LIMIT = 40_000_000
_VISITS_PER_CELL = 16
# What looking at one column costs beyond its cells, in cells.
_OVERHEAD = 100


@dataclass(slots=True)
class Columns:
    """One rule's columns: `gold` and `prediction` map a column's index to its sequence of value numbers.

    `prediction` holds the columns that are readable under the rule. All numbers lie below `values`.
    """

    gold: dict[int, array[int]]
    prediction: dict[int, array[int]]
    values: int
    # Prediction columns with the same digest are equal row by row, so one can stand for the others.
    same: dict[int, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.same = {k: _digest(sequence) for k, sequence in self.prediction.items()}


@dataclass(frozen=True, slots=True)
class Alignment:
    """The outcome: for each gold column its prediction column, or None when no mapping was found.

    `undecided`: the bound was reached. Without a mapping there may yet be one; with one it may not be the first.
    """

    mapping: tuple[int, ...] | None
    undecided: bool = False


def align(rules: Sequence[Columns], row_count: int, *, ordered: bool, work_limit: int = WORK_LIMIT) -> Alignment:
    """The lexicographically first mapping that makes the rows equal, for the gold columns 0.. of all `rules`.

    Both tables have `row_count` rows and equally many columns.
    """
    if ordered or row_count == 0:
        return Alignment(_align_in_order(rules))
    return _Search(rules, row_count, work_limit).run()


def _align_in_order(rules: Sequence[Columns]) -> tuple[int, ...] | None:
    options = [0] * sum(len(rule.gold) for rule in rules)
    for rule in rules:
        for j, sequence in rule.gold.items():
            wanted = _digest(sequence)
            options[j] = sum(1 << k for k, found in rule.same.items() if found == wanted)
    return first_matching(options)


class _OutOfWork(Exception):
    """The search has visited as many cells as it may."""


@dataclass(slots=True)
class _State:
    """A point of the search: the class of each row in both tables, and what each gold column may still be.

    `values` holds, for each column that is not settled, how many (class, value) pairs it has.
    """

    gold: Sequence[int]
    prediction: Sequence[int]
    classes: int
    options: list[int]
    values: dict[int, int] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(self.gold, self.prediction, self.classes, list(self.options), dict(self.values))


class _Search:
    """The search for unordered rows."""

    def __init__(self, rules: Sequence[Columns], row_count: int, work_limit: int) -> None:
        self.rules = rules
        self.rule_of = {j: rule for rule in rules for j in rule.gold}
        self.row_count = row_count
        self.work = max(work_limit, _VISITS_PER_CELL * row_count * len(self.rule_of))

    def run(self) -> Alignment:
        best: tuple[int, ...] | None = None
        try:
            root = self._root()
            if root is None or not self._propagate(root):
                return Alignment(None)
            best = self._solve(root.copy())
            if best is None:
                return Alignment(None)
            # The branch that was found first need not hold the first mapping: ask column by column for a smaller one.
            for j in range(len(root.options)):
                if not root.values:
                    return Alignment(first_matching(root.options))
                for k in bits(root.options[j] & ((1 << best[j]) - 1)):
                    trial = root.copy()
                    trial.options[j] = 1 << k
                    found = self._solve(trial)
                    if found is not None:
                        best = found
                        break
                root.options[j] = 1 << best[j]
                self._propagate(root)
            return Alignment(best)
        except _OutOfWork:
            return Alignment(best, undecided=True)

    def _root(self) -> _State | None:
        """All rows in one class, columns paired by their values; then rows told apart by their own values."""
        one_class = bytes(self.row_count)
        options = [sum(1 << k for k in self.rule_of[j].prediction) for j in range(len(self.rule_of))]
        state = _State(one_class, one_class, 1, options, dict.fromkeys(self.rule_of, 0))
        if not self._narrow(state):
            return None
        if all(len(self._choices(state, j)) == 1 for j in state.values):
            return state
        possible = [_union(state.options[j] for j in rule.gold) for rule in self.rules]
        if _union(possible).bit_count() < sum(mask.bit_count() for mask in possible):
            return state  # some column could be read under two rules, so its values are not known yet
        self._spend(2 * self.row_count * len(options))
        gold = _row_values([list(rule.gold.values()) for rule in self.rules])
        masks = zip(self.rules, possible, strict=True)
        prediction = _row_values([[rule.prediction[k] for k in bits(mask)] for rule, mask in masks])
        return state if self._split(state, gold, prediction) else None

    def _solve(self, state: _State) -> tuple[int, ...] | None:
        """A mapping that agrees with the state, or None; the first one when the state forces every column."""
        if not self._propagate(state):
            return None
        if not state.values:
            return first_matching(state.options)
        choices = {j: self._choices(state, j) for j in state.values}
        # The fewest choices; among equals the column that splits the rows most.
        j = min(choices, key=lambda j: (len(choices[j]), -state.values[j], j))
        for mask in choices[j]:
            child = state.copy()
            child.options[j] = mask
            found = self._solve(child)
            if found is not None:
                return found
        return None

    def _propagate(self, state: _State) -> bool:
        """Narrow the options and place what is forced until nothing changes; False when a column has no option."""
        while self._narrow(state):
            forced = [j for j in state.values if len(self._choices(state, j)) == 1]
            if not forced:
                return True
            rules = [self.rule_of[j] for j in forced]
            gold = [rule.gold[j] for rule, j in zip(rules, forced, strict=True)]
            chosen = [rule.prediction[next(bits(state.options[j]))] for rule, j in zip(rules, forced, strict=True)]
            self._spend(2 * self.row_count * (len(forced) + 1))
            if not self._split(state, zip(state.gold, *gold, strict=True), zip(state.prediction, *chosen, strict=True)):
                return False
            for j in forced:
                del state.values[j]
        return False

    def _narrow(self, state: _State) -> bool:
        """Keep the options whose (class, value) pairs agree; False when no matching is left."""
        for rule in self.rules:
            unsettled = [j for j in rule.gold if j in state.values]
            seen: dict[bytes, bytes] = {}
            for k in bits(_union(state.options[j] for j in unsettled)):
                if rule.same[k] not in seen:
                    seen[rule.same[k]] = self._fingerprint(state.prediction, rule.prediction[k], rule.values)[0]
            for j in unsettled:
                wanted, pairs = self._fingerprint(state.gold, rule.gold[j], rule.values)
                state.options[j] = sum(1 << k for k in bits(state.options[j]) if seen[rule.same[k]] == wanted)
                if pairs == state.classes:
                    del state.values[j]
                else:
                    state.values[j] = pairs
        _drop_taken(state.options)
        return has_matching(state.options)

    def _choices(self, state: _State, j: int) -> list[int]:
        """The options of column j as bit sets of equal columns, the smallest column first."""
        same = self.rule_of[j].same
        groups: dict[bytes, int] = {}
        for k in bits(state.options[j]):
            groups[same[k]] = groups.get(same[k], 0) | 1 << k
        return list(groups.values())

    def _split(self, state: _State, gold: Iterable[object], prediction: Iterable[object]) -> bool:
        """Make the rows' keys their classes; False when the tables do not have the same keys equally often."""
        numbers: Ids[object] = Ids()
        state.gold = [numbers[key] for key in gold]
        # A key that gold lacks gets a class of its own, so the counts differ.
        state.prediction = [numbers.get(key, -1) for key in prediction]
        state.classes = len(numbers)
        return Counter(state.gold) == Counter(state.prediction)

    def _fingerprint(self, classes: Sequence[int], sequence: array[int], values: int) -> tuple[bytes, int]:
        """A 128-bit digest of the multiset of (class, value) pairs, and how many different pairs there are."""
        self._spend(self.row_count + _OVERHEAD)
        counts = Counter(_pairs(classes, sequence, values))
        pairs = sorted(counts)
        return _digest(array("q", chain(pairs, map(counts.__getitem__, pairs)))), len(pairs)

    def _spend(self, cells: int) -> None:
        self.work -= cells
        if self.work < 0:
            raise _OutOfWork


def _pairs(classes: Sequence[int], sequence: array[int], values: int) -> list[int]:
    return [row_class * values + value for row_class, value in zip(classes, sequence, strict=True)]


def _row_values(rules: list[list[array[int]]]) -> Iterable[object]:
    """For each row the values it has under each rule, in no order of columns."""
    return zip(*(map(tuple, map(sorted, zip(*columns, strict=True))) for columns in rules), strict=True)


def _digest(numbers: array[int]) -> bytes:
    return blake2b(numbers.tobytes(), digest_size=16).digest()


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _drop_taken(options: list[int]) -> None:
    """Take a prediction column that is the only option of one gold column from all others."""
    alone: set[int] = set()
    while new := {j for j, mask in enumerate(options) if mask.bit_count() == 1} - alone:
        alone |= new
        for only in new:
            for j, mask in enumerate(options):
                if j != only:
                    options[j] = mask & ~options[only]
