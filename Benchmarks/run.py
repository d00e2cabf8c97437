#!/usr/bin/env python3
"""Runs the benchmarks and prints one table; each row is measured beside its peer in one run on one machine.

Usage: Benchmarks/run.py [--only PATTERN] [--quick] [--skip-build] [--record]

--only runs the sections whose names match the regular expression and keeps the rows of the others; --quick repeats less;
--skip-build measures what is built; --record keeps the instruction count as the one to hold to, and puts the table into
README.md.

Peers: DispatchQueue, TaskGroup and OperationQueue in the same process; oneTBB, ninja, PyYAML, libyaml, PostgreSQL and two
Python packages, which `scripts/setup bench` and the benchmarks install; Hummingbird's router; Taskflow where
TASKFLOW_INCLUDE names its headers. A peer that is missing is named in the table. The rows are kept in
Benchmarks/Results/latest.json. Instructions a step, counted by callgrind, are compared with the committed
Benchmarks/Results/instructions.json: more than 10 % above fails.
"""
import argparse
import json
import math
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "Benchmarks")
BUILT = os.path.join(HERE, ".build/release")
LATEST = os.path.join(HERE, "Results/latest.json")
COUNTS = os.path.join(HERE, "Results/instructions.json")
FLOWRUN = os.path.join(ROOT, ".build/release/flowrun")
START_PEER = os.path.join(BUILT, "StartPeer")
COUNT = 100_000
TABLE_BEGIN, TABLE_END = "<!-- make bench: begin -->\n", "<!-- make bench: end -->\n"
rows = []


class Context:
    """What the sections share: the section that runs, how often to repeat, a folder for files."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.section = ""
        self.quick = options.quick

    def repetitions(self, usual, quick):
        return quick if self.quick else usual


def run(command, **options):
    """The standard output of a command; what it says on standard error is shown when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.stderr.write(result.stdout[-2000:] + result.stderr[-4000:])
        result.check_returncode()
    return result.stdout


def is_met(bar, value):
    """Whether a value keeps its bar: `≤ 1.5`, `< 20`, `≥ 85`, `0 … 5`; None where there is no bar, or no value."""
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
    rows.append(row)
    print("  " + shown(row), flush=True)


def lacks(peer, work, bar=""):
    """A row that cannot be measured, because a peer is missing."""
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
    """Builds what the chosen sections run; `products` are names of the package Benchmarks, or `flowrun`."""
    for product in products:
        print(f"building {product}", flush=True)
        is_static = ["--static-swift-stdlib"] if product in ("flowrun", "StartPeer") else []
        run(["swift", "build", "-c", "release", *is_static, "--product", product],
            cwd=ROOT if product == "flowrun" else HERE)


def peer(name, command):
    """Compiles a peer that is a C or C++ program; its path, or None when it cannot be compiled here."""
    path = os.path.join(context.folder, name)
    try:
        subprocess.run([*command, "-o", path], check=True, capture_output=True)
        return path
    except (OSError, subprocess.CalledProcessError):
        return None


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


# Sections


