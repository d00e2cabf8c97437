"""Remote steps: in local processes, and on separate Slurm and Dask clusters, each compared with its peer."""
import glob
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

from .harness import *

PLUGIN = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"name": "echo", "version": "1.0.0", "actions": ["echo.same"]}
    elif request["method"] == "run":
        result = {"outputs": {"value": request["params"]["inputs"]["value"]}}
    else:
        break
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""
MANIFEST = """name: echo
version: 1.0.0
protocol: 1
command: [python3, plugin.py]
actions:
  echo.same:
    summary: Gives back what it is given
    inputs: { value: { type: integer } }
    outputs: { value: { type: integer } }
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def steps(name, count, step, chain=False):
    """Returns a workflow of equal steps, one after another or all at once."""
    text = f"name: {name}\nhistory: false\nsteps:\n"
    for index in range(count):
        needs = f", needs: s{index - 1}" if chain and index else ""
        text += f"  s{index}: {{ {step.format(index)}{needs} }}\n"
    return write(f"{context.folder}/{name}.yaml", text)


def seconds(path, *arguments, environment=None):
    """Returns the time from the first start of a step to the end of the run, and from the command to the first result."""
    report = f"{context.folder}/report.json"
    begin = time.perf_counter()
    run([FLOWRUN, path, "--report", report, "--quiet", *arguments], env={**os.environ, **(environment or {})},
        cwd=context.folder)
    wall = time.perf_counter() - begin
    with open(report) as file:
        found = json.load(file)["steps"]
    parts = found.values() if isinstance(found, dict) else found
    first = min(step["endedAt"] for step in parts)
    last = max(step["endedAt"] for step in parts)
    start = min(step["startedAt"] for step in parts)
    return (last - start) / 1000, wall - (last - first) / 1000


def workers():
    """Measures a step on a worker, compared with a call to a running plugin program, both one after another."""
    folder = f"{context.folder}/plugins/echo"
    write(f"{folder}/plugin.py", PLUGIN)
    write(f"{folder}/plugin.yaml", MANIFEST)
    count = 1000
    away = steps("away", count, "uses: flow.set, with: {{ values: {{ value: {} }} }}", chain=True)
    plugin = steps("plugin", count, "uses: echo.same, with: {{ value: {} }}", chain=True)
    pairs = [(seconds(away, "--on", "workers=1")[0], seconds(plugin, "--plugin-dir", folder)[0])
             for _ in range(context.repetitions(9, 3))]
    ratio = statistics.median(own / other for own, other in pairs)
    own, other = (statistics.median(values) / count * 1e6 for values in zip(*pairs))
    add("a step on a worker of this machine, against a call to a plugin's program", "≤ 1.3", ratio,
        detail=f"{own:.0f} against {other:.0f} µs")


def held():
    """Measures the cost for the host of a thousand sleeping bodies on ten workers."""
    count = 1000
    path = steps("held", count, "uses: flow.sleep, with: {{ for: 5s }}")
    begin = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [FLOWRUN, path, "--quiet", "--on", f"workers={count},processes=10"], stdout=subprocess.DEVNULL, cwd=context.folder)
    peak = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                peak = max(peak, next(int(line.split()[1]) for line in file if line.startswith("VmRSS")))
        except (OSError, StopIteration):
            pass
        time.sleep(0.05)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    add("1,000 steps that sleep for 5 s on 1,000 places of 10 workers", "≤ 8", wall, "s")
    add("the same: memory of flowrun", "≤ 150", peak / 1024, "MiB")
    add("the same: processor time of flowrun and what it waited for", "–", used, "s")


def slurm():
    work = "1,000 steps of true on two nodes of two places"
    if not os.path.exists("/usr/sbin/slurmctld"):
        return lacks("Slurm", work, "≥ 300")
    folder = f"{context.folder}/slurm"
    run([f"{ROOT}/scripts/slurm", "start", folder])
    try:
        environment = {"SLURM_CONF": f"{folder}/slurm.conf"}
        path = steps("slurm", 1000, "run: 'true'")
        runs = [seconds(path, "--on", f"slurm=4,worker={FLOWRUN}", environment=environment)
                for _ in range(context.repetitions(5, 2))]
        rate = statistics.median(1000 / run[0] for run in runs)
        add(f"Slurm: {work}", "≥ 300", rate, "steps/s")
        add("Slurm: from the command to the first result", "≤ 3", statistics.median(run[1] for run in runs), "s")
        snakemake(folder, environment, 1 / rate)
    finally:
        subprocess.run([f"{ROOT}/scripts/slurm", "stop", folder], check=False)


SNAKEFILE = """rule all:
    input: expand("done/{{i}}", i=range({}))
