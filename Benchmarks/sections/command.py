"""The command from exec to exit: files, starts, launches, shell commands, and the gate next to busy threads."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

from .harness import *

START_PEER = os.path.join(BUILT, "StartPeer")


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
    # Measured in a separate process, because for this one the system returns the maximum of all its children.
    memory = int(run([sys.executable, "-c", (
        "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"), FLOWRUN,
        f"{context.folder}/layers/w.yaml"])) / 1024
    add("memory of a 100,000-step run", "≤ 150", memory, "MB")


def items():
    """Measures the cost of an item of a step, compared with a separate step."""
    steps, fan = os.path.join(context.folder, "steps.yaml"), os.path.join(context.folder, "items.yaml")
    write_workflow(steps, needs_of("fan", COUNT))
    with open(fan, "w") as file:
        file.write("name: items\nsteps:\n  each:\n    uses: flow.noop\n    foreach: [")
        file.write(", ".join(str(index) for index in range(COUNT)) + "]\n")
    own, other = in_turns(
        [FLOWRUN, fan], [FLOWRUN, steps], context.repetitions(7, 3), context.folder, context.folder)
    add("a step with 100,000 no-op items, exec to exit, against 100,000 steps", "≤ 1.0", own / other,
        detail=f"{own * 1000:.0f} against {other * 1000:.0f} ms")


def task_program():
    """Returns Task from PATH or from its package, or None if it is not installed."""
    if shutil.which("task"):
        return shutil.which("task")
    folder = os.path.join(context.folder, "task")
    try:
        run([sys.executable, "-m", "venv", folder])
        run([f"{folder}/bin/pip", "install", "-q", "go-task-bin"])
        return f"{folder}/bin/task"
    except (OSError, subprocess.CalledProcessError, SystemExit):
        return None


def unchanged():
    """Measures the cost of finding that nothing has changed: 10,000 files that a step reads, compared with the checks of
    other tools, and 10,000 items that each read one file and produce one."""
    place = os.path.join(context.folder, "unchanged")
    os.makedirs(f"{place}/src", exist_ok=True)
    for index in range(10_000):
        with open(f"{place}/src/{index:05}.txt", "w") as file:
            file.write(f"{index}\n")
    with open(f"{place}/w.yaml", "w") as file:
        file.write("name: unchanged\nsteps:\n  all:\n    run: echo done > out\n"
                   "    inputs-from: [src/*.txt]\n    produces: [out]\n")
    with open(f"{place}/build.ninja", "w") as file:
        file.write("rule run\n  command = echo done > out\nbuild out: run"
                   + "".join(f" src/{index:05}.txt" for index in range(10_000)) + "\n")
    with open(f"{place}/Taskfile.yml", "w") as file:
        file.write("version: '3'\ntasks:\n  default:\n    cmds: ['echo done > out']\n"
                   "    sources: ['src/*.txt']\n    generates: [out]\n")
    command = [FLOWRUN, "w.yaml"]
    for _ in range(2):
        # A file that has just changed is read again the next time.
        seconds(command, 1, place)
        time.sleep(0.1)
    repetitions = context.repetitions(15, 5)
    work = "10,000 unchanged files that a step reads, exec to exit"
    add(work, "≤ 100", seconds(command, repetitions, place)[0] * 1000, "ms")
    for name, program in [("ninja", shutil.which("ninja")), ("Task", task_program())]:
        if not program:
            lacks(name, work)
            continue
        seconds([program], 1, place)
        own, theirs = in_turns(command, [program], repetitions, place, place)
        add(f"{work}, against {name}", "–", own / theirs, detail=f"{own * 1000:.0f} against {theirs * 1000:.0f} ms")
    os.makedirs(f"{place}/made", exist_ok=True)
    for index in range(10_000):
        with open(f"{place}/made/{index:05}.txt", "w") as file:
            file.write(f"{index}\n")
    with open(f"{place}/items.yaml", "w") as file:
        file.write("name: items\nsteps:\n  all:\n    uses: flow.noop\n    foreach: { files: 'src/*.txt' }\n"
                   "    inputs-from: ['${{ item.path }}']\n    produces: ['made/${{ item.name }}']\n")
    command = [FLOWRUN, "items.yaml"]
    for _ in range(2):
        seconds(command, 1, place)
        time.sleep(0.1)
    add("10,000 unchanged items with two files each, exec to exit", "≤ 150",
        seconds(command, repetitions, place)[0] * 1000, "ms")


def included():
    """Measures a workflow that includes a thousand files."""
    place = os.path.join(context.folder, "included")
    os.makedirs(place, exist_ok=True)
    for index in range(1000):
        # Each of ten files includes 99 others.
        inner = [f"  i{other}: {{ uses: ./f{other}.yaml }}\n" for other in range(10 + index * 99, 10 + index * 99 + 99)
                 ] if index < 10 else []
        with open(f"{place}/f{index}.yaml", "w") as file:
            file.write(f"name: f{index}\nsteps:\n  a: {{ uses: flow.noop }}\n  b: {{ uses: flow.noop, needs: a }}\n"
                       + "".join(inner))
    with open(f"{place}/w.yaml", "w") as file:
        file.write("name: included\nsteps:\n" + "".join(f"  i{index}: {{ uses: ./f{index}.yaml }}\n" for index in range(10)))
    took = seconds([FLOWRUN, "validate", "w.yaml"], context.repetitions(15, 5), place)[0]
    add("flowrun validate of a tree of 1,000 included files, exec to exit", "≤ 100", took * 1000, "ms")


def has_yaml(python):
    """Returns True if a Python has PyYAML with libyaml. Debian's package is only for Debian's Python."""
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
    # With an escape in its first line, libyaml reads the whole file instead of `PlainScanner`.
    escaped = os.path.join(context.folder, "escaped.yaml")
    with open(escaped, "w") as file:
        file.write(open(path).read().replace("name: two-needs", r'name: "two\u002dneeds"', 1))
    by_libyaml = seconds([FLOWRUN, "validate", escaped], repetitions, context.folder)[0]
    add("two-needs file, flowrun validate (exec to exit), against the same when libyaml reads it", "≤ 0.8",
        checked / by_libyaml, detail=f"{checked * 1000:.0f} against {by_libyaml * 1000:.0f} ms")
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
    events = peer("libyaml_events", ["gcc", "-O3", f"{HERE}/Engine/Peers/libyaml_events.c", "-lyaml"])
    if events:
        parse = float(run([events, path]))
        add("two-needs file, flowrun validate (exec to exit), against libyaml's events in C", "≤ 5", checked / parse,
            detail=f"{checked * 1000:.0f} against {parse * 1000:.0f} ms")
    else:
        lacks("libyaml", "two-needs file, flowrun validate", "≤ 5")


def start():
    """Measures the shipped program from exec to exit, compared with a program with the same libraries that prints a line and
    is linked by SwiftPM."""
    path = os.path.join(context.folder, "ten.yaml")
    write_workflow(path, needs_of("chain", 10))
    program, start_peer = stripped(FLOWRUN), stripped(START_PEER)
    repetitions = context.repetitions(100, 20)
    work, peer_text = "10-step file, history on, exec to exit", "against a program of the same libraries that prints a line"
    # The first run creates the store.
    seconds([program, path], 1, context.folder)
    own, other = in_turns([program, path], [start_peer], repetitions, context.folder, context.folder)
    add(f"{work}, {peer_text}", "≤ 1.3", own / other, detail=f"{own * 1000:.1f} against {other * 1000:.1f} ms")
    fresh = []
    for _ in range(repetitions):
        shutil.rmtree(os.path.join(context.folder, ".flowrun"), ignore_errors=True)
        fresh.append((measure([program, path], context.folder)[0], measure([start_peer], context.folder)[0]))
    own, other = (statistics.median(times) for times in zip(*fresh))
    add(f"{work}, in a fresh folder, {peer_text}", "–", own / other,
        detail=f"{own * 1000:.1f} against {other * 1000:.1f} ms")
    own, other = in_turns([program, path, "--no-history"], [start_peer], repetitions, context.folder, context.folder)
    add(f"10-step file, no history, exec to exit, {peer_text}", "–", own / other,
        detail=f"{own * 1000:.1f} against {other * 1000:.1f} ms")
    if not (shutil.which("valgrind") and shutil.which("strip")):
        return lacks("valgrind", f"{work}, instructions")
    counts = [instructions_of(program, arguments) for program, arguments in [(program, [path]), (start_peer, [])]]
    add(f"{work}, instructions (callgrind), against the same", "–", counts[0] / counts[1],
        detail=f"{counts[0] / 1e6:.2f} against {counts[1] / 1e6:.2f} million")


def launch():
    data = os.path.join(context.folder, "launch-data")
    command = [FLOWRUN, f"{ROOT}/workflows/launch.yaml", "--data", data]
    seconds(command, 1, context.folder)
    wall, processor = seconds(command, 3, context.folder)
    add("workflows/launch.yaml, piped, second run: user + system time", "≤ 60", processor * 1000, "ms",
        f"{wall * 1000:.0f} ms in all")


def shell():
    work, bar = "1,000 steps of shell.run true, concurrency 2", "≤ 1.0"
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


def printed():
    count = 1_000_000
    place = os.path.join(context.folder, "printed")
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/printed.yaml", "w") as file:
        file.write("name: printed\nsecrets: { token: { env: PRINTED_TOKEN } }\nsteps:\n"
                   f"  print: {{ run: seq {count}, env: {{ T: '${{{{ secrets.token }}}}' }} }}\n")
    with open(f"{place}/Taskfile.yml", "w") as file:
        file.write(f"version: '3'\noutput: prefixed\ntasks: {{ print: {{ cmds: [seq {count}] }} }}\n")
    own = [("with history", "≤ 0.8", []), ("without history", "≤ 0.4", ["--no-history"])]
    peers = {"tee FILE": ["sh", "-c", f"seq {count} | tee lines.txt"]}
    if task := shutil.which("task"):
        peers["task --output prefixed"] = [task, "print"]
    commands = {name: [FLOWRUN, "printed.yaml", *options] for name, _, options in own} | peers
    spent = {name: [] for name in commands}
    os.environ["PRINTED_TOKEN"] = "s3cr3t-t0k3n-of-a-benchmark"
    # The commands alternate, so that all run under the same conditions.
    for _ in range(context.repetitions(5, 1)):
        for name, command in commands.items():
            spent[name].append(measure(command, place)[1])
    micros = {name: statistics.median(values) * 1e6 / count for name, values in spent.items()}
    detail = ", ".join(f"{name} {micros[name]:.2f} µs" for name in peers)
    for name, bar, _ in own:
        add(f"a million printed lines and one secret to mask, {name}: processor time a line", bar, micros[name], "µs", detail)


def lateness(name, step, deadline, due, openings):
    """Returns the milliseconds by which the gate opened late in each of several runs; negative values would be early."""
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
    add("gate held by max next to 64 steps asleep: the earliest and the latest", "0 … 5", asleep[-1] if asleep[0] >= 0
        else asleep[0], "ms", f"{asleep[0]:.2f} to {asleep[-1]:.2f} ms late")
    for name, deadline, blocking in [("max", "{ max: 300ms }", ""), ("min", "{ min: 300ms }", ", blocking: false")]:
        step = f"{{ uses: flow.spin, with: {{ for: 600ms }}{blocking} }}"
        burning = lateness(f"burning-{name}", step, deadline, 300, openings)
        work = f"gate held by {name} next to 64 steps burning CPU"
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
    add("a chain of 20 steps of 10 ms next to 100 occupying ones ends", "≤ 1000", end, "ms")