def steps():
    peers = {"oneTBB": peer("onetbb", ["g++", "-O3", "-std=c++20", f"{HERE}/Peers/onetbb.cpp", "-ltbb"])}
    include = os.environ.get("TASKFLOW_INCLUDE")
    if include:
        peers["Taskflow"] = peer(
            "taskflow", ["g++", "-O3", "-std=c++20", "-pthread", f"-I{include}", f"{HERE}/Peers/taskflow.cpp"])
    # In turns, and the best of each: the machine's pace changes within minutes.
    results = []
    for _ in range(context.repetitions(3, 1)):
        results += lines(run([f"{BUILT}/EngineBenchmark", "schedule", str(COUNT)]))
        for path in filter(None, peers.values()):
            results += lines(run([path]))
    by_scheduler = {}
    for result in results:
        shapes = by_scheduler.setdefault(result["scheduler"], {})
        shapes[result["shape"]] = min(result["nanoseconds"], shapes.get(result["shape"], math.inf))
    own = by_scheduler["flowrun"]
    add("a no-op step, 5 shapes, geometric mean", "–", geometric_mean(own.values()), "ns",
        ", ".join(f"{shape} {own[shape]:.0f}" for shape in own))
    bars = {"Taskflow": "≤ 1.0", "oneTBB": "–", "DispatchQueue.async": "≤ 0.3", "TaskGroup": "≤ 0.1",
            "OperationQueue": "≤ 0.01"}
    for name, bar in bars.items():
        other = by_scheduler.get(name)
        if not other:
            hint = " (set TASKFLOW_INCLUDE to its headers)" if name == "Taskflow" else ""
            lacks(name + hint, "a no-op step", bar)
            continue
        shapes = [shape for shape in own if shape in other]
        mean = geometric_mean([own[shape] / other[shape] for shape in shapes])
        add(f"a no-op step, {len(shapes)} shape{'s' if len(shapes) > 1 else ''}, against {name}", bar, mean,
            detail=", ".join(f"{shape} {other[shape]:.0f} ns" for shape in shapes))
    heard = by_scheduler["flowrun, events heard"]
    work, bar = "a no-op step, status, times and events recorded, 5 shapes, against Taskflow", "≤ 1.0"
    taskflow = by_scheduler.get("Taskflow")
    if not taskflow:
        return lacks("Taskflow", work, bar)
    add(work, bar, geometric_mean([heard[shape] / taskflow[shape] for shape in heard]),
        detail=", ".join(f"{shape} {heard[shape]:.0f} ns" for shape in heard))


def efficiency():
    bars = {1: "≥ 85", 10: "≥ 95"}
    for result in lines(run([f"{BUILT}/EngineBenchmark", "efficiency"])):
        add(f"parallel efficiency, 2 workers, steps of {result['microseconds']} µs", bars[result["microseconds"]],
            result["percent"], "%", f"two bare threads {result['bare']} %")


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


