#!/usr/bin/env python3
"""How often the geocoder is right, on places that its tables have never seen.

    accuracy.py [--flowrun PROGRAM] [--count 20000] [--borders FOLDER] [--folds]

Asks `flowrun call geocode.reverse --batch` for the held-out places (an eighth of GeoNames' places below 5,000
inhabitants, chosen by a hash of their coordinates; `plugins/geocode/Data/build_tables.py --held-out` lists them) and
prints how often country and province are right: in all, and for each way in which the country was decided.

With --folds every eighth is held out in turn, with tables made without it, so that each of GeoNames' 165,000 small places
is asked for once by tables that do not have it. The shares by method are the `confidence` of an answer.

With --borders, a folder of GeoJSON files with one country each and its ISO code under `iso_a2_eh` or `iso_a2`, it also
asks for random points on land, and compares with the country that the finer borders give. That needs shapely.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "plugins" / "geocode" / "Data" / "build_tables.py"


def held_out(count, *options):
    """Latitude, longitude, region of up to `count` held-out places, in an order of no meaning."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "held-out.tsv"
        subprocess.run(
            [sys.executable, str(BUILD), "--held-out", str(listing), *options], check=True, stdout=subprocess.DEVNULL)
        rows = [line.split("\t") for line in listing.read_text().splitlines()]
    random.Random(1).shuffle(rows)
    return [(float(latitude), float(longitude), region) for latitude, longitude, region in rows[:count]]


def fold(program, eighth):
    """The places of one eighth with the answers of tables made without it, and how long they took."""
    with tempfile.TemporaryDirectory() as folder:
        # The program finds the tables in `geocode` beside it where its own resources are not.
        places = held_out(None, "--eighth", str(eighth), "--output", f"{folder}/geocode")
        shutil.copy(program, f"{folder}/flowrun")
        return places, *ask(f"{folder}/flowrun", places)


def land_points(folder, count):
    """Random points on land with the country that the borders in `folder` give them, spread evenly over the sphere."""
    import math

    import shapely
    from shapely.geometry import shape

    outlines, codes = [], []
    for path in sorted(Path(folder).glob("*.geojson")):
        feature = json.loads(path.read_text())
        feature = feature["features"][0] if feature["type"] == "FeatureCollection" else feature
        code = next((c for c in map(feature["properties"].get, ("iso_a2_eh", "iso_a2")) if c and c != "-99"), None)
        if code:
            geometry = shape(feature["geometry"])
            outlines += list(getattr(geometry, "geoms", [geometry]))
            codes += [code] * (len(outlines) - len(codes))
    tree = shapely.STRtree(outlines)
    chance = random.Random(2)
    found = []
    while len(found) < count:
        points = [
            (math.degrees(math.asin(chance.uniform(-1, 1))), chance.uniform(-180, 180)) for _ in range(count)]
        inside = tree.query(shapely.points([p[1] for p in points], [p[0] for p in points]), predicate="within")
        found += [(*points[p], codes[o]) for p, o in zip(*inside)]
    return found[:count]


def ask(program, points):
    """The answers for a list of points, and how long they took."""
    lines = "".join(json.dumps({"latitude": p[0], "longitude": p[1]}) + "\n" for p in points)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [program, "call", "geocode.reverse", "--batch", "--data", folder], input=lines.encode(),
            stdout=subprocess.PIPE, check=True)
    seconds = time.monotonic() - begun
    answers = [json.loads(line).get("outputs") or {} for line in run.stdout.splitlines()]
    assert len(answers) == len(points), f"{len(answers)} answers to {len(points)} lines"
    return answers, seconds


def report(title, points, answers, seconds):
    expected = [(p[2].split(".")[0], p[2]) for p in points]
    right = [a.get("country-code") == e[0] for a, e in zip(answers, expected)]
    print(f"{title}: {len(points):,} points, {len(points) / seconds:,.0f} lines/s")
    print(f"  country right   {sum(right) / len(right):8.2%}")
    methods, hits = Counter(), Counter()
    for answer, ok in zip(answers, right):
        method = answer.get("method", "no answer"), answer.get("confidence")
        methods[method] += 1
        hits[method] += ok
    for method, count in sorted(methods.items(), key=str):
        print(f"    {method[0]:<10} {method[1] or '':<6} {count:>7,} {hits[method] / count:8.2%}")
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flowrun", default=str(ROOT / ".build" / "release" / "flowrun"))
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--borders", type=Path)
    parser.add_argument("--folds", action="store_true")
    arguments = parser.parse_args()

    if arguments.folds:
        towns, answers, seconds = [], [], 0
        for eighth in range(8):
            found = fold(arguments.flowrun, eighth)
            towns, answers, seconds = towns + found[0], answers + found[1], seconds + found[2]
    else:
        towns = held_out(arguments.count)
        answers, seconds = ask(arguments.flowrun, towns)
    country = report("held-out places", towns, answers, seconds)
    names = dict(
        line.split("\t")[:2]
        for line in (BUILD.parent.parent / "Sources/GeocodePlugin/Tables/admin1.tsv").read_text().splitlines()[1:])
    province = [(a.get("admin1") or "") == names[p[2]] and c for a, p, c in zip(answers, towns, country)]
    print(f"  province right  {sum(province) / len(province):8.2%}")
    good = sum(country) / len(country) >= 0.985 and sum(province) / len(province) >= 0.91
    if arguments.borders:
        points = land_points(arguments.borders, arguments.count)
        report("random points on land", points, *ask(arguments.flowrun, points))
    print("bars (country 98.5 %, province 91 %): " + ("met" if good else "MISSED"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
