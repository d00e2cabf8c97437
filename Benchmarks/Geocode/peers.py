#!/usr/bin/env python3
"""Prints the geocoder's figures, and those of the Python packages reverse_geocoder and reverse_geocode from the same run.

    peers.py [--benchmark PROGRAM]

Prints one line of JSON per figure, like GeocodeBenchmark: `work`, `value`, `unit` and, if there is a limit, `bar`. The
packages look up the same points near cities, all at once and one by one. Creates a separate virtual environment in
.build-data.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".build-data" / "peers"
OWN = "reverse lookups near cities"
PACKAGES = ["reverse_geocoder==1.5.1", "reverse_geocode==1.6.6", "numpy==2.2.6", "scipy==1.15.3", "setuptools==80.9.0"]


def main():
    python = HOME / "bin" / "python"
    if Path(sys.prefix).resolve() != HOME.resolve():
        if not python.exists():
            venv.create(HOME, with_pip=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default=str(ROOT / ".build" / "benchmarks" / "release" / "GeocodeBenchmark"))
    program = parser.parse_args().benchmark
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "points"
        subprocess.run([program, "--points", str(listing)], check=True)
        points = [tuple(map(float, line.split())) for line in listing.read_text().splitlines()]
    figures = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(figures, end="", flush=True)
    own = next(f["value"] for f in map(json.loads, figures.splitlines()) if f["work"] == OWN) * 1e6

    import reverse_geocode
    import reverse_geocoder

    for name, ask in (
        ("reverse_geocoder", lambda p: reverse_geocoder.search(p, mode=1, verbose=False)),
        ("reverse_geocode", reverse_geocode.search),
    ):
        ask(points[:10])
        begun = time.process_time()
        ask(points)
        batch = len(points) / (time.process_time() - begun)
        few = points[:2_000]
        begun = time.process_time()
        for point in few:
            ask([point])
        single = len(few) / (time.process_time() - begun)
        for how, rate in (("all at once", batch), ("one by one", single)):
            show(f"{OWN}, {name}, {how}", rate / 1e6, "M/s")
            show(f"{OWN}, against {name}, {how}", own / rate, "×")


def show(work, value, unit):
    print(json.dumps({"work": work, "value": round(value, 4), "unit": unit}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
