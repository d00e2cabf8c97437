"""Data prepared for the program in `index.bin`, so that loading computes nothing.

The file is `flowgeo4`, the number of sections (two UInt32, the second 0), then offset and size in bytes of each section
(UInt32 each) and the sections, each at a multiple of 16. All numbers are little-endian. `TableIndex.swift` in GeocodeCore
reads the same sections in the same order.
"""

import math
import struct
from array import array

import spatial

MAGIC = b"flowgeo4"
NOBODY = 0xFFFFFFFF
"""The number of a missing place, and a coordinate in an uninhabited area."""
MIXED, EMPTY = 0xFE, 0xFF
"""The label of a subtree whose points have different labels, and of a subtree without points."""
SECTIONS = [
    "placeRows", "placeNumbers", "largePlaces", "areaRegions", "areaCountries", "areaZones", "zoneRows", "cityMarks", "cityCounts",
    "cityOfPlace", "cities", "regionRows", "regionCountries", "regionSeats", "regionDigits", "countryRows", "countrySeats", "divisionRows", "divisionNumbers", "placeLeaves", "placeNodes", "placePoints", "districtLeaves",
    "districtNodes", "districtPoints", "searchSamples", "searchEntries", "searchMarks", "simplifiedCharacters", "typoLengths",
    "typoKeys", "typoWeights", "typoBuckets", "typoNumbers", "borderCells", "borderCrossings",
    "borderRuns", "borderCorners",
]
ROW_STEP = 8
"""The number of rows of places between two positions in the index."""
SEARCH_SAMPLE = 16
LARGE = (1 << 21) - 1
"""The population of a place whose actual population is in `largePlaces`."""
CELL = 500
"""The side of a border cell, in thousandths of a degree."""
ROWS, COLUMNS = 180_000 // CELL, 360_000 // CELL
CELL_COUNTRIES = 256
"""Values of a border cell below this are the number of the country that contains the whole cell, plus one. All others are a
crossed cell."""
NEAR_BORDER = 1 << 15
BORDER_REACH = 10
"""The maximum distance to a border that is measured, in kilometers."""


