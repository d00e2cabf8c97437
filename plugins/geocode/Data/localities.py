"""Determines the city of which a place is a part, and the city near it. No package has GeoNames' hierarchy, so populations and
distances decide.

A city's radius follows from its population (`radius`). A place is a part of a larger city of its division if its own circle is
within the circle of that city, and the city is not a part of another one. `localities.tsv` has the places for which this is
known to be wrong. `GeocodeCore/Locality.swift` computes with the same radius.
"""

import math
from collections import defaultdict

RADIUS = 7.2
"""The radius of a city of a million inhabitants, in kilometers. The area grows with the population."""
MINIMUM_POPULATION = 15_000
"""Cities with fewer inhabitants have no parts."""
SMALLEST = 200
"""The minimum population for computing a radius, because the source lacks the population of some places."""
REACH = 2
"""The maximum distance of the city near a place, in radii."""
UNKNOWN_DIVISIONS = ("", "00")
CELL = 0.5


def radius(population):
    """Returns the radius of a city in kilometers."""
    return RADIUS * math.sqrt(max(population, SMALLEST) / 1_000_000)


def share_division(one, other):
    """Returns true if two places are in the same division, or in the same country if one division is unknown (Hong Kong)."""
    codes = one["admin1code"], other["admin1code"]
    return one["countrycode"] == other["countrycode"] and (
        codes[0] == codes[1] or any(code in UNKNOWN_DIVISIONS for code in codes))


def cities(everything, identifiers, known, meters):
    """Returns for each place, which must be in the tables, the identifier of its city or None, and whether it is a part of it.

    The city is the nearest one, measured in radii of each. `known` are the rows of `localities.tsv`."""
    given = {int(identifier): None if city == "-" else int(city) for identifier, _, city, _ in known}
    grid, found = defaultdict(list), {}

    def cell(latitude, longitude):
        return math.floor(latitude / CELL), math.floor(longitude / CELL)

    def nearest(identifier, r):
        best, reach = None, REACH * radius(30_000_000) / 111
        width = min(179, reach / max(0.05, math.cos(math.radians(r["latitude"]))))
        first, last = cell(r["latitude"] - reach, r["longitude"] - width), cell(r["latitude"] + reach, r["longitude"] + width)
        for row in range(first[0], last[0] + 1):
            for column in range(first[1], last[1] + 1):
                for other in grid.get((row, column), ()):
                    city = everything[other]
                    if not share_division(r, city):
                        continue
                    way = meters(r["latitude"], r["longitude"], city["latitude"], city["longitude"]) / 1000
                    rank = way / radius(city["population"]), other
                    if rank[0] <= REACH and (best is None or rank < best[0]):
                        best = rank, way
        return best

    for identifier in sorted(identifiers, key=lambda i: (-everything[i]["population"], i)):
        r = everything[identifier]
        best = nearest(identifier, r)
        city = best[0][1] if best else None
        part = bool(best) and best[1] + radius(r["population"]) <= radius(everything[city]["population"])
        if identifier in given:
            part = given[identifier] is not None
            city = given[identifier] if part else city
        found[identifier] = city, part
        if not part and r["population"] >= MINIMUM_POPULATION:
            grid[cell(r["latitude"], r["longitude"])].append(identifier)
    return found

