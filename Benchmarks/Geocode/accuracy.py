#!/usr/bin/env python3
"""Measures how often the geocoder's answers are right for places that are not in its tables.

    accuracy.py [--flowrun PROGRAM] [--count 20000] [--opinion] [--folds]

Looks up the held-out places with `flowrun call geocode.reverse --batch`. They are an eighth of GeoNames' places below 5,000
inhabitants, chosen by a hash of their coordinates; `plugins/geocode/Data/build_tables.py --held-out` lists them. Prints the
shares of right countries and provinces, and the share of right countries for each method that determined the country.

With --folds, each eighth is held out in turn, with tables that were built without it. So each of GeoNames' 165,000 small
places is looked up once in tables that do not contain it. The shares by method are the `confidence` of an answer.

With --opinion, also looks up --count random points on land, and a quarter as many within 30 km of a border. The answers are
compared with the countries of these points according to other borders (`opinion.py`, which needs packages from PyPI). For
each tenth of confidence, prints the average confidence and the share of right answers.
"""

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter, defaultdict
from pathlib import Path

from opinion import PACKAGES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "plugins" / "geocode" / "Data" / "build_tables.py"


def held_out(count, *options):
    """Returns latitude, longitude and region of up to `count` held-out places, in arbitrary order."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "held-out.tsv"
        subprocess.run(
            [sys.executable, str(BUILD), "--held-out", str(listing), *options], check=True, stdout=subprocess.DEVNULL)
        rows = [line.split("\t") for line in listing.read_text().splitlines()]
    random.Random(1).shuffle(rows)
    return [(float(latitude), float(longitude), region) for latitude, longitude, region in rows[:count]]


def fold(program, eighth):
    """Returns the places of one eighth, the answers of tables built without it, and the time taken."""
    with tempfile.TemporaryDirectory() as folder:
        # The program uses the tables in `geocode` next to it if its own resources are missing.
        places = held_out(None, "--eighth", str(eighth), "--output", f"{folder}/geocode")
        shutil.copy(program, f"{folder}/flowrun")
        return places, *ask(f"{folder}/flowrun", places)


def opinion(land, border):
    """Returns random points on land and near borders with their country according to other borders; see `opinion.py`."""
    home = ROOT / ".build-data" / "opinion"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    # Finding the points takes 15 minutes. They stay the same until the packages or the script change.
    kind = hashlib.sha256("".join([*PACKAGES, (HERE / "opinion.py").read_text()]).encode()).hexdigest()[:12]
    listing = home / f"points-{land}-{border}-{kind}.tsv"
    if not listing.exists():
        fresh = listing.with_suffix(".new")
        with fresh.open("w") as file:
            subprocess.run([str(python), str(HERE / "opinion.py"), str(land), str(border)], check=True, stdout=file)
        fresh.rename(listing)
    points = [line.split("\t") for line in listing.read_text().splitlines()]
    return [(float(latitude), float(longitude), country, kind) for latitude, longitude, country, kind in points]


def ask(program, points):
    """Returns the answers for a list of points, and the time taken."""
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


SAME = {"XK": "RS"}
"""Kosovo does not have a separate time zone, so the second opinion is Serbia's."""


def is_right(answer, point):
    code, expected = answer.get("country-code"), point[2].split(".")[0]
    return code == expected or SAME.get(code, code) == expected


def calibration(points, answers):
    """Prints the average confidence and the share of right answers for each tenth of confidence. Returns the largest
    difference between the two."""
    tenths = defaultdict(list)
    for point, answer in zip(points, answers):
        if "confidence" in answer:
            tenths[min(9, int(answer["confidence"] * 10))].append((answer["confidence"], is_right(answer, point)))
    worst = 0
    print("  confidence      answers  claimed    right")
    for tenth, found in sorted(tenths.items()):
        claimed, right = (sum(column) / len(found) for column in zip(*found))
        worst = max(worst, abs(claimed - right))
        print(f"    {tenth / 10:.1f} … {tenth / 10 + 0.1:.1f}  {len(found):>9,} {claimed:8.2%} {right:8.2%}")
    return worst


def report(title, points, answers, seconds):
    right = [is_right(a, p) for a, p in zip(answers, points)]
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
    parser.add_argument("--opinion", action="store_true", help="also points on land and near borders")
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
    bars = "country 98.5 %, province 91 %"
    if arguments.opinion:
        points = opinion(arguments.count, arguments.count // 4)
        answers, seconds = ask(arguments.flowrun, points)
        for kind, bar in (("land", 0.992), ("border", 0.93)):
            chosen = [k for k, p in enumerate(points) if p[3] == kind]
            right = report(
                f"random points, {kind}", [points[k] for k in chosen], [answers[k] for k in chosen], seconds)
            good &= sum(right) / len(right) >= bar
        good &= calibration(points, answers) <= 0.02
        bars += ", land 99.2 %, within 30 km of a border 93 %, confidence within 2 points in every tenth"
    print(f"bars ({bars}): " + ("met" if good else "MISSED"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
