"""Common parts of all sections: rows and their bars, the building and running of programs, and the costs of system calls."""
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "Benchmarks")
BUILT = os.path.join(ROOT, ".build/benchmarks/release")
FLOWRUN = os.path.join(ROOT, ".build/network/release/flowrun")
COUNTS = os.path.join(HERE, "Results/instructions.json")
COUNT = 100_000
# The products by kind: published ones, targets of flowrun's package for benchmarks, and those of the package that represents an
# app.
PUBLISHED = ["flowrun", "flowrun-ui"]
MEASURING = ["StartPeer", "EngineBenchmark", "PluginCallBenchmark", "GeocodeBenchmark", "RouterBenchmark", "YAMLLaunch"]
EMBEDDING = ["CompiledLaunch", "HandLaunch", "Hello", "HelloFlowKit"]
PRODUCTS = PUBLISHED + MEASURING + EMBEDDING


class Context:
    """The shared state of the sections: the running section, the number of repetitions, a folder for files, and the rows so
    far."""

    def __init__(self):
        self.rows = []
        self.section = ""
        self.folder = ""
        self.quick = self.skip_build = self.record = False

    def repetitions(self, usual, quick):
        return quick if self.quick else usual


context = Context()


def run(command, **options):
    """Returns the standard output of a command. Its standard error is shown if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.stderr.write(result.stdout[-2000:] + result.stderr[-4000:])
        result.check_returncode()
    return result.stdout


def is_met(bar, value):
    """Returns True if a value satisfies its bar, such as `≤ 1.5`, `< 20` or `0 … 5`, or None without a bar or value."""
    if value is None:
        return None
    if bar == "runs":
        return True
    if match := re.fullmatch(r"(-?[\d.]+) … (-?[\d.]+)", bar):
        return float(match[1]) <= value <= float(match[2])
    if match := re.fullmatch(r"([≤≥<>]) *(-?[\d.]+)", bar):
        limit = float(match[2])
        return {"≤": value <= limit, "<": value < limit, "≥": value >= limit, ">": value > limit}[match[1]]
    return None


def add(work, bar, value, unit="×", detail=""):
    row = {"section": context.section, "work": work, "bar": bar, "value": value, "unit": unit,
           "isMet": is_met(bar, value), "detail": detail}
    context.rows.append(row)
    print("  " + shown(row), flush=True)


def lacks(peer, work, bar=""):
    """Adds a row without a value, because the peer is missing."""
    add(f"{work}, against {peer}", bar, None, "", f"{peer} is missing")


def value_text(row):
    if row["value"] is None:
        return "missing"
    value = row["value"]
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}") + (f" {row['unit']}" if row["unit"] else "")


def verdict(row):
    return {True: "met", False: "MISSED", None: ""}[row["isMet"]]


def shown(row):
    return f"{row['work']:<74} {value_text(row):>14}  {row['bar']:<10} {verdict(row):<7} {row['detail']}".rstrip()


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def build(products):
    """Builds the products of the chosen sections, each once."""
    for product in products:
        print(f"building {product}", flush=True)
        if product in PUBLISHED:
            run(["scripts/release-build", "--scratch-path", ".build/network", "--traits", "Network", "--product", product], cwd=ROOT)
        elif product in EMBEDDING:
            run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", product], cwd=f"{HERE}/Launch")
        else:
            # With the trait of published builds, because the peer of a start has the same libraries.
            is_static = ["--static-swift-stdlib"] if product in ["StartPeer", "YAMLLaunch"] else []
            run(["swift", "build", "-c", "release", "--scratch-path", ".build/benchmarks", "--traits", "Network", *is_static,
                 "--product", product], cwd=ROOT, env={**os.environ, "FLOWRUN_BENCHMARKS": "1"})


def peer(name, command):
    """Compiles a peer in C or C++. Returns its path, or None if it cannot be compiled here."""
    path = os.path.join(context.folder, name)
    try:
        subprocess.run([*command, "-o", path], check=True, capture_output=True)
        return path
    except (OSError, subprocess.CalledProcessError):
        return None


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def measure(command, folder):
    """Returns the wall-clock and processor seconds of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(command, repetitions, folder):
    """Returns the median wall-clock and processor seconds of a command."""
    return tuple(map(statistics.median, zip(*(measure(command, folder) for _ in range(repetitions)))))