def pack(sections):
    """Returns the bytes of `index.bin`."""
    assert sorted(sections) == sorted(SECTIONS)
    offset = (16 + 8 * len(SECTIONS) + 15) // 16 * 16
    head, body = [MAGIC, struct.pack("<II", len(SECTIONS), 0)], []
    for name in SECTIONS:
        data = sections[name]
        head.append(struct.pack("<II", offset, len(data)))
        body.append(data.ljust((len(data) + 15) // 16 * 16, b"\0"))
        offset += len(body[-1])
    start = b"".join(head)
    return start.ljust((len(start) + 15) // 16 * 16, b"\0") + b"".join(body)


def row_starts(table, step=1):
    """Returns the offsets of every `step`th row of a table of tab-separated values, after the first line."""
    starts, at = [], table.index(b"\n") + 1
    while at < len(table):
        starts.append(at)
        at = table.index(b"\n", at) + 1
    return struct.pack(f"<{len(starts[::step])}I", *starts[::step])


def place_numbers(places):
    """Returns positions and populations of `places`: (latitude, longitude, in steps of 0.0001 degrees, population).

    A place is a UInt64: from the highest bit, latitude + 90 degrees in 21 bits, longitude + 180 degrees in 22, population
    in 21. A population that does not fit is `LARGE`; it follows with the number of its place in a list (UInt32 each).
    """
    numbers, large = [], []
    for number, (latitude, longitude, population) in enumerate(places):
        if population >= LARGE:
            large += [number, population]
        numbers.append((latitude + 900_000) << 43 | (longitude + 1_800_000) << 21 | min(population, LARGE))
    return struct.pack(f"<{len(numbers)}Q", *numbers), struct.pack(f"<{len(large)}I", *large)


PART = 0x8000
"""The bit of a place's city that is set if the place is a part of it."""


def place_cities(found, place_order):
    """Returns the sections with the cities of places. `found` has, by place, its city or None and whether it is a part of it.

    Most places have none: a bit for each place that does (UInt64, from the lowest), the number of bits in the words before each
    (UInt32), and for each bit a UInt16: the number of the city, and in the highest bit whether the place is a part of it. `cities` are the places (UInt32) by those numbers.
    """
    rows = {place: row for row, place in enumerate(place_order)}
    used = sorted({rows[city] for city, _ in found.values() if city is not None})
    assert len(used) < PART
    number = {row: k for k, row in enumerate(used)}
    words, counts, values = [], [], []
    for start in range(0, len(place_order), 64):
        word = 0
        counts.append(len(values))
        for bit, place in enumerate(place_order[start : start + 64]):
            city, part = found[place]
            if city is not None:
                word |= 1 << bit
                values.append(number[rows[city]] | (PART if part else 0))
        words.append(word)
    return {
        "cityMarks": struct.pack(f"<{len(words)}Q", *words),
        "cityCounts": struct.pack(f"<{len(counts)}I", *counts),
        "cityOfPlace": struct.pack(f"<{len(values)}H", *values),
        "cities": struct.pack(f"<{len(used)}I", *used),
    }


def tree(groups, labels):
    """Returns leaves, nodes and points of a tree over `groups` of points.

    Each group is a leaf's points (sixteen, fewer only in the last): (integer unit vector, the number it carries). `labels` gives the label of what a point carries. A leaf has its corner as three Float,
    and in a UInt32 the number of its first point and, in the highest eight bits, how many low bits its points have
    dropped; one more marks the end. Of each leaf there are x, y and z of its points, above its corner, and what they
    carry: four columns of UInt16. A node joins two leaves or nodes: where the first ends and the second begins on the axis
    with the widest gap (Float), the axis and the labels of both (UInt8).
    """
    leaves, points_of_leaves, boxes = [], array("H"), []
    scale, count = float(spatial.UNITS), 0
    for group in groups:
        points = [point for point, _ in group]
        low = [min(p[a] for p in points) for a in range(3)]
        extent = max(max(p[a] for p in points) - low[a] for a in range(3))
        shift = 0
        while (extent + (1 << shift >> 1)) >> shift > 0xFFFF:
            shift += 1
        assert count < 1 << 24
        leaves.append(struct.pack("<3fI", *(v / scale for v in low), count | shift << 24))
        kept = [[(p[a] - low[a] + (1 << shift >> 1)) >> shift for a in range(3)] for p in points]
        for a in range(3):
            points_of_leaves.extend(k[a] for k in kept)
        points_of_leaves.extend(value for _, value in group)
        count += len(group)
        own = {labels(value) for _, value in group}
        boxes.append((
            [low[a] + (min(k[a] for k in kept) << shift) for a in range(3)],
            [low[a] + (max(k[a] for k in kept) << shift) for a in range(3)],
            own.pop() if len(own) == 1 else MIXED))
    leaves.append(struct.pack("<3fI", 0, 0, 0, count))
    nodes = []
    while True:
        joined = []
        for first, second in zip(boxes[::2], boxes[1::2] + [None]):
            if second is None:
                nodes.append(struct.pack("<ffBBBx", first[1][0] / scale, 16, 0, first[2], EMPTY))
                joined.append(first)
                continue
            gaps = [second[0][a] - first[1][a] for a in range(3)]
            axis = gaps.index(max(gaps))
            nodes.append(struct.pack(
                "<ffBBBx", first[1][axis] / scale, second[0][axis] / scale, axis, first[2], second[2]))
            joined.append((
                [min(first[0][a], second[0][a]) for a in range(3)], [max(first[1][a], second[1][a]) for a in range(3)],
                first[2] if first[2] == second[2] else MIXED))
        boxes = joined
        if len(boxes) == 1:
            break
    return b"".join(leaves), b"".join(nodes), struct.pack(f"<{len(points_of_leaves)}H", *points_of_leaves)


def search(searchable, fold):
    """Returns record and field of every searchable name, by folded name; the start of every sixteenth; and a mark for each.

    A sample is the first eight bytes of the folded name as a UInt64 whose order is theirs; an entry has three bytes: the
    record in the lower 18 bits, the field in the upper 6. A mark is a byte that the whole folded name decides, so that a
    name is found among those that begin alike without folding them all.
    """
    entries = []
    for record, strings in enumerate(searchable):
        for field, text in enumerate(strings):
            key = fold(text).encode()
            if key:
                entries.append((key, record, field))
    entries.sort()
    assert len(searchable) < 1 << 18 and all(field < 64 for _, _, field in entries)
    samples = [int.from_bytes(key[:8].ljust(8, b"\0"), "big") for key, _, _ in entries[::SEARCH_SAMPLE]]
    packed = b"".join((record | field << 18).to_bytes(3, "little") for _, record, field in entries)
    return struct.pack(f"<{len(samples)}Q", *samples), packed, bytes(mark(key) for key, _, _ in entries)


TYPO_BUCKETS = 1 << 15
TYPO_LENGTHS = range(3, 25)
"""Lengths in bytes of the names in which typos are tolerated."""


def typos(weighted):
    """Returns the names that are found despite typos. `weighted` has a weight for each folded name.

    Names of equal length stand together without anything between them, in order; of each length there are the number of its
    first name and where that begins (UInt32 each; one more length marks the end). A weight is a byte. A name of up to five
    bytes is cut in two, a longer one in three: where it has one typo or two, a piece has none. A bucket is where the
    numbers (UInt16) of the names begin of which a piece falls into it (UInt32; one more marks the end).
    """
    names = sorted((key for key in weighted if len(key) in TYPO_LENGTHS and key.isascii()), key=lambda key: (len(key), key))
    assert len(names) < 1 << 16
    lengths, first, offset = [], 0, 0
    for length in [*TYPO_LENGTHS, 0]:
        lengths.append((first, offset))
        count = sum(len(name) == length for name in names)
        first, offset = first + count, offset + count * length
    buckets = [[] for _ in range(TYPO_BUCKETS)]
    for number, name in enumerate(names):
        for piece, (start, end) in enumerate(pieces(len(name))):
            buckets[piece_sum(len(name), piece, name[start:end]) % TYPO_BUCKETS].append(number)
    starts = [0]
    for bucket in buckets:
        starts.append(starts[-1] + len(bucket))
    numbers = [number for bucket in buckets for number in bucket]
    return {
        "typoLengths": b"".join(struct.pack("<II", *pair) for pair in lengths),
        "typoKeys": b"".join(names),
        "typoWeights": bytes(weighted[name] for name in names),
        "typoBuckets": struct.pack(f"<{len(starts)}I", *starts),
        "typoNumbers": struct.pack(f"<{len(numbers)}H", *numbers),
    }


def pieces(length):
    """Returns the ranges of the pieces of a name of a given length."""
    count = 2 if length <= 5 else 3
    return [(piece * length // count, (piece + 1) * length // count) for piece in range(count)]


def piece_sum(length, piece, text):
    """Returns the FNV-1a sum of a piece of a name. `TypoTable.swift` computes the same."""
    total = 0x811C9DC5
    for byte in (length << 2 | piece, *text):
        total = (total ^ byte) * 0x01000193 & 0xFFFFFFFF
    return total ^ total >> 15


def mark(key):
    """Returns eight bits of the FNV-1a sum of a folded name. `SearchTable.swift` computes the same."""
    total = 0x811C9DC5
    for byte in key:
        total = (total ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (total ^ total >> 8 ^ total >> 16 ^ total >> 24) & 0xFF


def borders(rings):
    """Returns the outlines over a grid of half-degree cells: the country that contains each, or the sides that touch it.

    `rings` are (country's number, corners in thousandths of a degree). A cell (UInt16, from south to north and in each
    row from west to east) has in its lower 15 bits the number of the country that holds all of it plus one (0: none), or
    256 plus the number of a crossing; the highest bit says that a border with another country may be within
    `BORDER_REACH`. A crossing (UInt32) is where its runs begin, and in the highest eight bits the country in the middle of
    the cell plus one; one more crossing marks the end. A run (UInt32) is the number of a corner and, in the highest
    eight bits, how many sides follow each other from it on. A corner is a UInt64, each ring closed by its first: from the
    lowest bit, the country of its ring plus one in 8 bits, the one across the side that it starts plus one (0: the sea)
    in 8, longitude + 180 degrees in 24, latitude + 90 degrees in 24.
    """
    corners, owners, starts = [], [], []
    for country, ring in rings:
        starts += range(len(corners), len(corners) + len(ring))
        corners += [*ring, ring[0]]
        owners += [country + 1] * (len(ring) + 1)
    assert len(corners) < 1 << 24 and max(owners) < 255
    across = opposite_countries(corners, owners, starts)
    toggles = [[0] * (COLUMNS + 1) for _ in range(ROWS)]
    touching = [[] for _ in range(ROWS * COLUMNS)]
    near = bytearray(ROWS * COLUMNS)
    for start in starts:
        (x1, y1), (x2, y2) = corners[start], corners[start + 1]
        low, high = min(y1, y2), max(y1, y2)
        for row in range(max(0, (low + 90_000) // CELL - 1), min(ROWS - 1, (high + 90_000) // CELL + 1) + 1):
            middle = row * CELL - 90_000 + CELL // 2
            if (y1 > middle) != (y2 > middle):
                # The longitude as a fraction: the first column whose middle is east of it.
                numerator, denominator = x1 * (y2 - y1) + (middle - y1) * (x2 - x1), y2 - y1
                if denominator < 0:
                    numerator, denominator = -numerator, -denominator
                column = (numerator + (180_000 - CELL // 2) * denominator) // (CELL * denominator) + 1
                toggles[row][max(0, min(COLUMNS, column))] ^= owners[start]
            bottom, top = row * CELL - 90_000, row * CELL - 90_000 + CELL
            if high < bottom or low > top:
                continue
            west, east = min(x1, x2), max(x1, x2)
            if y1 != y2:
                ends = [
                    x1 + (max(min(y, high), low) - y1) * (x2 - x1) / (y2 - y1) for y in (bottom, top)]
                west, east = max(west, min(ends) - 1), min(east, max(ends) + 1)
            for column in range(
                    max(0, int((west + 179_990) // CELL)), min(COLUMNS - 1, int((east + 180_010) // CELL)) + 1):
                touching[row * COLUMNS + column].append(start)
        if across[start]:
            mark_near(near, x1, y1, x2, y2)
    cells, crossed, runs = [], [], []
    for row in range(ROWS):
        inside = 0
        for column in range(COLUMNS):
            inside ^= toggles[row][column]
            touched = touching[row * COLUMNS + column]
            value = inside
            if touched:
                value = CELL_COUNTRIES + len(crossed)
                crossed.append(len(runs) | inside << 24)
                runs += runs_of(touched)
            assert value < NEAR_BORDER
            cells.append(value | NEAR_BORDER * near[row * COLUMNS + column])
    assert len(runs) < 1 << 24
    crossed.append(len(runs))
    packed = [
        owner | other << 8 | x + 180_000 << 16 | y + 90_000 << 40 for (x, y), owner, other in zip(corners, owners, across)]
    return {
        "borderCells": struct.pack(f"<{len(cells)}H", *cells),
        "borderCrossings": struct.pack(f"<{len(crossed)}I", *crossed),
        "borderRuns": struct.pack(f"<{len(runs)}I", *runs),
        "borderCorners": struct.pack(f"<{len(packed)}Q", *packed),
    }


def opposite_countries(corners, owners, starts):
    """Returns for each corner the country across the side that starts there, plus one, or 0 for the sea or the same country."""
    sides = {}
    for start in starts:
        sides.setdefault(frozenset((corners[start], corners[start + 1])), []).append(start)
    across = [0] * len(corners)
    for shared in sides.values():
        for start in shared:
            others = [owners[s] for s in shared if owners[s] != owners[start]]
            if others:
                across[start] = others[0]
    return across


def mark_near(near, x1, y1, x2, y2):
    """Marks the cells that may be within `BORDER_REACH` of a side."""
    height = BORDER_REACH / 111.0 * 1000
    highest = min(89.0, (max(abs(y1), abs(y2)) + height) / 1000)
    width = height / math.cos(math.radians(highest))
    for row in range(
            max(0, int((min(y1, y2) - height + 90_000) // CELL)),
            min(ROWS - 1, int((max(y1, y2) + height + 90_000) // CELL)) + 1):
        for column in range(
                int((min(x1, x2) - width + 180_000) // CELL), int((max(x1, x2) + width + 180_000) // CELL) + 1):
            near[row * COLUMNS + column % COLUMNS] = 1


def runs_of(numbers):
    """Returns ascending numbers as packed pairs of the first and the count of consecutive numbers."""
    runs = []
    for number in numbers:
        if runs and runs[-1][0] + runs[-1][1] == number and runs[-1][1] < 255:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return [first | count << 24 for first, count in runs]
