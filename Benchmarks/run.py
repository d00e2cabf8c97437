#!/usr/bin/env python3
"""Runs the benchmarks and prints one table. Each row is measured together with its peer in one run on one machine.

Usage: Benchmarks/run.py [--only PATTERN] [--quick] [--skip-build] [--record]

--only runs the sections whose names match the regular expression and keeps the last rows of the others. --quick repeats the
measurements less often. --skip-build measures the existing builds. --record stores the instruction counts with which later runs
are compared, and writes the table to Benchmarks/README.md. --tables writes that table from the last results without measuring.

Peers: DispatchQueue, TaskGroup and OperationQueue in the same process; oneTBB, ninja, Task, PyYAML, libyaml, PostgreSQL, DBOS
Transact, Prefect and two Python packages, which `scripts/setup bench` and the benchmarks install; Hummingbird's router; and
Taskflow if TASKFLOW_INCLUDE is the path of its headers. The table names missing peers. The rows are stored in
Benchmarks/Results/latest.json. The numbers of instructions of a step and of an embedded launch, counted by callgrind, are
compared with the committed Benchmarks/Results/instructions.json. If one is more than 10 % or 5 % higher, the run fails.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

from sections import app, command, editor, engine, executors, insight, page, plugins, runs
from sections.harness import HERE, PRODUCTS, add, build, context, shown, value_text, verdict

LATEST = os.path.join(HERE, "Results/latest.json")
TABLE_BEGIN, TABLE_END = "<!-- make bench: begin -->\n", "<!-- make bench: end -->\n"

# The name of each section, the products that it needs, and its function. The table has this order.
SECTIONS = [
    ("steps", ["EngineBenchmark"], engine.steps),
    ("efficiency", ["EngineBenchmark"], engine.efficiency),
    ("files", ["flowrun"], command.files),
    ("items", ["flowrun"], command.items),
    ("unchanged", ["flowrun"], command.unchanged),
    ("included", ["flowrun"], command.included),
    ("two-needs", ["flowrun"], command.two_needs),
    ("start", ["flowrun", "StartPeer"], command.start),
    ("launch", ["flowrun"], command.launch),
    ("embedded", ["CompiledLaunch", "YAMLLaunch", "HandLaunch"], app.embedded),
    ("embedded-instructions", ["CompiledLaunch"], app.instructions),
    ("compiled", ["YAMLLaunch"], app.compiled),
    ("size", ["Hello", "HelloFlowKit"], app.size),
    ("history", ["flowrun"], runs.history),
    ("durable", ["flowrun"], runs.durable),
    ("durable-together", ["flowrun"], runs.durable_together),
    ("durable-peer", ["flowrun"], runs.durable_peer),
    ("durable-prefect", ["flowrun"], runs.prefect_peer),
    ("runs", ["flowrun"], runs.listing),
    ("resume", ["flowrun"], runs.resume),
    ("restore", ["EngineBenchmark"], engine.restore),
    ("secrets", ["EngineBenchmark"], engine.secrets),
    ("simulate", ["flowrun"], insight.simulate),
    ("forecast", ["flowrun"], insight.forecast),
    ("analyze", ["flowrun"], insight.analyze),
    ("page", ["flowrun", "flowrun-ui"], page.page),
    ("editor", ["flowrun"], editor.editor),
    ("shell", ["flowrun"], command.shell),
    ("printed", ["flowrun"], command.printed),
    ("gates", ["flowrun"], command.gates),
    ("neighbors", ["flowrun"], command.neighbors),
    ("plugin-calls", ["PluginCallBenchmark"], plugins.plugin_calls),
    ("workers", ["flowrun"], executors.workers),
    ("places", ["flowrun"], executors.held),
    ("slurm", ["flowrun"], executors.slurm),
    ("dask", ["flowrun"], executors.dask),
    ("new-plugin", ["flowrun"], plugins.new_plugin),
    ("geocode", ["flowrun", "GeocodeBenchmark"], plugins.geocode),
    ("router", ["RouterBenchmark"], plugins.router),
    ("sync", [], plugins.sync),
    ("instructions", ["EngineBenchmark"], engine.instructions),
]


def merged(run_sections):
    """Returns the rows of this run, and the last rows of the other sections, in the order of the sections."""
    before = json.load(open(LATEST))["rows"] if os.path.exists(LATEST) else []
    kept = [row for row in before if "section" in row and row["section"] not in run_sections]
    order = [name for name, _, _ in SECTIONS]
    return sorted((row for row in kept + context.rows if row["section"] in order), key=lambda row: order.index(row["section"]))


def markdown(table):
    lines = ["| work | measured | bar | |", "|---|---|---|---|"]
    for row in table:
        bar = "" if row["bar"] == "–" else row["bar"]
        lines.append(f"| {row['work']} | {value_text(row)} | {bar} | {verdict(row)} |")
    return "\n".join(lines) + "\n"


def put_table(path, table):
    text = open(path).read()
    if TABLE_BEGIN not in text or TABLE_END not in text:
        sys.exit(f"{path}: no lines '{TABLE_BEGIN.strip()}' and '{TABLE_END.strip()}' to put the table between")
    head, rest = text.split(TABLE_BEGIN)
    tail = rest.split(TABLE_END)[1]
    with open(path, "w") as file:
        file.write(head + TABLE_BEGIN + markdown(table) + TABLE_END + tail)


def record_table(table):
    # Rows with neither a bar nor a peer are only in the file of results.
    put_table(f"{HERE}/README.md", [row for row in table if row["bar"] != "–" or "against" in row["work"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="", help="run the sections whose names match")
    parser.add_argument("--quick", action="store_true", help="repeat less")
    parser.add_argument("--skip-build", action="store_true", help="measure what is built")
    parser.add_argument("--record", action="store_true", help="keep the instruction counts, put the table into the page")
    parser.add_argument("--tables", action="store_true", help="write the table from the last results, and measure nothing")
    options = parser.parse_args()
    if options.tables:
        return record_table(json.load(open(LATEST))["rows"])
    chosen = [section for section in SECTIONS if re.search(options.only, section[0])]
    if not chosen:
        parser.error(f"no section matches '{options.only}'; there are {', '.join(name for name, _, _ in SECTIONS)}")
    os.makedirs(f"{HERE}/Results", exist_ok=True)
    begin = time.monotonic()
    if not options.skip_build:
        # Each product is built once, in the order of `PRODUCTS`. StartPeer is the first of its package, because it is linked
        # differently.
        build(sorted({product for _, products, _ in chosen for product in products},
                     key=PRODUCTS.index))
    is_within = True
    with tempfile.TemporaryDirectory() as folder:
        context.folder, context.quick = folder, options.quick
        context.skip_build, context.record = options.skip_build, options.record
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
        print("a section failed, or a number of instructions exceeds its bar", file=sys.stderr)
    sys.exit(0 if is_within else 1)


if __name__ == "__main__":
    main()