def in_turns(own, other, repetitions, own_folder, other_folder):
    """Returns the median wall-clock seconds of two commands that alternate, so that both run under the same conditions."""
    pairs = [(measure(own, own_folder)[0], measure(other, other_folder)[0]) for _ in range(repetitions)]
    return tuple(map(statistics.median, zip(*pairs)))


def needs_of(shape, count):
    if shape == "fan":
        return [[] if index == 0 else [0] for index in range(count)]
    if shape == "tree":
        return [[] if index == 0 else [(index - 1) // 2] for index in range(count)]
    if shape == "chain":
        return [[] if index == 0 else [index - 1] for index in range(count)]
    if shape == "wavefront":
        return [([index - 300] if index >= 300 else []) + ([index - 1] if index % 300 else []) for index in range(90_000)]
    state, width, needs = 42, max(1, count // 100), []
    for index in range(count):
        chosen = []
        if index // width:
            for _ in range(2):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                chosen.append((index // width - 1) * width + (state >> 33) % width)
        needs.append(sorted(set(chosen)))
    return needs


def write_workflow(path, needs):
    with open(path, "w") as file:
        file.write("name: benchmark\nsteps:\n")
        for index, list_ in enumerate(needs):
            file.write(f"  s{index}:\n    uses: flow.noop\n")
            if list_:
                file.write(f"    needs: [{', '.join(f's{need}' for need in list_)}]\n")


def write_ninja(path, needs):
    last = set(range(len(needs))) - {need for list_ in needs for need in list_}
    with open(path, "w") as file:
        for index, list_ in enumerate(needs):
            file.write(f"build s{index}: phony {' '.join(f's{need}' for need in list_)}\n")
        file.write(f"build all: phony {' '.join(f's{index}' for index in sorted(last))}\ndefault all\n")


def stripped(program):
    """Returns a copy of a program without debug information, which valgrind would read for minutes."""
    copy = os.path.join(context.folder, os.path.basename(program) + "-stripped")
    run(["strip", "--strip-debug", "-o", copy, program])
    resources = os.path.join(os.path.dirname(program), "flowrun_GeocodePlugin.resources")
    link = os.path.join(context.folder, os.path.basename(resources))
    if os.path.exists(resources) and not os.path.exists(link):
        os.symlink(resources, link)
    return copy


def is_within_committed(work, key, count, limit):
    """Adds a row that compares a number of instructions with the committed one. Returns False if it is more than `limit` times
    as high."""
    counts = json.load(open(COUNTS)) if os.path.exists(COUNTS) else {}
    before = counts.get(key, count)
    add(work, f"≤ {limit}", count / before, detail=f"{count:.0f} against {before:.0f}")
    if context.record or key not in counts:
        with open(COUNTS, "w") as file:
            json.dump({**counts, key: round(count)}, file, indent=2)
            file.write("\n")
    return count <= before * limit


def instructions_of(program, arguments, toggles=()):
    """Returns the number of instructions that callgrind counts: in the whole program or, with patterns, in functions that match
    the first one, without calls from them to functions that match another."""
    with tempfile.NamedTemporaryFile() as out:
        finished = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
             *(f"--toggle-collect={pattern}" for pattern in toggles), program, *arguments],
            capture_output=True, text=True)
    count = int(finished.stderr.split("Collected :")[1].split()[0])
    # A program that crashes, or a pattern without matches, must not look like a program without work.
    if finished.returncode != 0 or count == 0:
        sys.exit(f"{program} {' '.join(arguments)}: {count} instructions, status {finished.returncode}\n{finished.stderr[-2000:]}")
    return count
