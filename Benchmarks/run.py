#!/usr/bin/env python3
"""Runs the benchmarks of the engine and the loader and prints one table; each row is a ratio in one run on one machine.

Usage: Benchmarks/run.py [--quick] [--skip-build] [--record]

--quick repeats less; --skip-build measures what is built; --record keeps the instruction count as the one to hold to.

Peers: DispatchQueue, TaskGroup and OperationQueue in the same process; oneTBB, ninja and PyYAML where they are installed;
Taskflow where TASKFLOW_INCLUDE names its headers. A peer that is missing is named in the table. The figures are kept in
Benchmarks/Results/latest.json. Instructions a step, counted by callgrind, are compared with the committed
Benchmarks/Results/instructions.json: more than 10 % above fails.
"""
import json
import math
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "Benchmarks")
FLOWRUN = os.path.join(ROOT, ".build/release/flowrun")
START_PEER = os.path.join(HERE, ".build/release/StartPeer")
COUNT = 100_000
rows = []
missing = []


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def add(work, bar, ratio, detail, unit="×"):
    rows.append({"work": work, "bar": bar, "ratio": ratio, "unit": unit, "detail": detail})
    shown = "missing" if ratio is None else f"{ratio:.3g} {unit}"
    print(f"{work:<66} {shown:>12}  bar {bar:<12} {detail}", flush=True)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def build():
    run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "flowrun"], cwd=ROOT)
    run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "StartPeer"], cwd=HERE)
    for product in ["EngineBenchmark", "PluginCallBenchmark", "GeocodeBenchmark"]:
        run(["swift", "build", "-c", "release", "--product", product], cwd=HERE)


def build_peers(folder):
    compile_peer(["g++", "-O3", "-std=c++20", f"{HERE}/Peers/onetbb.cpp", "-ltbb", "-o", f"{folder}/onetbb"], "oneTBB")
    compile_peer(["gcc", "-O3", f"{HERE}/Peers/libyaml_events.c", "-lyaml", "-o", f"{folder}/libyaml_events"], "libyaml")
    include = os.environ.get("TASKFLOW_INCLUDE")
    if include:
        compile_peer(
            ["g++", "-O3", "-std=c++20", "-pthread", f"-I{include}", f"{HERE}/Peers/taskflow.cpp", "-o",
             f"{folder}/taskflow"], "Taskflow")
    else:
        missing.append("Taskflow (set TASKFLOW_INCLUDE to its headers)")


def compile_peer(command, name):
    try:
        run(command)
    except (OSError, subprocess.CalledProcessError):
        missing.append(name)


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def schedule(folder, count):
    results = lines(run([f"{HERE}/.build/release/EngineBenchmark", "schedule", str(count)]))
    for peer in ["taskflow", "onetbb"]:
        if os.path.exists(f"{folder}/{peer}"):
            results += lines(run([f"{folder}/{peer}"]))
    by_scheduler = {}
    for result in results:
        by_scheduler.setdefault(result["scheduler"], {})[result["shape"]] = result["nanoseconds"]
    own = by_scheduler["flowrun"]
    detail = ", ".join(f"{shape} {own[shape]:.0f}" for shape in own)
    print(f"flowrun, nanoseconds a no-op step: {detail}")
    bars = {"Taskflow": "≤ 1.0", "oneTBB": "–", "DispatchQueue.async": "≤ 0.3", "TaskGroup": "≤ 0.1",
            "OperationQueue": "≤ 0.01", "flowrun, events heard": "–"}
    for peer, bar in bars.items():
        other = by_scheduler.get(peer)
        if not other:
            add(f"a no-op step, 5 shapes, against {peer}", bar, None, "")
            continue
        shapes = [shape for shape in own if shape in other]
        mean = geometric_mean([own[shape] / other[shape] for shape in shapes])
        add(f"a no-op step, {len(shapes)} shapes, against {peer}", bar, mean,
            ", ".join(f"{shape} {other[shape]:.0f} ns" for shape in shapes))


