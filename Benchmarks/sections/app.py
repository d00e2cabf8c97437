"""The costs for an app: an embedded launch, the loading of workflows, and the size of the library."""
import glob
import json
import os
import shutil
import statistics

from .harness import *

LAUNCH = os.path.join(HERE, "Launch", ".build/release")


def embedded():
    """Measures the time from main to the decision of the gate: 65 steps without work, in alternating processes."""
    folder = os.path.join(context.folder, "embedded")
    os.makedirs(folder)
    yaml = os.path.join(HERE, "Launch", "Sources/CompiledLaunch/Workflows/launch.yaml")
    modes = {"compiled": ["CompiledLaunch", folder], "yaml": ["YAMLLaunch", folder, yaml], "hand": ["HandLaunch"]}
    results = {mode: [] for mode in modes}
    # The programs are copied, as an installed app is: the page cache holds a file that a linker has written in smaller pieces,
    # which makes a launch up to a fifth slower. It also differs between copies, so there are ten of each.
    copies = 10
    for program, *_ in modes.values():
        for copy in range(copies):
            shutil.copy(f"{BUILT if program == 'YAMLLaunch' else LAUNCH}/{program}", f"{context.folder}/{program}-{copy}")
    for number in range(context.repetitions(201, 51)):
        for mode, (program, *arguments) in modes.items():
            result = json.loads(run([f"{context.folder}/{program}-{number % copies}", *arguments]))
            assert result["gate"] == "ready", result
            results[mode].append(result)
    for kind, name in [("wall", "wall-clock"), ("processor", "processor")]:
        times = {mode: statistics.median(result[kind] for result in results[mode]) for mode in modes}
        detail = ", ".join(f"{mode} {time / 1000:.0f} µs" for mode, time in times.items())
        work = f"embedded launch of 65 no-op steps, main to gate, {name} time"
        add(f"{work}, compiled against tasks by hand", "≤ 1.5", times["compiled"] / times["hand"], detail=detail)
        add(f"{work}, compiled against YAML", "< 1", times["compiled"] / times["yaml"], detail=detail)


def instructions():
    """Checks that an embedded launch takes at most 5 % more instructions than the committed count. One search for a conformance
    of a type to a protocol, which goes through all conformances of the program, takes more."""
    work = "embedded launch of 65 no-op steps, instructions (callgrind), against the committed count"
    if not shutil.which("valgrind"):
        lacks("valgrind", work)
        return True
    program = stripped(f"{LAUNCH}/CompiledLaunch")
    # The number of threads that start depends on the elapsed time.
    fewest = min(instructions_of(program, [context.folder]) for _ in range(context.repetitions(5, 3)))
    return is_within_committed(work, "embeddedLaunchInstructions", fewest, 1.05)


def compiled():
    """Measures the loading of workflows/launch.yaml, in both forms in one process."""
    interfaces = sorted(glob.glob(f"{ROOT}/plugins/*/Sources/*/*.plugin.yaml"))
    result = json.loads(run([f"{BUILT}/YAMLLaunch", "load", f"{ROOT}/workflows/launch.yaml", *interfaces]))
    add("workflows/launch.yaml loaded, compiled against YAML", "≤ 0.1", result["compiled"] / result["yaml"],
        detail=f"{result['compiled'] / 1000:.0f} against {result['yaml'] / 1000:.0f} µs, {result['bytes']} bytes")
    add("a step of compiled workflows/launch.yaml, loaded", "≤ 5", result["compiled"] / result["steps"] / 1000, "µs")


def size():
    """Measures what FlowKit adds to a program that prints a line, statically linked with the standard library and stripped."""
    sizes = {}
    for product in ["Hello", "HelloFlowKit"]:
        copy = os.path.join(context.folder, product)
        shutil.copy(f"{LAUNCH}/{product}", copy)
        run(["strip", copy])
        sizes[product] = os.path.getsize(copy)
    added = sizes["HelloFlowKit"] - sizes["Hello"]
    add("what FlowKit adds to a program that prints a line", "–", added / 1e6, "MB",
        f"{sizes['HelloFlowKit'] / 1e6:.2f} against {sizes['Hello'] / 1e6:.2f} MB")
