#!/usr/bin/env python3
"""Runs three small pipelines with flowrun, Task and Snakemake and compares what they make and what they make again.

Usage: Benchmarks/Pipelines/compare.py [FLOWRUN]

Each tool runs each pipeline in a copy of its folder: from nothing, once more with nothing changed, and after a change to one
input. What lies in out/ must be the same byte for byte, and ran.log, to which each stage adds its name, says what ran.
A difference in files ends it with 1; so does a stage that flowrun runs and another tool does not. A tool that is not there is
named and left out: `pip install go-task-bin snakemake` brings both.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The pipelines, and the input of each that is changed.
PIPELINES = {"data": "in/february.csv", "program": "src/greet.c", "reports": "notes/winds.txt"}
ADDED = {"data": "west,1\n", "program": "int unused_number = 1;\n", "reports": "Gusts.\n"}


def tools(flowrun):
    """Command by the tool's name; None: it is not there."""
    task, snakemake = shutil.which("task") or shutil.which("go-task"), shutil.which("snakemake")
    return {
        "flowrun": [flowrun, "workflow.yaml"],
        "Task": task and [task],
        "Snakemake": snakemake and [snakemake, "--cores", "2", "--quiet"],
    }


def ran(folder):
    """What has run since it was last asked, in an order that does not depend on threads."""
    path = os.path.join(folder, "ran.log")
    lines = open(path).read().splitlines() if os.path.exists(path) else []
    if lines:
        os.remove(path)
    return sorted(lines)


def made(folder):
    """Every file in out/ with its bytes."""
    out = os.path.join(folder, "out")
    return {name: open(os.path.join(out, name), "rb").read() for name in sorted(os.listdir(out))}


def rounds(name, command, folder):
    """What is made and what runs from nothing, with nothing changed and after a change, and the seconds of each."""
    shutil.copytree(os.path.join(HERE, name), folder)
    results = []
    for change in [None, None, ADDED[name]]:
        # Times of files tell apart what was made from what was changed.
        time.sleep(1.1)
        if change:
            with open(os.path.join(folder, PIPELINES[name]), "a") as file:
                file.write(change)
        begun = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{name}: {' '.join(command)} exited with {done.returncode}\n{done.stdout}{done.stderr}")
        results.append((made(folder), ran(folder), time.monotonic() - begun))
    return results


def main():
    flowrun = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{HERE}/../../.build/release/flowrun")
    commands = tools(flowrun)
    is_same = True
    with tempfile.TemporaryDirectory() as place:
        for name in PIPELINES:
            own = None
            for tool, command in commands.items():
                if not command:
                    print(f"{name:8}  {tool:9}  not installed")
                    continue
                found = rounds(name, command, os.path.join(place, f"{name}-{tool}"))
                own = own or found
                for title, mine, theirs in zip(["from nothing", "unchanged", "one input changed"], own, found):
                    files = "same files" if theirs[0] == mine[0] else "OTHER FILES"
                    again = "" if theirs[1] == mine[1] else "; flowrun ran: " + (", ".join(mine[1]) or "nothing")
                    is_same = is_same and theirs[0] == mine[0] and set(mine[1]) <= set(theirs[1])
                    print(f"{name:8}  {tool:9}  {title:17}  {theirs[2]:5.2f} s  {files}; ran: "
                          f"{', '.join(theirs[1]) or 'nothing'}{again}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
