"""Locations: the hash for holding out places, unit vectors, and the k-d order in which the tables store their points."""

import math

BLOCK = 16
"""The number of points in a leaf of the tree. `PointTree` in GeocodeCore uses the same number."""

HELD_OUT_SHARE = 8
"""One in this many places below 5,000 inhabitants is excluded from the tables, so that accuracy can be measured on it."""


def ten_thousandths(degrees):
    """Returns a coordinate in integer steps of 0.0001 degrees, about 11 m: the resolution of the tables."""
    return round(degrees * 10_000)


def is_held_out(latitude, longitude, eighth=0):
    """Returns whether a place is one of the eighth that is reserved for the measurement of accuracy.

    The choice depends on the coordinates alone (32-bit mixing, constants of xxHash), so it stays the same when the
    source gains or loses other places.
    """
    x = (ten_thousandths(latitude) * 2654435761 ^ ten_thousandths(longitude) * 40503) & 0xFFFFFFFF
    x ^= x >> 15
    x = x * 2246822519 & 0xFFFFFFFF
    x ^= x >> 13
    return x % HELD_OUT_SHARE == eighth


UNITS = 1 << 24
"""The number of steps of a unit vector, 38 cm on the ground each. A Float represents each of them exactly."""


def unit_vector(latitude, longitude):
    """Returns the point on the unit sphere in whole steps, so that rounding affects neither the order nor the tables."""
    phi, lam = math.radians(latitude), math.radians(longitude)
    return (
        round(math.cos(phi) * math.cos(lam) * UNITS),
        round(math.cos(phi) * math.sin(lam) * UNITS),
        round(math.sin(phi) * UNITS),
    )


def k_d_order(points, identifiers):
    """Returns the order of `points` (integer unit vectors) in which each aligned block of 16, 32, 64 … is a k-d cell.

    A range is split on its widest axis; the left part gets the largest 16 × 2^k that leaves something for the right.
    Ties go by `identifiers`, which are unique.
    """
    order = []
    pending = [list(range(len(points)))]
    while pending:
        cell = pending.pop()
        if len(cell) <= BLOCK:
            order.extend(sorted(cell, key=lambda i: identifiers[i]))
            continue
        spans = [
            max(points[i][axis] for i in cell) - min(points[i][axis] for i in cell) for axis in range(3)
        ]
        axis = spans.index(max(spans))
        cell.sort(key=lambda i: (points[i][axis], identifiers[i]))
        left = BLOCK
        while left * 2 < len(cell):
            left *= 2
        pending.append(cell[left:])
        pending.append(cell[:left])
    return order
