#!/usr/bin/env python3
"""Reverse lookups a second of the Python packages reverse_geocoder and reverse_geocode, for the ratio.

    peers.py POINTS      a file with latitude and longitude a line, as `GeocodeBenchmark --points F` writes it

Prints a line of JSON. It makes its own virtual environment under .build-data.
"""

import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

HOME = Path(__file__).resolve().parents[2] / ".build-data" / "peers"
PACKAGES = ["reverse_geocoder==1.5.1", "reverse_geocode==1.6.6", "numpy==2.2.6", "scipy==1.15.3", "setuptools==80.9.0"]


def main():
    python = HOME / "bin" / "python"
    if Path(sys.prefix).resolve() != HOME.resolve():
        if not python.exists():
            venv.create(HOME, with_pip=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    points = [tuple(map(float, line.split())) for line in Path(sys.argv[1]).read_text().splitlines()]
    results = {}

    import reverse_geocode
    import reverse_geocoder

    for name, ask in (
        ("reverse_geocoder", lambda p: reverse_geocoder.search(p, mode=1, verbose=False)),
        ("reverse_geocode", reverse_geocode.search),
    ):
        ask(points[:10])
        begun = time.perf_counter()
        ask(points)
        batch = len(points) / (time.perf_counter() - begun)
        few = points[:2_000]
        begun = time.perf_counter()
        for point in few:
            ask([point])
        results[name] = {"batchPerSecond": round(batch), "singlePerSecond": round(len(few) / (time.perf_counter() - begun))}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
