"""Which prediction column stands for which gold column: the first mapping under which the rows are equal.

Method (evaluator.md, Equality). A column is a sequence of value numbers; equal numbers are equal values. For ordered
rows a pair of columns fits when the sequences are equal, and a bipartite matching decides. For unordered rows the
rows of both tables are split into classes that must correspond: colour refinement on rows and columns at once.
A pair of columns fits while the multisets of (class, value) are equal. A gold column with one sequence left to choose
is placed: its values split the classes further. So does what a row has in all columns of a rule, each told by its own
multiset, once it is known which prediction columns the rule has. A column that has one value in each class cannot
split them any more and is settled. When all columns are settled, every matching makes the rows equal, and the first
one is taken.
The search branches only where no column is forced, and it counts the cells it visits.
Classes and multisets are 64-bit hashes, which only prune: a mapping is compared on the values before it is given.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from eval_sql.matching import bits, first_matching, has_matching

# Cells visited in one search, some ten seconds' worth. Equality up to the order of rows and columns is as hard as
# graph isomorphism, so there must be a bound; it lets a table of the largest size have each cell visited 80 times.
WORK_LIMIT = 1_000_000_000
# What a look at some columns costs beyond their cells, in cells.
_OVERHEAD = 30_000
# Columns are hashed together up to this many cells, and one by one beyond.
_TOGETHER = 1 << 16

Hashes = NDArray[np.uint64]


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

    `open` holds the columns that are not settled, each with how often its value changes within a class (at least 1).
    """

    gold: Hashes
    prediction: Hashes
    classes: int
    options: list[int]
    open: dict[int, int]

    def copy(self) -> _State:
        return _State(self.gold, self.prediction, self.classes, list(self.options), dict(self.open))


class _Side:
    """The columns of one table that one rule reads, each value as a random 64-bit number."""

    def __init__(self, columns: dict[int, array[int]], numbers: Hashes) -> None:
        self.place = {index: at for at, index in enumerate(columns)}
        self.values = [np.frombuffer(column, np.intc) for column in columns.values()]
        self.numbers = numbers

    def hashed(self, indices: Sequence[int]) -> Hashes:
        return self.numbers[np.stack([self.values[self.place[index]] for index in indices])]