def measure(command, folder):
    """Wall-clock and processor seconds of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(command, repetitions, folder):
    """Wall-clock and processor seconds of a command, the medians."""
    return tuple(map(statistics.median, zip(*(measure(command, folder) for _ in range(repetitions)))))


def in_turns(own, other, repetitions, own_folder, other_folder):
    """Wall-clock seconds of two commands, run in turns, so that both see the same machine; the medians."""
    pairs = [(measure(own, own_folder)[0], measure(other, other_folder)[0]) for _ in range(repetitions)]
    return tuple(map(statistics.median, zip(*pairs)))


def files():
    ratios, details = [], []
    ninja = shutil.which("ninja")
    for shape in ["fan", "tree", "wavefront", "layers"]:
        needs = needs_of(shape, COUNT)
        place = os.path.join(context.folder, shape)
        os.makedirs(place, exist_ok=True)
        write_workflow(f"{place}/w.yaml", needs)
        write_ninja(f"{place}/build.ninja", needs)
        if ninja:
            own, other = in_turns([FLOWRUN, "w.yaml"], [ninja], context.repetitions(7, 3), place, place)
            ratios.append(own / other)
            details.append(f"{shape} {own * 1000:.0f} against {other * 1000:.0f} ms")
    work = "files of 100,000 no-ops, exec to exit"
    if ninja:
        add(f"{work}, against ninja", "≤ 1.0", geometric_mean(ratios), detail=", ".join(details))
    else:
        lacks("ninja", work, "≤ 1.0")
    chain = os.path.join(context.folder, "chain.yaml")
    write_workflow(chain, needs_of("chain", COUNT))
    own = seconds([FLOWRUN, chain], 1, context.folder)[0]
    add("a chain of 100,000, on which ninja crashes", "runs", own * 1000, "ms")
    # Asked of a process of its own: what is asked of this one is the most that any of its children had.
    memory = int(run([sys.executable, "-c", (
        "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"), FLOWRUN,
        f"{context.folder}/layers/w.yaml"])) / 1024
    add("memory of a 100,000-step run", "≤ 150", memory, "MB")


def has_yaml(python):
    """Whether a Python has PyYAML: Debian's package is for Debian's own."""
    try:
        return subprocess.run([python, "-c", "import yaml; yaml.CLoader"], capture_output=True).returncode == 0
    except OSError:
        return False


def two_needs():
    path = os.path.join(context.folder, "two-needs.yaml")
    with open(path, "w") as file:
        file.write("name: two-needs\nsteps:\n")
        for index in range(COUNT):
            needs = f"    needs: [s{index - 1}, s{index // 2}]\n" if index > 1 else ""
            file.write(f"  s{index}:\n    uses: flow.noop\n{needs}")
    size = os.path.getsize(path) / 1e6
    repetitions = context.repetitions(7, 3)
    own = seconds([FLOWRUN, path], repetitions, context.folder)[0]
    checked = seconds([FLOWRUN, "validate", path], repetitions, context.folder)[0]
    work = f"two-needs file of {size:.1f} MB, exec to exit"
    try:
        python = next(filter(has_yaml, [sys.executable, "/usr/bin/python3"]), sys.executable)
        parse = statistics.median(float(subprocess.run([python, "-c", (
            "import sys,time,yaml;text=open(sys.argv[1],'rb').read();start=time.perf_counter()\n"
            "for event in yaml.parse(text,Loader=yaml.CLoader): pass\nprint(time.perf_counter()-start)"), path],
            check=True, capture_output=True, text=True).stdout) for _ in range(context.repetitions(3, 1)))
        add(f"{work}, against PyYAML's C event parse", "≤ 1.0", own / parse,
            detail=f"{own * 1000:.0f} against {parse * 1000:.0f} ms")
    except subprocess.CalledProcessError:
        lacks("PyYAML", work, "≤ 1.0")
    events = peer("libyaml_events", ["gcc", "-O3", f"{HERE}/Peers/libyaml_events.c", "-lyaml"])
    if events:
        parse = float(run([events, path]))
        add("two-needs file, flowrun validate (exec to exit), against libyaml's events in C", "≤ 5", checked / parse,
            detail=f"{checked * 1000:.0f} against {parse * 1000:.0f} ms")
    else:
        lacks("libyaml", "two-needs file, flowrun validate", "≤ 5")


def start():
    path = os.path.join(context.folder, "ten.yaml")
    write_workflow(path, needs_of("chain", 10))
    repetitions = context.repetitions(100, 20)
    own, other = in_turns([FLOWRUN, path], [START_PEER], repetitions, context.folder, context.folder)
    work = "10-step file, exec to exit"
    add(f"{work}, against a program of the same libraries that prints a line", "≤ 1.5", own / other,
        detail=f"{own * 1000:.1f} against {other * 1000:.1f} ms")
    if not (shutil.which("valgrind") and shutil.which("strip")):
        return lacks("valgrind", f"{work}, instructions")
    counts = [instructions_of(stripped(program), arguments) for program, arguments in
              [(FLOWRUN, [path]), (START_PEER, [])]]
    add(f"{work}, instructions (callgrind), against the same", "–", counts[0] / counts[1],
        detail=f"{counts[0] / 1e6:.2f} against {counts[1] / 1e6:.2f} million")


def stripped(program):
    """A copy of a program without debug information, which valgrind takes minutes to read."""
    copy = os.path.join(context.folder, os.path.basename(program) + "-stripped")
    run(["strip", "--strip-debug", "-o", copy, program])
    resources = os.path.join(os.path.dirname(program), "flowrun_GeocodePlugin.resources")
    link = os.path.join(context.folder, os.path.basename(resources))
    if os.path.exists(resources) and not os.path.exists(link):
        os.symlink(resources, link)
    return copy


def instructions_of(program, arguments, toggles=()):
    """Instructions that callgrind counts: in functions that match the first pattern but for those called from them that
    match another, or in all of the program."""
    with tempfile.NamedTemporaryFile() as out:
        text = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
             *(f"--toggle-collect={pattern}" for pattern in toggles), program, *arguments],
            capture_output=True, text=True).stderr
    return int(text.split("Collected :")[1].split()[0])


def launch():
    data = os.path.join(context.folder, "launch-data")
    command = [FLOWRUN, f"{ROOT}/workflows/launch.yaml", "--data", data]
    seconds(command, 1, context.folder)
    wall, processor = seconds(command, 3, context.folder)
    add("workflows/launch.yaml, piped, second run: user + system time", "≤ 60", processor * 1000, "ms",
        f"{wall * 1000:.0f} ms in all")


def shell():
    work, bar = "1,000 steps of shell.run true, concurrency 2", "≤ 1.05"
    ninja = shutil.which("ninja")
    if not ninja:
        return lacks("ninja", work, bar)
    with open(f"{context.folder}/shell.yaml", "w") as file:
        file.write("name: shells\nconcurrency: 2\nsteps:\n")
        for index in range(1000):
            file.write(f"  s{index}: {{ uses: shell.run, with: {{ command: 'true' }} }}\n")
    place = os.path.join(context.folder, "shells")
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/build.ninja", "w") as file:
        file.write("rule run\n  command = true\n")
        for index in range(1000):
            file.write(f"build s{index}: run\n")
    own, other = in_turns(
        [FLOWRUN, f"{context.folder}/shell.yaml"], [ninja, "-j2"], context.repetitions(9, 3), context.folder, place)
    add(f"{work}, against ninja -j2", bar, own / other, detail=f"{own * 1000:.0f} against {other * 1000:.0f} ms")


def lateness(name, step, deadline, due, openings):
    """Milliseconds by which the gate opened late, for each of several runs; negative would be early."""
    path = os.path.join(context.folder, f"{name}.yaml")
    with open(path, "w") as file:
        file.write(f"name: {name}\ndeadline: {deadline}\nsteps:\n")
        for index in range(64):
            file.write(f"  s{index}: {step}\n")
        if "max" not in deadline:
            file.write("  ready: { uses: flow.noop }\n")
    late = []
    for _ in range(openings):
        report = os.path.join(context.folder, "report.json")
        subprocess.run([FLOWRUN, path, "--report", report], stdout=subprocess.DEVNULL, check=True)
        late.append(json.load(open(report))["gate"]["openedAt"] - due)
    return sorted(late)


def gates():
    openings = context.repetitions(20, 5)
    asleep = lateness("asleep", "{ uses: flow.block, with: { for: 600ms } }", "{ max: 300ms }", 300, openings)
    add("gate held by max beside 64 steps asleep: the earliest and the latest", "0 … 5", asleep[-1] if asleep[0] >= 0
        else asleep[0], "ms", f"{asleep[0]:.2f} to {asleep[-1]:.2f} ms late")
    for name, deadline, blocking in [("max", "{ max: 300ms }", ""), ("min", "{ min: 300ms }", ", blocking: false")]:
        step = f"{{ uses: flow.spin, with: {{ for: 600ms }}{blocking} }}"
        burning = lateness(f"burning-{name}", step, deadline, 300, openings)
        work = f"gate held by {name} beside 64 steps burning CPU"
        add(f"{work}: median", "0 … 10", burning[openings // 2], "ms")
        add(f"{work}: 19th of 20", "0 … 20", burning[int(openings * 0.95) - 1], "ms")
        add(f"{work}: the earliest", "≥ 0", burning[0], "ms", f"latest {burning[-1]:.2f} ms")


def neighbors():
    path = os.path.join(context.folder, "neighbors.yaml")
    with open(path, "w") as file:
        file.write("name: neighbors\nsteps:\n")
        for index in range(100):
            file.write(f"  hold-{index}: {{ uses: flow.block, with: {{ for: 2s }}, blocking: false }}\n")
        for index in range(20):
            needs = f", needs: c{index - 1}" if index else ""
            file.write(f"  c{index}: {{ uses: flow.spin, with: {{ for: 10ms }}{needs} }}\n")
    report = os.path.join(context.folder, "report.json")
    subprocess.run([FLOWRUN, path, "--report", report], stdout=subprocess.DEVNULL, check=True)
    end = json.load(open(report))["steps"]["c19"]["endedAt"]
    add("a chain of 20 steps of 10 ms beside 100 occupying ones ends", "≤ 1000", end, "ms")


def plugin_calls():
    # On one core: whether the system wakes the child here or on an idle core can make a round trip several times as long,
    # either one, for as long as the processes live.
    one_core = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    for row in json.loads(run([*one_core, f"{BUILT}/PluginCallBenchmark", "10000", "--json"])):
        add(f"a call to a persistent child in {row['language']}, against a loop written by hand in it", "≤ 1.3",
            row["ratio"],
            detail=f"{row['callMicroseconds']:.1f} against {row['bareMicroseconds']:.1f} µs, the plugin's own program bare "
            f"{row['ownProgramMicroseconds']:.1f} µs; {row['calls']} calls: "
            f"{row['grownKilobytes']:+d} KiB, {row['grownDescriptors']:+d} descriptors")


def own_rows(name, command, needed):
    """Rows of a benchmark that prints them itself, one JSON object a line: work, value, unit and, where there is one, bar.
    Whether it could be run; where not, a row says what it needs."""
    try:
        text = run(command)
    except (OSError, subprocess.CalledProcessError) as problem:
        add(f"{name}: not measured; it needs {needed}", "", None, "", str(problem))
        return False
    for row in lines(text):
        add(f"{name}: {row['work']}", row.get("bar", "–"), row["value"], row["unit"], row.get("detail", ""))
    return True


def geocode():
    if not own_rows("geocoder", [sys.executable, f"{HERE}/geocode/peers.py"], "packages from PyPI"):
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
    program = f"{HERE}/Router/.build/release/RouterBenchmark"
    if not context.options.skip_build:
        print("building RouterBenchmark", flush=True)
        run(["swift", "build", "-c", "release", "--package-path", f"{HERE}/Router", "--product", "RouterBenchmark"])
    own_rows("router", [program], "a build without --skip-build")


def sync():
    own_rows("sync", [f"{HERE}/Sync/run"] + (["--skip-build"] if context.options.skip_build else []), "PostgreSQL")


def instructions():
    """Whether a step on a chain takes no more instructions than the committed count and a tenth."""
    work = "instructions a step on a chain (callgrind), against the committed count"
    if not shutil.which("valgrind"):
        lacks("valgrind", work)
        return True
    # How often a slot asks the system for the time depends on the time that passes: the fewest of several counts. The
    # report, which the last step's slot makes, is no part of a step.
    patterns = ["*WorkflowRunC4work*", "*WorkflowRunC5closeyyF"]
    fewest = [
        min(instructions_of(f"{BUILT}/EngineBenchmark", ["once", "chain", str(count)], patterns)
            for _ in range(context.repetitions(5, 3)))
        for count in [10_000, 20_000]]
    each = (fewest[1] - fewest[0]) / 10_000
    before = json.load(open(COUNTS))["chainInstructionsPerStep"] if os.path.exists(COUNTS) else each
    add(work, "≤ 1.1", each / before, detail=f"{each:.0f} against {before:.0f}")
    if context.options.record or not os.path.exists(COUNTS):
        with open(COUNTS, "w") as file:
            json.dump({"chainInstructionsPerStep": round(each)}, file, indent=2)
            file.write("\n")
    return each <= before * 1.1


# What each section is called, what it builds and what it does; the table has this order.
SECTIONS = [
    ("steps", ["EngineBenchmark"], steps),
    ("efficiency", ["EngineBenchmark"], efficiency),
    ("files", ["flowrun"], files),
    ("two-needs", ["flowrun"], two_needs),
    ("start", ["flowrun", "StartPeer"], start),
    ("launch", ["flowrun"], launch),
    ("shell", ["flowrun"], shell),
    ("gates", ["flowrun"], gates),
    ("neighbors", ["flowrun"], neighbors),
    ("plugin-calls", ["PluginCallBenchmark"], plugin_calls),
    ("geocode", ["flowrun", "GeocodeBenchmark"], geocode),
    ("router", [], router),
    ("sync", [], sync),
    ("instructions", ["EngineBenchmark"], instructions),
]


def merged(run_sections):
    """The rows of this run, and of the sections that did not run those of the last, in the order of the sections."""
    before = json.load(open(LATEST))["rows"] if os.path.exists(LATEST) else []
    kept = [row for row in before if "section" in row and row["section"] not in run_sections]
    order = [name for name, _, _ in SECTIONS]
    return sorted((row for row in kept + rows if row["section"] in order), key=lambda row: order.index(row["section"]))


def markdown(table):
    lines = ["| work | measured | bar | |", "|---|---|---|---|"]
    # What has neither a bar nor a peer is in the file of results.
    for row in table:
        if row["bar"] == "–" and "against" not in row["work"]:
            continue
        bar = "" if row["bar"] == "–" else row["bar"]
        lines.append(f"| {row['work']} | {value_text(row)} | {bar} | {verdict(row)} |")
    return "\n".join(lines) + "\n"


def record_table(table):
    path = f"{ROOT}/README.md"
    text = open(path).read()
    if TABLE_BEGIN not in text or TABLE_END not in text:
        sys.exit(f"{path}: no lines '{TABLE_BEGIN.strip()}' and '{TABLE_END.strip()}' to put the table between")
    head, rest = text.split(TABLE_BEGIN)
    tail = rest.split(TABLE_END)[1]
    with open(path, "w") as file:
        file.write(head + TABLE_BEGIN + markdown(table) + TABLE_END + tail)


def main():
    global context
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="", help="run the sections whose names match")
    parser.add_argument("--quick", action="store_true", help="repeat less")
    parser.add_argument("--skip-build", action="store_true", help="measure what is built")
    parser.add_argument("--record", action="store_true", help="keep the instruction count, put the table into README.md")
    options = parser.parse_args()
    chosen = [section for section in SECTIONS if re.search(options.only, section[0])]
    if not chosen:
        parser.error(f"no section matches '{options.only}'; there are {', '.join(name for name, _, _ in SECTIONS)}")
    os.makedirs(f"{HERE}/Results", exist_ok=True)
    begin = time.monotonic()
    if not options.skip_build:
        # In the order of the sections, each once; StartPeer first of its package, since it is linked differently.
        build(sorted({product for _, products, _ in chosen for product in products},
                     key=["flowrun", "StartPeer", "EngineBenchmark", "PluginCallBenchmark", "GeocodeBenchmark"].index))
    is_within = True
    with tempfile.TemporaryDirectory() as folder:
        context = Context(options, folder)
        for number, (name, _, work) in enumerate(chosen, 1):
            context.section = name
            print(f"[{number}/{len(chosen)}] {name}, after {time.monotonic() - begin:.0f} s", flush=True)
            try:
                is_within = work() is not False and is_within
            except (OSError, subprocess.SubprocessError, AssertionError) as problem:
                is_within = False
                add(f"{name}: failed", "", None, "", str(problem))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    table = merged({name for name, _, _ in chosen})
    with open(LATEST, "w") as file:
        json.dump({"machine": machine, "rows": table}, file, indent=2, ensure_ascii=False)
        file.write("\n")
    if options.record:
        record_table(table)
    print(f"\n{machine}, {time.monotonic() - begin:.0f} s in all")
    for row in table:
        print(shown(row))
    missed = sum(row["isMet"] is False for row in table)
    print(f"{sum(row['isMet'] is True for row in table)} bars met, {missed} missed, "
          f"{sum(row['value'] is None for row in table)} rows not measured")
    if not is_within:
        print("a section failed, or instructions a step have grown by more than a tenth", file=sys.stderr)
    sys.exit(0 if is_within else 1)


if __name__ == "__main__":
    main()