def efficiency():
    bars = {1: "≥ 85", 10: "≥ 95"}
    for result in lines(run([f"{HERE}/.build/release/EngineBenchmark", "efficiency"])):
        add(f"parallel efficiency, 2 workers, steps of {result['microseconds']} µs", bars[result["microseconds"]],
            result["percent"], "", unit="%")


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


def seconds(command, repetitions, folder, output=subprocess.DEVNULL):
    """Wall-clock and processor seconds of a command, the medians."""
    walls, processors = [], []
    for _ in range(repetitions):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, check=True, cwd=folder, stdout=output, stderr=subprocess.DEVNULL)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(walls), statistics.median(processors)


def processes(folder, count, repetitions):
    ratios, details = [], []
    has_ninja = shutil.which("ninja")
    if not has_ninja:
        missing.append("ninja")
    for shape in ["fan", "tree", "wavefront", "layers"]:
        needs = needs_of(shape, count)
        place = os.path.join(folder, shape)
        os.makedirs(place, exist_ok=True)
        write_workflow(f"{place}/w.yaml", needs)
        write_ninja(f"{place}/build.ninja", needs)
        own = seconds([FLOWRUN, "w.yaml"], repetitions, place)[0]
        if has_ninja:
            other = seconds(["ninja"], repetitions, place)[0]
            ratios.append(own / other)
            details.append(f"{shape} {own * 1000:.0f} against {other * 1000:.0f} ms")
    if ratios:
        add("files of 100,000 no-ops, exec to exit, against ninja", "≤ 1.0", geometric_mean(ratios), ", ".join(details))
    chain = os.path.join(folder, "chain.yaml")
    write_workflow(chain, needs_of("chain", count))
    own = seconds([FLOWRUN, chain], 1, folder)[0]
    add("a chain of 100,000, on which ninja crashes", "runs", 1, f"{own * 1000:.0f} ms", unit="")
    memory = int(run(["/usr/bin/env", "python3", "-c", (
        "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"), FLOWRUN, f"{folder}/layers/w.yaml"])) / 1024
    add("memory of a 100,000-step run", "≤ 150", memory, "", unit="MB")


def two_needs(folder, count, repetitions):
    path = os.path.join(folder, "two-needs.yaml")
    with open(path, "w") as file:
        file.write("name: two-needs\nsteps:\n")
        for index in range(count):
            needs = f"    needs: [s{index - 1}, s{index // 2}]\n" if index > 1 else ""
            file.write(f"  s{index}:\n    uses: flow.noop\n{needs}")
    size = os.path.getsize(path) / 1e6
    own = seconds([FLOWRUN, path], repetitions, folder)[0]
    checked = seconds([FLOWRUN, "validate", path], repetitions, folder)[0]
    try:
        parse = float(run([sys.executable, "-c", (
            "import sys,time,yaml;text=open(sys.argv[1],'rb').read();start=time.perf_counter()\n"
            "for event in yaml.parse(text,Loader=yaml.CLoader): pass\nprint(time.perf_counter()-start)"), path]))
        add(f"two-needs file of {size:.1f} MB, exec to exit, against PyYAML's C event parse", "≤ 1.0", own / parse,
            f"{own * 1000:.0f} against {parse * 1000:.0f} ms")
    except subprocess.CalledProcessError:
        missing.append("PyYAML")
    if os.path.exists(f"{folder}/libyaml_events"):
        events = float(run([f"{folder}/libyaml_events", path]))
        add("two-needs file, flowrun validate (exec to exit), against libyaml's events in C", "≤ 5", checked / events,
            f"{checked * 1000:.0f} against {events * 1000:.0f} ms")


def launch(folder):
    data = os.path.join(folder, "launch-data")
    command = [FLOWRUN, f"{ROOT}/workflows/launch.yaml", "--data", data]
    seconds(command, 1, folder)
    wall, processor = seconds(command, 3, folder)
    add("workflows/launch.yaml, piped, second run: user + system time", "≤ 60", processor * 1000,
        f"{wall * 1000:.0f} ms in all", unit="ms")


