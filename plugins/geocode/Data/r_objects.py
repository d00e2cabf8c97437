"""Reads the objects in which an R package stores its data, for the parts of the format used by tables and outlines."""

import gzip
import lzma
import struct
import zlib


class Reader:
    """One serialized object in R's binary form. Vectors become lists, and tagged lists and objects of classes become
    dictionaries."""

    def __init__(self, data):
        assert data[:2] == b"X\n", "expected R's binary form"
        self.data, self.at, self.references = data, 14, []
        if struct.unpack_from(">i", data, 2)[0] == 3:
            self.at += 4 + struct.unpack_from(">i", data, 14)[0]

    def integer(self):
        return struct.unpack(">i", self.take(4))[0]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def item(self):
        """Returns the next object, as a pair with its attributes if there are any."""
        flags = self.integer()
        kind = flags & 0xFF
        if kind in (0xFE, 0xFD, 0xFB, 0xF2, 0xF1):  # nothing, and the environments that have no contents here
            return None
        if kind == 0xFF:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == 1:
            self.references.append(self.item())
            return self.references[-1]
        if kind == 2:
            return self.pairs(flags)
        if kind == 9:
            count = self.integer()
            return None if count < 0 else self.take(count).decode("latin-1" if flags & 0x4000 else "utf-8")
        if kind == 25:
            return self.item()
        count = self.integer()
        if kind in (10, 13):
            value = list(struct.unpack(f">{count}i", self.take(4 * count)))
        elif kind == 14:
            value = list(struct.unpack(f">{count}d", self.take(8 * count)))
        elif kind in (16, 19):
            value = [self.item() for _ in range(count)]
        else:
            raise ValueError(f"an object of kind {kind} at {self.at}")
        return (value, self.item()) if flags & 0x200 else value

    def pairs(self, flags):
        found = {}
        while flags & 0xFF == 2:
            if flags & 0x200:
                self.item()
            tag = self.item() if flags & 0x400 else None
            found[tag] = self.item()
            flags = self.integer()
        return found


def objects(index, contents, names):
    """Returns the named objects of a package's database. `index` and `contents` are its .rdx and .rdb files."""
    values, attributes = Reader(zlib.decompress(index) if index[:1] == b"x" else gzip.decompress(index)).item()
    variables, variable_names = dict(zip(attributes["names"], values))["variables"]
    found = []
    for name in names:
        at, size = variables[variable_names["names"].index(name)]
        block = contents[at : at + size]
        assert block[4:5] == b"Z", "expected an object packed by LZMA"
        data = lzma.decompress(block[5:], lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])
        assert len(data) == int.from_bytes(block[:4], "big")
        found.append(Reader(data).item())
    return found


def columns(frame, names):
    """Returns the columns of a table, with factors as words."""
    values, attributes = frame
    found = []
    for name in names:
        column = values[attributes["names"].index(name)]
        if isinstance(column, tuple):
            numbers, levels = column[0], column[1]["levels"]
            column = [levels[n - 1] if n > 0 else None for n in numbers]
        found.append(column)
    return found
