#!/usr/bin/env python3
"""Runs pipelines with flowrun, ninja, Task and Snakemake and compares their products and the stages that they repeat.

Usage: Benchmarks/Pipelines/compare.py [FLOWRUN] [--files N]

Three small pipelines are in folders next to this file. A fourth is generated: it converts N files (1,000 by default)
separately and adds up the results. Each tool runs each pipeline in a copy of its folder: from nothing, without a change, and
after a change of one input. The fourth pipeline also runs after a change that does not change the product. The products must
be identical. Each stage appends its name to ran.log, which shows the stages that have run. ninja runs only the fourth
pipeline.

Exits with 1 if products differ, or if flowrun runs a stage that another tool does not run. For the fourth pipeline, all tools
must run the same stages, except that after a change without a new product, only ninja is compared. Also exits with 1 if
flowrun takes more than twice as long as ninja without a change. Their runs alternate, and the medians are compared.
Reports tools that are not installed and skips them: `pip install ninja go-task-bin snakemake` installs them.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The pipelines, each with the input that is changed.
PIPELINES = {"data": "in/february.csv", "program": "src/greet.c", "reports": "notes/winds.txt"}
ADDED = {"data": "west,1\n", "program": "int unused_number = 1;\n", "reports": "Gusts.\n"}
# The number of runs without a change for each tool. The fastest counts.
LOOKS = 5
# The number of further alternating runs for flowrun and ninja.
TURNS = 25
# The maximum time of flowrun without a change, as a multiple of ninja's.
MOST = 2


def tools(flowrun):
    """Returns the command of each tool by the tool's name. It is None if the tool is not installed."""
    own = os.path.join(os.path.dirname(sys.executable), "")
    ninja, task, snakemake = (
        next((found for name in names for found in [shutil.which(name) or shutil.which(own + name)] if found), None)
        for names in [("ninja",), ("task", "go-task"), ("snakemake",)])
    return {
        "flowrun": [flowrun, "workflow.yaml"],
        "ninja": ninja and [ninja, "-j", "2", "--quiet"],
        "Task": task and [task, "--concurrency", "2"],
        "Snakemake": snakemake and [snakemake, "--cores", "2", "--quiet", "--rerun-triggers", "mtime"],
    }


def ran(folder):
    """Returns the names of the stages that have run since the last call, sorted."""
    path = os.path.join(folder, "ran.log")
    lines = open(path).read().splitlines() if os.path.exists(path) else []
    if lines:
        os.remove(path)
    return sorted(lines)


def made(folder):
    """Returns every file in out/ with its bytes."""
    out = os.path.join(folder, "out")
    return {name: open(os.path.join(out, name), "rb").read() for name in sorted(os.listdir(out))}