def shells(folder):
    if not shutil.which("ninja"):
        return
    with open(f"{folder}/shell.yaml", "w") as file:
        file.write("name: shells\nconcurrency: 2\nsteps:\n")
        for index in range(1000):
            file.write(f"  s{index}: {{ uses: shell.run, with: {{ command: 'true' }} }}\n")
    place = os.path.join(folder, "shells")
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/build.ninja", "w") as file:
        file.write("rule run\n  command = true\n")
        for index in range(1000):
            file.write(f"build s{index}: run\n")
    own = seconds([FLOWRUN, f"{folder}/shell.yaml"], 3, folder)[0]
    other = seconds(["ninja", "-j2"], 3, place)[0]
    add("1,000 steps of shell.run true, concurrency 2, against ninja -j2", "≤ 1.05", own / other,
        f"{own * 1000:.0f} against {other * 1000:.0f} ms")


def lateness(folder, name, step, deadline, due, openings):
    """Milliseconds by which the gate opened late, for each of several runs; negative would be early."""
    path = os.path.join(folder, f"{name}.yaml")
    with open(path, "w") as file:
        file.write(f"name: {name}\ndeadline: {deadline}\nsteps:\n")
        for index in range(64):
            file.write(f"  s{index}: {step}\n")
        if "max" not in deadline:
            file.write("  ready: { uses: flow.noop }\n")
    late = []
    for _ in range(openings):
        report = os.path.join(folder, "report.json")
        subprocess.run([FLOWRUN, path, "--report", report], stdout=subprocess.DEVNULL, check=True)
        late.append(json.load(open(report))["gate"]["openedAt"] - due)
    return sorted(late)


