"""Bipartite matching on bit sets: gold columns on one side, prediction columns on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def bits(mask: int) -> Iterator[int]:
    """The positions of the set bits, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def has_matching(options: Sequence[int]) -> bool:
    """Whether each j can have its own k out of the bit set `options[j]`."""
    return _owners(options) is not None


def first_matching(options: Sequence[int]) -> tuple[int, ...] | None:
    """The lexicographically first way to give each j its own k out of the bit set `options[j]`, or None.

    Each j in turn takes the smallest k that still leaves the later ones a place.
    """
    owner = _owners(options)
    if owner is None:
        return None
    taken = 0
    for j, mask in enumerate(options):
        now = next(k for k, other in owner.items() if other == j)
        for k in bits(mask & ~taken & ((1 << now) - 1)):
            trial = {place: other for place, other in owner.items() if other != j}
            displaced = trial.pop(k, None)
            trial[k] = j
            if displaced is None or _augment(displaced, options, trial, _Seen(taken | 1 << k)):
                owner, now = trial, k
                break
        taken |= 1 << now
    place = {j: k for k, j in owner.items()}
    return tuple(place[j] for j in range(len(options)))


def is_only_matching(options: Sequence[int], matching: Sequence[int]) -> bool:
    """Whether there is no other way than `matching` to give each j its own k."""
    for j, k in enumerate(matching):
        if options[j].bit_count() > 1:
            without = list(options)
            without[j] &= ~(1 << k)
            if has_matching(without):
                return False
    return True


class _Seen:
    """The places one augmenting path may not use again."""

    def __init__(self, mask: int = 0) -> None:
        self.mask = mask


def _owners(options: Sequence[int]) -> dict[int, int] | None:
    """A perfect matching as {k: j}, by Kuhn's augmenting paths; None when there is none."""
    owner: dict[int, int] = {}
    if all(_augment(j, options, owner, _Seen()) for j in range(len(options))):
        return owner
    return None


def _augment(j: int, options: Sequence[int], owner: dict[int, int], seen: _Seen) -> bool:
    """Give j a place, moving others where that helps. When it fails, `owner` is as before."""
    while left := options[j] & ~seen.mask:
        k = next(bits(left))
        seen.mask |= 1 << k
        if k not in owner or _augment(owner[k], options, owner, seen):
            owner[k] = j
            return True
    return False