rule one:
    output: "done/{{i}}"
    shell: "true && touch {{output}}"
"""


def snakemake(cluster, environment, own):
    """Runs jobs of `true` with Snakemake's executor for Slurm on the same cluster. Each of them loads Snakemake twice, which
    takes seconds on a slow machine, so the jobs completed after five minutes count."""
    work = "Slurm: a step of true, against Snakemake's executor for Slurm"
    venv = packages("snakemake", "snakemake==9.27.1", "snakemake-executor-plugin-slurm==2.8.0")
    if not venv:
        return lacks("Snakemake", work, "≤ 0.1")
    folder = f"{context.folder}/snakemake"
    count = context.repetitions(100, 8)
    write(f"{folder}/Snakefile", SNAKEFILE.format(count))
    # Its jobs lose the location of Slurm's configuration.
    srun = write(f"{folder}/bin/srun", f'#!/bin/sh\nSLURM_CONF={cluster}/slurm.conf exec {shutil.which("srun")} "$@"\n')
    os.chmod(srun, 0o755)
    command = [f"{venv}/bin/snakemake", "--executor", "slurm", "--jobs", "100", "--slurm-status-command", "squeue",
               "--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1", "--latency-wait", "5",
               "--slurm-no-account", "--default-resources", "mem_mb=50", "--quiet", "all"]
    begin = time.perf_counter()
    with open(f"{folder}/log", "w") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, **environment, "PATH": f"{folder}/bin:{venv}/bin:{os.environ['PATH']}"})
        try:
            process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    took = time.perf_counter() - begin
    finished = glob.glob(f"{folder}/done/*")
    if not finished:
        with open(f"{folder}/log") as log:
            sys.stderr.write(log.read()[-4000:])
        return add(work, "≤ 0.1", None, detail="Snakemake finished no job")
    each = took / len(finished)
    add(work, "≤ 0.1", own / each,
        detail=f"{own * 1000:.1f} against {each * 1000:.0f} ms; {len(finished)} of {count} jobs of Snakemake's in {took:.0f} s")


def packages(name, *wanted):
    """Returns a virtual environment with packages from PyPI, which is kept for the next run, or None if they are not
    available."""
    folder = f"{ROOT}/.build/bench-{name}"
    if os.path.exists(f"{folder}/complete"):
        return folder
    try:
        run([sys.executable, "-m", "venv", "--clear", folder])
        run([f"{folder}/bin/pip", "install", "-q", *wanted], timeout=600)
    except (OSError, subprocess.SubprocessError):
        return None
    return write(f"{folder}/complete", "") and folder


def dask():
    work = "steps of true on a scheduler and two workers of two threads"
    folder = packages("dask", "distributed==2026.8.0")
    if not folder:
        return lacks("Dask", work, "≥ 200")
    environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    address = "tcp://127.0.0.1:18786"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": context.folder}
    cluster = [subprocess.Popen([f"{folder}/bin/dask", "scheduler", "--host", "127.0.0.1", "--port", "18786",
                                 "--no-dashboard"], **quiet)]
    cluster += [subprocess.Popen([f"{folder}/bin/dask", "worker", address, "--nthreads", "2", "--no-dashboard", "--host",
                                  "127.0.0.1"], **quiet) for _ in range(2)]
    try:
        ask = f"""import distributed, time
client = distributed.Client('{address}', timeout=30)
client.wait_for_workers(2, timeout=60)
times = []
for index in range(200):
    begin = time.perf_counter()
    client.submit(pow, index, 2, pure=False).result()
    times.append(time.perf_counter() - begin)
print(sorted(times)[100])
import os
os._exit(0)"""
        own_trip = float(run([f"{folder}/bin/python", "-u", "-c", ask]))
        on = ["--plugin-dir", f"{ROOT}/plugins/dask", "--on", f"dask={address},worker={FLOWRUN}"]
        count = 1000
        took = statistics.median(seconds(steps("dask", count, "run: 'true'"), *on, environment=environment)[0]
                                 for _ in range(context.repetitions(3, 1)))
        add(f"Dask: {count} {work}", "≥ 200", count / took, "steps/s")
        chain = 200
        took = seconds(steps("dask-chain", chain, "uses: flow.noop", chain=True), *on, environment=environment)[0]
        add("Dask: a step, one after the other", "≤ 25", took / chain * 1000, "ms")
        add("Dask: a step, against a task of Dask's own, one after the other", "≤ 2", took / chain / own_trip,
            detail=f"{took / chain * 1000:.2f} against {own_trip * 1000:.2f} ms")
    finally:
        for process in reversed(cluster):
            process.terminate()
        for process in cluster:
            process.wait(timeout=20)
