"""The costs of recording runs, and the speed at which a durable run writes to its disk."""
import os
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from .harness import *


def history():
    ten = os.path.join(context.folder, "history-ten.yaml")
    write_workflow(ten, needs_of("chain", 10))
    on, off = in_turns([FLOWRUN, ten], [FLOWRUN, ten, "--no-history"], context.repetitions(100, 20), context.folder,
                       context.folder)
    add("10-step file, exec to exit: recorded more than not", "≤ 1", (on - off) * 1000, "ms",
        f"{on * 1000:.2f} against {off * 1000:.2f} ms")
    many = os.path.join(context.folder, "history-many.yaml")
    write_workflow(many, needs_of("layers", COUNT))
    on, off = in_turns([FLOWRUN, many], [FLOWRUN, many, "--no-history"], context.repetitions(15, 5), context.folder,
                       context.folder)
    add("100,000 no-ops, exec to exit: recorded against not", "≤ 1.1", on / off,
        detail=f"{on * 1000:.0f} against {off * 1000:.0f} ms")


def flushes(path, count, size):
    """Returns the seconds that this many overwrites of a file take, each with a separate flush."""
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


def chains(path, count, length):
    """Writes a workflow of this many parallel chains."""
    with open(path, "w") as file:
        file.write("name: chains\nsteps:\n")
        for chain in range(count):
            for step in range(length):
                needs = f", needs: c{chain}s{step - 1}" if step else ""
                file.write(f"  c{chain}s{step}: {{ uses: flow.noop{needs} }}\n")


def flushes_of(command):
    """Returns the number of flushes of a command according to strace, or None without strace."""
    with tempfile.NamedTemporaryFile() as out:
        try:
            subprocess.run(["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", out.name, *command],
                           stdout=subprocess.DEVNULL, check=True)
        except OSError:
            return None
        return sum(int(line.split()[3]) for line in open(out.name) if line.rstrip().endswith("sync"))


def durable_together():
    count, length = 64, 50
    path = os.path.join(context.folder, "durable-chains.yaml")
    chains(path, count, length)
    found = flushes_of([FLOWRUN, path, "--durable"])
    add("durable, 64 chains next to each other: results a flush", "≥ 20", count * length / found if found else None, "",
        f"{found} flushes for {count * length} steps" if found else "strace is missing")


def durable_peer():
    """Measures processor time and wall-clock time per step, compared with DBOS Transact; both store their state in SQLite."""
    count, work = 500, "durable chain of 500 no-ops, processor time a step"
    script = os.path.join(HERE, "Engine/Peers/dbos_chain.py")
    packages = os.path.join(context.folder, "dbos")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", packages, "dbos==3.4.0"],
                   capture_output=True)
    if not os.path.isdir(os.path.join(packages, "dbos")):
        return lacks("DBOS Transact", work, "≤ 0.1")
    chain = os.path.join(context.folder, "durable-peer.yaml")
    write_workflow(chain, needs_of("chain", count))
    own, others = [], []
    for turn in range(context.repetitions(5, 2)):
        durable_run, plain = (measure([FLOWRUN, chain, option], context.folder) for option in ("--durable", "--no-history"))
        own.append((durable_run[0] - plain[0], durable_run[1] - plain[1]))
        text = run([sys.executable, script, os.path.join(context.folder, f"dbos-{turn}.sqlite"), str(count)],
                   env={**os.environ, "PYTHONPATH": packages})
        others.append((lines(text)[-1]["wall"], lines(text)[-1]["processor"]))
    (wall, processor), (other_wall, other_processor) = (map(statistics.median, zip(*pairs)) for pairs in (own, others))
    add(f"{work}, against DBOS Transact", "≤ 0.1", processor / other_processor,
        detail=f"{processor / count * 1e6:.0f} against {other_processor / count * 1e6:.0f} µs")
    add("durable chain of 500 no-ops, wall-clock time, against DBOS Transact", "< 1", wall / other_wall,
        detail=f"{wall / count * 1e3:.2f} against {other_wall / count * 1e3:.2f} ms a step")


def prefect_peer():
    """Measures wall-clock and processor time per step, compared with Prefect with a separate server."""
    count, work = 100, "durable chain of 100 no-ops, wall-clock time a step"
    packages = os.path.join(context.folder, "prefect")
    # The newest Prefect that is compatible with an importable FastAPI.
    subprocess.run([sys.executable, "-m", "venv", packages], capture_output=True)
    python = os.path.join(packages, "bin/python")
    subprocess.run([python, "-m", "pip", "install", "-q", "prefect==3.4.25", "fastapi<0.116"], capture_output=True)
    script = os.path.join(HERE, "Engine/Peers/prefect_chain.py")
    chain = os.path.join(context.folder, "durable-prefect.yaml")
    write_workflow(chain, needs_of("chain", count))
    try:
        other = lines(run([python, script, os.path.join(context.folder, "prefect-home"), str(count)]))[-1]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return lacks("Prefect", work)
    durable_run, plain = (seconds([FLOWRUN, chain, option], 5, context.folder) for option in ("--durable", "--no-history"))
    wall, processor = durable_run[0] - plain[0], durable_run[1] - plain[1]
    add(f"{work}, against Prefect", "< 1", wall / other["wall"],
        detail=f"{wall / count * 1e3:.2f} against {other['wall'] / count * 1e3:.1f} ms; processor "
               f"{processor / count * 1e6:.0f} against {other['processor'] / count * 1e6:.0f} µs")


CRC = [0] * 256
for start in range(256):
    value = start
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    CRC[start] = value


def checksum(data, seed=0):
    """Returns the CRC-32C of bytes that follow those with the checksum `seed`."""
    crc = ~seed & 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 255]
    return ~crc & 0xFFFFFFFF


def fill(store, count):
    """Copies the newest run of a store until there are this many, with the checksums of their rows."""
    connection = sqlite3.connect(store)
    row = connection.execute(
        "SELECT definition, chunks, started, epoch, process, id, workflow, file, state, host, header, summary FROM run "
        "ORDER BY number DESC LIMIT 1").fetchone()
    last = connection.execute("SELECT max(number) FROM run").fetchone()[0]
    eight = lambda number: struct.pack("<q", number)
    for number in range(last + 1, last + count + 1):
        definition, _, started, epoch, process, _, workflow, file, state, host, header, summary = row
        started, name = started + number, f"{number:032x}"
        crc = checksum(eight(definition))
        for value in (number, 0, started, epoch, process):
            crc = checksum(eight(value), crc)
        for text in (name, workflow, file, state, host):
            crc = checksum(text.encode(), checksum(eight(len(text.encode())), crc))
        crc = checksum(summary, checksum(header, crc))
        connection.execute(
            "INSERT INTO run(number, definition, chunks, started, epoch, process, id, workflow, file, state, host, header, "
            "summary, checksum) VALUES(?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, definition, started, epoch, process, name, workflow, file, state, host, header, summary, crc))
    connection.commit()
    connection.close()


def listing():
    folder = os.path.join(context.folder, "listing")
    os.makedirs(folder)
    path = os.path.join(folder, "ten.yaml")
    write_workflow(path, needs_of("chain", 10))
    subprocess.run([FLOWRUN, path], stdout=subprocess.DEVNULL, check=True)
    fill(os.path.join(folder, ".flowrun/runs.sqlite"), 10_000)
    wall = seconds([FLOWRUN, "runs"], context.repetitions(25, 5), folder)[0]
    add("flowrun runs in a folder of 10,000 runs, exec to exit", "≤ 50", wall * 1000, "ms")


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
