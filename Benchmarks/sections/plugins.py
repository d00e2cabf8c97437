"""Calls to external plugins, and the benchmarks of plugins: geocoder, router, sync."""
import json
import os
import shutil
import subprocess
import sys
import time

from .harness import *


def plugin_calls():
    # On one core: a round trip can take several times as long depending on whether the system wakes the child on this core or
    # on an idle one, and this does not change during the lifetime of the processes.
    one_core = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    for row in json.loads(run([*one_core, f"{BUILT}/PluginCallBenchmark", "10000", "--json"])):
        add(f"a call to a persistent child in {row['language']}, against a loop written by hand in it", "≤ 1.3",
            row["ratio"],
            detail=f"{row['callMicroseconds']:.1f} against {row['bareMicroseconds']:.1f} µs, the plugin's own program bare "
            f"{row['ownProgramMicroseconds']:.1f} µs; {row['calls']} calls: "
            f"{row['grownKilobytes']:+d} KiB, {row['grownDescriptors']:+d} descriptors")


def new_plugin():
    """Measures the time from no plugin to one whose cases pass, with an empty cache and again, and from an edit to the
    changed answer."""
    folder = os.path.join(context.folder, "new-plugin")
    os.makedirs(folder)
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")}

    def timed(*arguments):
        begin = time.perf_counter()
        text = run([FLOWRUN, *arguments], cwd=folder, env=environment)
        return time.perf_counter() - begin, text

    made = timed("plugins", "new", "shout")[0]
    first = timed("plugins", "check", "plugins/shout")[0]
    again = min(timed("plugins", "check", "plugins/shout")[0] for _ in range(context.repetitions(5, 3)))
    source = os.path.join(folder, "plugins/shout/main.swift")
    edits = []
    for number in range(context.repetitions(5, 3)):
        text = open(source).read()
        with open(source, "w") as file:
            file.write(text.replace('uppercased() + "!', f'uppercased() + "!{number}'))
        elapsed, answer = timed("call", "shout.text", "--with", '{"text": "hello"}')
        assert f"HELLO!{number}" in answer
        edits.append(elapsed)
    add("a new plugin in Swift, to its cases green, nothing compiled before", "≤ 3", made + first, "s")
    add("the same, compiled before", "≤ 0.3", again, "s")
    add("a plugin in Swift, from an edit to the edited answer", "≤ 0.7", min(edits), "s")


def own_rows(name, command, needed):
    """Runs a benchmark that prints one JSON object per line (`work`, `value`, `unit` and, if there is a limit, `bar`), and adds
    these rows. If it cannot be run, adds a row that states what it needs and returns False."""
    try:
        text = run(command)
    except (OSError, subprocess.CalledProcessError) as problem:
        add(f"{name}: not measured; it needs {needed}", "", None, "", str(problem))
        return False
    for row in lines(text):
        add(f"{name}: {row['work']}", row.get("bar", "–"), row["value"], row["unit"], row.get("detail", ""))
    return True


def geocode():
    if not own_rows("geocoder", [sys.executable, f"{HERE}/Geocode/peers.py"], "packages from PyPI"):
        own_rows("geocoder", [f"{BUILT}/GeocodeBenchmark"], "a build without --skip-build")
    lines_count = 1_000_000
    text = subprocess.run(
        [sys.executable, "-c", (
            "import random\nrandom.seed(1)\n"
            f"for _ in range({lines_count}): print('{{\"latitude\":%.4f,\"longitude\":%.4f}}' % "
            "(random.uniform(-60, 75), random.uniform(-180, 180)))")], check=True, capture_output=True).stdout
    begin = time.perf_counter()
    answer = subprocess.run([FLOWRUN, "call", "geocode.reverse", "--batch"], input=text, capture_output=True, check=True)
    wall = time.perf_counter() - begin
    assert answer.stdout.count(b"\n") == lines_count
    add("a million lines through flowrun call geocode.reverse --batch", "≥ 100000", lines_count / wall, "lines/s")


def router():
    own_rows("router", [f"{BUILT}/RouterBenchmark"], "a build without --skip-build")


def sync():
    own_rows("sync", [f"{HERE}/Sync/run"] + (["--skip-build"] if context.skip_build else []), "PostgreSQL")
