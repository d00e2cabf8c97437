"""What the program computes with, laid out ahead of time in `index.bin`, so that loading builds nothing.

The file is `flowgeo2`, the number of sections (two UInt32, the second 0), then offset and size in bytes of each section
(UInt32 each) and the sections, each at a multiple of 16. All numbers are little-endian. `TableIndex.swift` in GeocodeCore
reads the same sections in the same order.
"""

import struct
from array import array

import spatial

MAGIC = b"flowgeo2"
NOBODY = 0xFFFFFFFF
"""A place's number where there is none, and a coordinate where nobody lives."""
MIXED, EMPTY = 0xFE, 0xFF
"""The label of a subtree whose points have different ones, and of a subtree without points."""
SECTIONS = [
    "placeRows", "placeNumbers", "largePlaces", "regionRows", "regionCountries", "regionSeats", "regionDigits", "countryRows",
    "countrySeats", "divisionRows", "divisionNumbers", "placeLeaves", "placeNodes", "placePoints", "districtLeaves",
    "districtNodes", "districtPoints", "searchSamples", "searchEntries", "searchMarks", "borderCells", "borderCrossings",
    "borderEdges", "borderCorners", "borderCountries",
]
SEARCH_SAMPLE = 16
LARGE = (1 << 21) - 1
"""The population of a place whose real one stands in `largePlaces`."""
CELL_COUNTRIES = 256
"""Values of a border cell below this are the country that holds all of it, plus one; the others are a crossed cell."""


def pack(sections):
    """The bytes of `index.bin`."""
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
    """The offsets of every `step`th row of a table of tab-separated values, behind the first line."""
    starts, at = [], table.index(b"\n") + 1
    while at < len(table):
        starts.append(at)
        at = table.index(b"\n", at) + 1
    return struct.pack(f"<{len(starts[::step])}I", *starts[::step])


def place_numbers(places):
    """Positions and populations of `places`: (latitude, longitude, in steps of 0.0001 degrees, population).

    A place is a UInt64: from the highest bit, latitude + 90 degrees in 21 bits, longitude + 180 degrees in 22, population
    in 21. A population that does not fit is `LARGE`; it follows with the number of its place in a list (UInt32 each).
    """
    numbers, large = [], []
    for number, (latitude, longitude, population) in enumerate(places):
        if population >= LARGE:
            large += [number, population]
        numbers.append((latitude + 900_000) << 43 | (longitude + 1_800_000) << 21 | min(population, LARGE))
    return struct.pack(f"<{len(numbers)}Q", *numbers), struct.pack(f"<{len(large)}I", *large)


def tree(groups, labels):
    """Leaves, nodes and points of a tree over `groups` of points.

    Each group is the leaf's own points (eight, fewer only in the last) followed by others in its cell: (integer unit
    vector, the number it carries). `labels` gives the label of what a point carries. A leaf has its corner as three Float,
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
    """Record and field of every searchable name, by folded name; the start of every sixteenth; and a mark for each.

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


def mark(key):
    """Eight bits of the FNV-1a sum of a folded name; `SearchTable.swift` computes the same."""
    total = 0x811C9DC5
    for byte in key:
        total = (total ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (total ^ total >> 8 ^ total >> 16 ^ total >> 24) & 0xFF


def borders(rings):
    """The outlines over a grid of one-degree cells: which country holds each, or which sides of outlines touch it.

    `rings` are (country's number, corners in thousandths of a degree). A cell (UInt16, from south to north and in each
    row from west to east) is the number of the country that holds all of it plus one (0: none), or 256 plus the number
    of a crossing: in a UInt32 where its edges begin, and in the highest eight bits the country in the middle of the cell
    plus one; one more crossing marks the end. An edge is the number of the corner it starts from (UInt16); it leads to
    the next. Corners are longitude and latitude (Int32), each ring closed by its first; each has its country plus one.
    """
    corners, owners, starts = [], [], []
    for country, ring in rings:
        starts += range(len(corners), len(corners) + len(ring))
        corners += [*ring, ring[0]]
        owners += [country + 1] * (len(ring) + 1)
    assert len(corners) < 1 << 16 and max(owners) < 255
    crossings_of_row = [[] for _ in range(180)]
    touching = [[] for _ in range(180 * 360)]
    for start in starts:
        (x1, y1), (x2, y2) = corners[start], corners[start + 1]
        low, high = min(y1, y2), max(y1, y2)
        for row in range(max(0, (low + 90_000) // 1000 - 1), min(179, (high + 90_000) // 1000 + 1) + 1):
            middle = row * 1000 - 89_500
            if (y1 > middle) != (y2 > middle):
                # The longitude as a fraction, so that order does not depend on a last bit.
                numerator, denominator = x1 * (y2 - y1) + (middle - y1) * (x2 - x1), y2 - y1
                sign = 1 if denominator > 0 else -1
                crossings_of_row[row].append((numerator * sign, denominator * sign, owners[start]))
            bottom, top = row * 1000 - 90_000, row * 1000 - 89_000
            if high < bottom or low > top:
                continue
            west, east = min(x1, x2), max(x1, x2)
            if y1 != y2:
                ends = [
                    x1 + (max(min(y, high), low) - y1) * (x2 - x1) / (y2 - y1) for y in (bottom, top)]
                west, east = max(west, min(ends) - 1), min(east, max(ends) + 1)
            for column in range(
                max(0, int((west + 179_990) // 1000)), min(359, int((east + 180_010) // 1000)) + 1):
                touching[row * 360 + column].append(start)
    cells, crossed, edges = [], [], []
    for row in range(180):
        for column in range(360):
            middle, inside = column * 1000 - 179_500, 0
            for numerator, denominator, owner in crossings_of_row[row]:
                if numerator < middle * denominator:
                    inside ^= owner
            touched = touching[row * 360 + column]
            if touched:
                cells.append(CELL_COUNTRIES + len(crossed))
                crossed.append(len(edges) | inside << 24)
                edges += touched
            else:
                cells.append(inside)
    crossed.append(len(edges))
    assert max(cells) < 1 << 16
    flat = [number for corner in corners for number in corner]
    return {
        "borderCells": struct.pack(f"<{len(cells)}H", *cells),
        "borderCrossings": struct.pack(f"<{len(crossed)}I", *crossed),
        "borderEdges": struct.pack(f"<{len(edges)}H", *edges),
        "borderCorners": struct.pack(f"<{len(flat)}i", *flat),
        "borderCountries": bytes(owners),
    }