def run(command, folder):
    """Runs a command and returns the seconds that it takes. Ends the program if the command fails."""
    begun = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        sys.exit(f"{folder}: {' '.join(command)} exited with {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return time.monotonic() - begun


def rounds(command, folder, changes):
    """Runs a tool after each change, and returns the products, the stages that ran and the seconds. A change of None means
    that nothing changes."""
    results = []
    for change in changes:
        # The times of files distinguish products from changed inputs.
        time.sleep(1.1)
        if change:
            with open(os.path.join(folder, change[0]), "a") as file:
                file.write(change[1])
        seconds = run(command, folder)
        again = ran(folder)
        if not change and results:
            seconds = min([seconds] + [run(command, folder) for _ in range(LOOKS - 1)])
        results.append((made(folder), again, seconds))
    return results


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def write_many(folder, count):
    """Creates a pipeline of this many files for each of the tools."""
    names = [f"f{number:05}" for number in range(count)]
    os.makedirs(f"{folder}/in")
    for name in names:
        write(f"{folder}/in/{name}.txt", f"{name}\n")
    # A product that stays the same is not written. Comments are removed.
    write(f"{folder}/convert.sh", """set -e
echo "convert-$1" >> ran.log
mkdir -p out
grep -v '^#' "in/$1.txt" > "out/$1.new"
if cmp -s "out/$1.new" "out/$1.txt"; then rm "out/$1.new"; else mv "out/$1.new" "out/$1.txt"; fi
""")
    write(f"{folder}/total.sh", "set -e\necho total >> ran.log\ncat out/f*.txt > out/total\n")
    write(f"{folder}/workflow.yaml", """name: many
steps:
  convert:
    foreach: { files: "in/*.txt" }
    parallel: 2
    inputs-from: ["${{ item.path }}"]
    produces: ["out/${{ item.name }}"]
    run: sh convert.sh "$NAME"
    env: { NAME: "${{ item.stem }}" }
  total: { run: sh total.sh, needs: convert, inputs-from: ["out/f*.txt"], produces: [out/total] }
""")
    products = " ".join(f"out/{name}.txt" for name in names)
    write(f"{folder}/build.ninja", "rule convert\n  command = sh convert.sh $name\n  restat = 1\n"
          "rule total\n  command = sh total.sh\n"
          + "".join(f"build out/{name}.txt: convert in/{name}.txt\n  name = {name}\n" for name in names)
          + f"build out/total: total {products}\n")
    write(f"{folder}/Snakefile", f"""NAMES = {names!r}

rule total:
    input: expand("out/{{name}}.txt", name=NAMES)
    output: "out/total"
    shell: "sh total.sh"

rule convert:
    input: "in/{{name}}.txt"
    output: "out/{{name}}.txt"
    shell: "sh convert.sh {{wildcards.name}}"
""")
    # One task per file, because Task calls the same task at most 1,000 times.
    write(f"{folder}/Taskfile.yml", "version: '3'\nsilent: true\ntasks:\n"
          + f"  default: {{ deps: [{', '.join(names)}], cmds: [{{ task: total }}] }}\n"
          + "".join(f"  {name}: {{ cmds: [sh convert.sh {name}], sources: [in/{name}.txt], generates: [out/{name}.txt] }}\n"
                    for name in names)
          + "  total: { cmds: [sh total.sh], sources: [out/f*.txt], generates: [out/total] }\n")


def against_ninja(commands, folders):
    """Returns flowrun's time without a change as a multiple of ninja's time, and prints both."""
    times = {tool: [] for tool in ["ninja", "flowrun"]}
    for tool in times:
        # Files that have just changed are read again in the next run.
        for _ in range(2):
            time.sleep(0.1)
            run(commands[tool], folders[tool])
    for _ in range(TURNS):
        for tool in times:
            times[tool].append(run(commands[tool], folders[tool]))
    ninja, own = (statistics.median(times[tool]) for tool in times)
    print(f"many      with nothing changed flowrun takes {own * 1000:.1f} ms and ninja {ninja * 1000:.1f} ms: "
          f"{own / ninja:.2f} times as long")
    return own / ninja


def listed(stages):
    return ", ".join(stages[:4]) + (f" and {len(stages) - 4} more" if len(stages) > 4 else "") or "nothing"


def compare(name, titles, found):
    """Prints the results of the tools, and returns a complaint for each unexpected difference from flowrun."""
    complaints = []
    own = found["flowrun"]
    for tool, results in found.items():
        for title, mine, theirs in zip(titles, own, results):
            files = "same files" if theirs[0] == mine[0] else "OTHER FILES"
            again = "" if theirs[1] == mine[1] else f"; flowrun ran: {listed(mine[1])}"
            print(f"{name:8}  {tool:9}  {title:17}  {theirs[2]:6.3f} s  {files}; ran: {listed(theirs[1])}{again}", flush=True)
            if theirs[0] != mine[0]:
                complaints.append(f"{name}: {tool} makes other files {title}")
            if not set(mine[1]) <= set(theirs[1]):
                complaints.append(f"{name}: flowrun runs more than {tool} {title}")
            # For tools that only compare times, an unchanged product counts as new.
            if name == "many" and mine[1] != theirs[1] and (title != "same product" or tool == "ninja"):
                complaints.append(f"{name}: flowrun does not run the same as {tool} {title}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flowrun", nargs="?", default=f"{HERE}/../../.build/release/flowrun")
    parser.add_argument("--files", type=int, default=1000)
    arguments = parser.parse_args()
    commands = tools(os.path.abspath(arguments.flowrun))
    complaints = []
    titles = ["from nothing", "unchanged", "one input changed", "same product"]
    with tempfile.TemporaryDirectory() as place:
        for name in [*PIPELINES, "many"]:
            found, folders = {}, {}
            changes = [None, None, (PIPELINES[name], ADDED[name])] if name in PIPELINES else [
                None, None, ("in/f00007.txt", "more\n"), ("in/f00008.txt", "# a comment\n")]
            for tool, command in commands.items():
                if not command:
                    print(f"{name:8}  {tool:9}  is not installed")
                    continue
                folder = os.path.join(place, f"{name}-{tool}")
                if name == "many":
                    write_many(folder, arguments.files)
                elif tool == "ninja":
                    continue
                else:
                    shutil.copytree(os.path.join(HERE, name), folder)
                found[tool] = rounds(command, folder, changes)
                folders[tool] = folder
            complaints += compare(name, titles, found)
        if "ninja" in found:
            ratio = against_ninja(commands, folders)
            if ratio > MOST:
                complaints.append(f"many: with nothing changed flowrun takes {ratio:.2f} times as long as ninja, expected {MOST}")
    for complaint in complaints:
        print(f"compare: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
