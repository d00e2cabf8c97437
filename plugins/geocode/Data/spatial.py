"""Where things are: the hold-out hash, unit vectors and the k-d order in which the tables keep their points."""

import math

BLOCK = 8
"""Named points in a leaf of the tree. `PointTree` in GeocodeCore reads the same number."""

HELD_OUT_SHARE = 8
"""One nameless place in this many stays out of the shipped tables, so that accuracy can be measured on it."""


def ten_thousandths(degrees):
    """A coordinate in integer steps of 0.0001 degrees, about 11 m: the resolution of the tables."""
    return round(degrees * 10_000)


def is_held_out(latitude, longitude, eighth=0):
    """Whether a place is one of the eighth that only the accuracy measurement may see.

    The choice depends on the coordinates alone (32-bit mixing, constants of xxHash), so it stays the same when the
    source gains or loses other places.
    """
    x = (ten_thousandths(latitude) * 2654435761 ^ ten_thousandths(longitude) * 40503) & 0xFFFFFFFF
    x ^= x >> 15
    x = x * 2246822519 & 0xFFFFFFFF
    x ^= x >> 13
    return x % HELD_OUT_SHARE == eighth


UNITS = 1 << 24
"""Whole steps of a unit vector, 38 cm on the ground: a Float holds each of them exactly."""


def unit_vector(latitude, longitude):
    """The point on the unit sphere in whole steps, so that neither order nor tables depend on a last bit."""
    phi, lam = math.radians(latitude), math.radians(longitude)
    return (
        round(math.cos(phi) * math.cos(lam) * UNITS),
        round(math.cos(phi) * math.sin(lam) * UNITS),
        round(math.sin(phi) * UNITS),
    )


def k_d_order(points, identifiers, followers=(), follower_identifiers=()):
    """The order of `points` (integer unit vectors) in which every aligned block of 8, 16, 32 … is a cell of a k-d tree;
    and for each block of eight the `followers` that lie in its cell.

    A range is split on its widest axis; the left part gets the largest 8 × 2^k that leaves something for the right.
    Ties go by `identifiers`, which are unique. Followers go to the side of the middle of the gap on which they lie.
    """
    order, groups = [], []
    pending = [(list(range(len(points))), list(range(len(followers))))]
    while pending:
        cell, inside = pending.pop()
        if len(cell) <= BLOCK:
            order.extend(sorted(cell, key=lambda i: identifiers[i]))
            groups.append(sorted(inside, key=lambda i: follower_identifiers[i]))
            continue
        spans = [
            max(points[i][axis] for i in cell) - min(points[i][axis] for i in cell) for axis in range(3)
        ]
        axis = spans.index(max(spans))
        cell.sort(key=lambda i: (points[i][axis], identifiers[i]))
        left = BLOCK
        while left * 2 < len(cell):
            left *= 2
        middle = points[cell[left - 1]][axis] + points[cell[left]][axis]
        pending.append((cell[left:], [i for i in inside if followers[i][axis] * 2 >= middle]))
        pending.append((cell[:left], [i for i in inside if followers[i][axis] * 2 < middle]))
    return order, groups