class _Search:
    """The search for unordered rows."""

    def __init__(self, rules: Sequence[Columns], row_count: int, work_limit: int) -> None:
        self.rules = rules
        self.rule_of = {j: at for at, rule in enumerate(rules) for j in rule.gold}
        self.row_count = row_count
        self.work = work_limit
        # How often each row is there.
        self.gold_counts = self.prediction_counts = np.ones(row_count, np.uint64)
        # A fixed seed: the same tables take the same way.
        random = np.random.Generator(np.random.PCG64(0))
        numbers = [random.integers(0, 1 << 64, rule.values, np.uint64) for rule in rules]
        self.gold = [_Side(rule.gold, own) for rule, own in zip(rules, numbers, strict=True)]
        self.prediction = [_Side(rule.prediction, own) for rule, own in zip(rules, numbers, strict=True)]

    def run(self) -> Alignment:
        best: tuple[int, ...] | None = None
        try:
            one_class = np.zeros(self.row_count, np.uint64)
            options = [sum(1 << k for k in self.rules[self.rule_of[j]].prediction) for j in range(len(self.rule_of))]
            root = _State(one_class, one_class, 1, options, dict.fromkeys(range(len(options)), 1))
            if not self._propagate(root) or not self._drop_repeats(root) or not self._propagate(root):
                return Alignment(None)
            best = self._solve(root.copy())
            if best is None:
                return Alignment(None)
            # The branch that was found first need not hold the first mapping: ask column by column for a smaller one.
            for j in range(len(root.options)):
                if not root.open:
                    return Alignment(self._verified(root) or best)
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

    def _drop_repeats(self, state: _State) -> bool:
        """Keep one of equal rows, its number of times in its class; False when the tables differ in such numbers.

        Nothing is done while it is not known under which rule each prediction column is read.
        """
        masks = [_union(state.options[j] for j in rule.gold) for rule in self.rules]
        if any(mask.bit_count() != len(rule.gold) for mask, rule in zip(masks, self.rules, strict=True)):
            return True
        kept: list[tuple[Hashes, Hashes]] = []
        for sides, classes, chosen in (
            (self.gold, state.gold, [list(rule.gold) for rule in self.rules]),
            (self.prediction, state.prediction, [list(bits(mask)) for mask in masks]),
        ):
            self._spend(len(state.options))
            rows = np.stack(
                [side.values[side.place[k]] for side, mine in zip(sides, chosen, strict=True) for k in mine], 1
            )
            order = np.argsort(rows.view(f"V{rows.itemsize * rows.shape[1]}").reshape(-1), kind="stable")
            rows = rows[order]
            starts = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)]))
            counts = np.diff(starts, append=self.row_count).astype(np.uint64)
            for side in sides:
                side.values = [values[order[starts]] for values in side.values]
            kept.append((_mixed(classes[order[starts]] * _STEP + counts), counts))
        (state.gold, self.gold_counts), (state.prediction, self.prediction_counts) = kept
        self.row_count = len(state.gold)
        state.classes = len(set(state.gold.tolist()))
        return len(state.gold) == len(state.prediction)

    def _solve(self, state: _State) -> tuple[int, ...] | None:
        """A mapping that agrees with the state, or None; the first one when the state forces every column."""
        if not self._propagate(state):
            return None
        if not state.open:
            return self._verified(state)
        choices = {j: self._choices(state, j) for j in state.open}
        # The most choices, for that tells the other columns apart best; among equals the one that splits the rows most.
        j = min(choices, key=lambda j: (-len(choices[j]), -state.open[j], j))
        for mask in choices[j]:
            child = state.copy()
            child.options[j] = mask
            found = self._solve(child)
            if found is not None:
                return found
        return None

    def _propagate(self, state: _State) -> bool:
        """Narrow the options and split the classes until nothing changes; False when a column has no option."""
        while True:
            columns = self._narrow(state)
            if columns is None:
                return False
            if not state.open:
                return True
            gold, prediction = state.gold, state.prediction
            for j in state.open:
                if len(self._choices(state, j)) == 1:
                    rule, k = self.rule_of[j], next(bits(state.options[j]))
                    self._spend(2)
                    gold = _mixed(gold * _STEP + self.gold[rule].hashed([j])[0])
                    prediction = _mixed(prediction * _STEP + self.prediction[rule].hashed([k])[0])
            for rule in range(len(self.rules)):
                mine = [j for j in state.open if self.rule_of[j] == rule]
                others = list(bits(_union(state.options[j] for j in mine)))
                # Else it is not known which of them are the rule's.
                if mine and len(mine) == len(others):
                    gold = _mixed(gold * _STEP + self._row_sums(self.gold[rule], mine, columns[0]))
                    sums = self._row_sums(self.prediction[rule], others, columns[1][rule])
                    prediction = _mixed(prediction * _STEP + sums)
            self._spend(2)
            sorted_gold = np.sort(gold)
            if not np.array_equal(sorted_gold, np.sort(prediction)):
                return False
            classes = 1 + int(np.count_nonzero(sorted_gold[1:] != sorted_gold[:-1]))
            if classes == state.classes:
                return True
            state.gold, state.prediction, state.classes = gold, prediction, classes

    def _narrow(self, state: _State) -> tuple[dict[int, int], list[dict[int, int]]] | None:
        """Keep the options whose (class, value) pairs agree; None when no matching is left.

        Returns the hashes of the multisets, of gold's columns and of the prediction's under each rule.
        """
        gold: dict[int, int] = {}
        prediction: list[dict[int, int]] = []
        for rule, (ours, theirs) in enumerate(zip(self.gold, self.prediction, strict=True)):
            mine = [j for j in state.open if self.rule_of[j] == rule]
            others = list(bits(_union(state.options[j] for j in mine)))
            wanted, found = self._multisets(ours, mine, state.gold), self._multisets(theirs, others, state.prediction)
            for j in mine:
                state.options[j] = sum(1 << k for k in bits(state.options[j]) if found[k] == wanted[j])
            gold |= wanted
            prediction.append(found)
        _drop_taken(state.options)
        if not has_matching(state.options):
            return None
        order = np.argsort(state.gold)
        ordered = state.gold[order]
        within = ordered[1:] == ordered[:-1]
        for j in list(state.open):
            side = self.gold[self.rule_of[j]]
            values = side.values[side.place[j]][order]
            changes = int(np.count_nonzero(within & (values[1:] != values[:-1])))
            if changes:
                state.open[j] = changes
            else:
                del state.open[j]
        self._spend(len(state.open) + 1)
        return gold, prediction

    def _choices(self, state: _State, j: int) -> list[int]:
        """The options of column j as bit sets of equal columns, the smallest column first."""
        same = self.rules[self.rule_of[j]].same
        groups: dict[bytes, int] = {}
        for k in bits(state.options[j]):
            groups[same[k]] = groups.get(same[k], 0) | 1 << k
        return list(groups.values())

    def _multisets(self, side: _Side, indices: list[int], classes: Hashes) -> dict[int, int]:
        """For each column a hash of its multiset of (class, value) pairs."""
        sums: list[int] = []
        for part in self._parts(indices):
            sums += _mixed(classes * _STEP + side.hashed(part)).sum(axis=1, dtype=np.uint64).tolist()
        return dict(zip(indices, sums, strict=True))

    def _row_sums(self, side: _Side, indices: list[int], columns: dict[int, int]) -> Hashes:
        """For each row a hash of its multiset of (column's multiset, value) pairs."""
        total = np.zeros(self.row_count, np.uint64)
        for part in self._parts(indices):
            own = np.array([columns[index] for index in part], np.uint64)[:, None]
            total += _mixed(own * _STEP + side.hashed(part)).sum(axis=0, dtype=np.uint64)
        return total

    def _parts(self, indices: list[int]) -> Iterable[list[int]]:
        size = max(1, _TOGETHER // self.row_count)
        for start in range(0, len(indices), size):
            part = indices[start : start + size]
            self._spend(len(part))
            yield part

    def _verified(self, state: _State) -> tuple[int, ...] | None:
        """The first mapping of a state in which all columns are settled, if the rows are equal under it."""
        mapping = first_matching(state.options)
        if mapping is None:
            return None
        self._spend(2 * len(mapping))
        sides: list[NDArray[np.void]] = []
        for side, chosen, counts in (
            (self.gold, range(len(mapping)), self.gold_counts), (self.prediction, mapping, self.prediction_counts),
        ):  # fmt: skip
            columns = [side[self.rule_of[j]] for j in range(len(mapping))]
            cells = [one.values[one.place[k]] for one, k in zip(columns, chosen, strict=True)]
            rows = np.stack([*cells, counts.astype(np.intc)], axis=1)
            sides.append(np.sort(rows.view(f"V{rows.itemsize * rows.shape[1]}").reshape(-1)))
        return mapping if sides[0].tobytes() == sides[1].tobytes() else None

    def _spend(self, columns: int) -> None:
        self.work -= columns * self.row_count + _OVERHEAD
        if self.work < 0:
            raise _OutOfWork


_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


def _mixed(numbers: Hashes) -> Hashes:
    """Each number scattered over 64 bits, so that sums of them tell multisets apart; the argument is used up."""
    for _ in range(2):
        numbers ^= numbers >> _SHIFT
        numbers *= _FACTOR
    numbers ^= numbers >> _SHIFT
    return numbers


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
