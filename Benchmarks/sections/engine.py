"""The engine in a separate process: the cost of a step, the sharing of steps by two cores, and the number of instructions."""
import math
import os
import shutil

from .harness import *


def steps():
    peers = {"oneTBB": peer("onetbb", ["g++", "-O3", "-std=c++20", f"{HERE}/Engine/Peers/onetbb.cpp", "-ltbb"])}
    include = os.environ.get("TASKFLOW_INCLUDE")
    if include:
        peers["Taskflow"] = peer(
            "taskflow", ["g++", "-O3", "-std=c++20", "-pthread", f"-I{include}", f"{HERE}/Engine/Peers/taskflow.cpp"])
    # Alternating runs, and the best of each, because the speed of the machine changes within minutes.
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


def restore():
    """Measures the cost of each journal entry when a run is resumed or shown."""
    work = "a fact of a journal of 100,000 steps, taken in by a fresh plan"
    fewest = min(lines(run([f"{BUILT}/EngineBenchmark", "restore"]))[0]["nanoseconds"]
                 for _ in range(context.repetitions(3, 1)))
    add(work, "≤ 300", fewest, "ns")


def secrets():
    """Measures the cost of hiding secrets in texts of different kinds and for different numbers of secrets."""
    kinds = {}
    for result in lines(run([f"{BUILT}/EngineBenchmark", "secrets"])):
        kinds.setdefault(result["kind"], {})[result["secrets"]] = result
    bars = {"English text": "≤ 1", "JSON": "≤ 1", "percent encoding": "≤ 1", "base64": "≤ 1.5",
            "text with one in each line": "≤ 3"}
    for kind, counts in kinds.items():
        add(f"1, 10 or 100 secrets hidden in {kind}, the slowest, against one dependent table look-up a byte", bars[kind],
            max(result["ratio"] for result in counts.values()),
            detail=", ".join(f"{count}: {result['nanoseconds']} ns a byte" for count, result in counts.items()))


def instructions():
    """Checks that a step in a chain takes at most 10 % more instructions than the committed count."""
    work = "instructions a step on a chain (callgrind), against the committed count"
    if not shutil.which("valgrind"):
        lacks("valgrind", work)
        return True
    # How often a thread asks the system for the time depends on the elapsed time, so the minimum of several counts is used. The
    # report, which the last step's thread creates, is not part of a step.
    patterns = ["*WorkflowRunC4work*", "*WorkflowRunC5closeyyF"]
    program = stripped(f"{BUILT}/EngineBenchmark")
    fewest = [
        min(instructions_of(program, ["once", "chain", str(count)], patterns)
            for _ in range(context.repetitions(5, 3)))
        for count in [10_000, 20_000]]
    each = (fewest[1] - fewest[0]) / 10_000
    return is_within_committed(work, "chainInstructionsPerStep", each, 1.1)