def gates(folder, openings):
    asleep = lateness(folder, "asleep", "{ uses: flow.block, with: { for: 600ms } }", "{ max: 300ms }", 300, openings)
    add("gate held by max beside 64 steps asleep: the latest", "0 … 5", asleep[-1], f"earliest {asleep[0]:.2f} ms", "ms")
    for name, deadline, blocking in [("max", "{ max: 300ms }", ""), ("min", "{ min: 300ms }", ", blocking: false")]:
        step = f"{{ uses: flow.spin, with: {{ for: 600ms }}{blocking} }}"
        burning = lateness(folder, f"burning-{name}", step, deadline, 300, openings)
        add(f"gate held by {name} beside 64 steps burning CPU: median", "≤ 10", burning[openings // 2],
            f"earliest {burning[0]:.2f}, 19th of 20 {burning[int(openings * 0.95) - 1]:.2f} ms (bar 20)", "ms")


def neighbours(folder):
    path = os.path.join(folder, "neighbours.yaml")
    with open(path, "w") as file:
        file.write("name: neighbours\nsteps:\n")
        for index in range(100):
            file.write(f"  hold-{index}: {{ uses: flow.block, with: {{ for: 2s }}, blocking: false }}\n")
        for index in range(20):
            needs = f", needs: c{index - 1}" if index else ""
            file.write(f"  c{index}: {{ uses: flow.spin, with: {{ for: 10ms }}{needs} }}\n")
    report = os.path.join(folder, "report.json")
    subprocess.run([FLOWRUN, path, "--report", report], stdout=subprocess.DEVNULL, check=True)
    end = json.load(open(report))["steps"]["c19"]["endedAt"]
    add("a chain of 20 steps of 10 ms beside 100 occupying ones ends", "≤ 1000", end, "", "ms")


def cold_start(folder, repetitions):
    path = os.path.join(folder, "ten.yaml")
    write_workflow(path, needs_of("chain", 10))
    own, other = [], []
    for _ in range(repetitions):
        own.append(seconds([FLOWRUN, path], 1, folder)[0])
        other.append(seconds([START_PEER], 1, folder)[0])
    wall, hello = statistics.median(own), statistics.median(other)
    add("10-step file, exec to exit, against a program of the same libraries that prints a line", "≤ 1.5", wall / hello,
        f"{wall * 1000:.1f} against {hello * 1000:.1f} ms")


def plugin_calls(calls):
    for row in json.loads(run([f"{HERE}/.build/release/PluginCallBenchmark", str(calls), "--json"])):
        add(f"a call to a persistent child in {row['language']}, against the bare round trip", "≤ 1.3", row["ratio"],
            f"{row['callMicroseconds']:.1f} against {row['bareMicroseconds']:.1f} µs; {row['calls']} calls: "
            f"{row['grownKilobytes']:+d} KiB, {row['grownDescriptors']:+d} descriptors")


def own_rows(name, command):
    """Rows of a benchmark that prints them itself, one JSON object a line: work, value, unit and, where there is one, bar."""
    try:
        text = run(command)
    except (OSError, subprocess.CalledProcessError) as problem:
        missing.append(f"{name} ({problem})")
        return
    for row in lines(text):
        add(f"{name}: {row['work']}", str(row.get("bar", "–")), row["value"], "", row["unit"])


def geocode():
    own_rows("geocoder", [sys.executable, f"{HERE}/geocode/peers.py"])
    lines_count = 1_000_000
    feed = subprocess.Popen(
        [sys.executable, "-c", (
            "import random,sys\nrandom.seed(1)\n"
            f"for _ in range({lines_count}): print('{{\"latitude\":%.4f,\"longitude\":%.4f}}' % "
            "(random.uniform(-60, 75), random.uniform(-180, 180)))")], stdout=subprocess.PIPE)
    text = feed.stdout.read()
    feed.wait()
    start = time.perf_counter()
    answer = subprocess.run([FLOWRUN, "call", "geocode.reverse", "--batch"], input=text, capture_output=True, check=True)
    wall = time.perf_counter() - start
    assert answer.stdout.count(b"\n") == lines_count
    add("a million lines through flowrun call geocode.reverse --batch", "≥ 100000", lines_count / wall, "", "lines/s")


def router():
    own_rows("router", ["swift", "run", "-c", "release", "--package-path", f"{HERE}/Router", "RouterBenchmark"])


def instructions():
    if not shutil.which("valgrind"):
        missing.append("valgrind")
        return True
    counts = []
    for count in [10_000, 20_000]:
        with tempfile.NamedTemporaryFile() as out:
            text = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", "--toggle-collect=*WorkflowRunC4work*",
                 f"{HERE}/.build/release/EngineBenchmark", "once", "chain", str(count)],
                capture_output=True, text=True).stderr
        counts.append(int(text.split("Collected :")[1].split()[0]))
    each = (counts[1] - counts[0]) / 10_000
    kept = f"{HERE}/Results/instructions.json"
    before = json.load(open(kept))["chainInstructionsPerStep"] if os.path.exists(kept) else each
    add("instructions a step on a chain (callgrind), against the committed count", "≤ 1.1", each / before, f"{each:.0f}")
    if "--record" in sys.argv or not os.path.exists(kept):
        json.dump({"chainInstructionsPerStep": round(each)}, open(kept, "w"), indent=2)
    return each <= before * 1.1


def main():
    quick = "--quick" in sys.argv
    os.makedirs(f"{HERE}/Results", exist_ok=True)
    repetitions = 3 if quick else 7
    with tempfile.TemporaryDirectory() as folder:
        if "--skip-build" not in sys.argv:
            build()
        build_peers(folder)
        schedule(folder, COUNT)
        efficiency()
        processes(folder, COUNT, repetitions)
        two_needs(folder, COUNT, repetitions)
        cold_start(folder, 20)
        launch(folder)
        shells(folder)
        gates(folder, 5 if quick else 20)
        neighbours(folder)
        plugin_calls(10_000)
        geocode()
        if "--skip-build" not in sys.argv or os.path.exists(f"{HERE}/Router/.build/release/RouterBenchmark"):
            router()
        is_within = instructions()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    for name in sorted(set(missing)):
        print(f"missing: {name}")
    print(f"machine: {machine}")
    json.dump({"machine": machine, "rows": rows, "missing": sorted(set(missing))},
              open(f"{HERE}/Results/latest.json", "w"), indent=2, ensure_ascii=False)
    sys.exit(0 if is_within else 1)


if __name__ == "__main__":
    main()
