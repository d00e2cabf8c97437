"""What it costs to remember runs, and how fast a durable run's disk is used."""
import os
import statistics
import subprocess
import time

from .harness import *


def history():
    ten = os.path.join(context.folder, "history-ten.yaml")
    write_workflow(ten, needs_of("chain", 10))
    on, off = in_turns([FLOWRUN, ten], [FLOWRUN, ten, "--no-history"], context.repetitions(100, 20), context.folder,
                       context.folder)
    add("10-step file, exec to exit: remembered more than not", "≤ 1", (on - off) * 1000, "ms",
        f"{on * 1000:.2f} against {off * 1000:.2f} ms")
    many = os.path.join(context.folder, "history-many.yaml")
    write_workflow(many, needs_of("layers", COUNT))
    on, off = in_turns([FLOWRUN, many], [FLOWRUN, many, "--no-history"], context.repetitions(15, 5), context.folder,
                       context.folder)
    add("100,000 no-ops, exec to exit: remembered against not", "≤ 1.1", on / off,
        detail=f"{on * 1000:.0f} against {off * 1000:.0f} ms")


def flushes(path, count, size):
    """Seconds that so many overwrites of a file take, each with a flush of its own."""
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    os.write(file, bytes(count * size))
    os.fsync(file)
    block = b"x" * size
    start = time.perf_counter()
    for index in range(count):
        os.pwrite(file, block, index * size)
        os.fdatasync(file)
    elapsed = time.perf_counter() - start
    os.close(file)
    return elapsed


def durable():
    count = 1000
    chain = os.path.join(context.folder, "durable.yaml")
    write_workflow(chain, needs_of("chain", count))
    subprocess.run([FLOWRUN, chain, "--durable"], stdout=subprocess.DEVNULL, check=True)
    ratios = []
    for _ in range(context.repetitions(25, 5)):
        own = measure([FLOWRUN, chain, "--durable"], context.folder)[0]
        plain = measure([FLOWRUN, chain, "--no-history"], context.folder)[0]
        ratios.append((own - plain) / flushes(os.path.join(context.folder, "flushes"), count, 4096))
    add("durable chain of 1,000 no-ops, against as many bare fdatasync", "≤ 1.7", statistics.median(ratios))


def resume():
    many = os.path.join(context.folder, "resume-many.yaml")
    write_workflow(many, needs_of("layers", COUNT))
    with open(many, "a") as file:
        file.write(f"  last: {{ uses: flow.fail, needs: s{COUNT - 1} }}\n")
    subprocess.run([FLOWRUN, many], stdout=subprocess.DEVNULL)
    times = []
    for _ in range(context.repetitions(5, 3)):
        start = time.perf_counter()
        subprocess.run([FLOWRUN, "resume", many], stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    add("resume of a run of 100,000 steps, exec to exit", "≤ 0.5", statistics.median(times), "s")
