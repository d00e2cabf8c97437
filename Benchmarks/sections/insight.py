"""The costs of forecasts and explanations, and the accuracy of a forecast."""
import json
import os
import random
import subprocess
import sys

from .harness import *

LAUNCH = os.path.join(os.path.dirname(HERE), "workflows/launch.yaml")
# On one core: the maximum memory, and a hash of the output.
MEASURE = (
    "import hashlib,os,resource,subprocess,sys,time;os.sched_setaffinity(0,set(map(int,sys.argv[1].split(','))));"
    "begin=time.perf_counter();out=subprocess.run(sys.argv[2:],capture_output=True,check=False).stdout;"
    "print(time.perf_counter()-begin,resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024,"
    "hashlib.sha256(out).hexdigest())"
)


def measured(cores, *arguments):
    """Returns the seconds, the megabytes and a hash of the output of a call on these cores."""
    own = sorted(os.sched_getaffinity(0))[:cores]
    text = run([sys.executable, "-c", MEASURE, ",".join(map(str, own)), FLOWRUN, *arguments])
    took, memory, digest = text.split()
    return float(took), float(memory), digest


def simulate():
    count = 10_000 if context.quick else 100_000
    arguments = ["simulate", LAUNCH, "--runs", str(count), "--format", "json"]
    # Critical paths and suggestions are measured separately from the runs.
    look = min(measured(1, "simulate", LAUNCH, "--runs", "1000", "--format", "json")[0] for _ in range(3))
    took, memory, one = measured(1, *arguments)
    _, _, both = measured(2, *arguments)
    per = (took - look) / (count - 1_000) * 100_000
    add("100,000 runs of launch.yaml forecast on one core, besides critical paths and suggestions", "≤ 4", per, "s",
        detail=f"{took:.2f} s for {count} runs in all, critical paths and suggestions {look:.2f} s")
    add("memory of that", "≤ 100", memory, "MB")
    add("forecasts on one core and on two", "≤ 0", 0 if one == both else 1, "bytes differ")
    path = os.path.join(context.folder, "thousand.yaml")
    draws = random.Random(1)
    with open(path, "w") as file:
        file.write("name: thousand\nsteps:\n")
        for index in range(1_000):
            needs = sorted({draws.randrange(max(0, index - 60), index) for _ in range(2)}) if index else []
            text = ", ".join(f"s{need}" for need in needs)
            file.write(f"  s{index}: {{ uses: flow.noop, needs: [{text}], estimate: 1ms..{draws.randrange(2, 30)}ms }}\n")
    runs = 1_000 if context.quick else 10_000
    took = measured(1, "simulate", path, "--runs", str(runs))[0]
    add("10,000 runs of a 1,000-step graph, critical paths and suggestions included", "≤ 15", took / runs * 10_000, "s")


def forecast():
    """Compares a forecast from the first hundred of 200 real launches with the quantiles of the others."""
    place = os.path.join(context.folder, "forecast")
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/app.yaml", "w") as file:
        file.write("name: app\nsteps:\n")
        for name, needs, low, spread in [
            ("store", "", 20, 30), ("account", "store", 10, 40), ("trips", "store", 15, 60), ("view", "account, trips", 10, 15)
        ]:
            script = f"sleep $(awk -v r=$FLOWRUN_DRAW_{name.upper()} 'BEGIN {{ print ({low} + {spread} * r) / 1000 }}')"
            file.write(f"  {name}: {{ uses: shell.run, needs: [{needs}], with: {{ command: {json.dumps(script)} }},\n")
            file.write(f"    env: {{ FLOWRUN_DRAW_{name.upper()}: \"${{{{ inputs.{name} }}}}\" }} }}\n")
        file.write("inputs: { store: { type: string }, account: { type: string }, trips: { type: string }, view: { type: string } }\n")
    draws = random.Random(7)
    half = 20 if context.quick else 100
    for side in ["known", "coming"]:
        os.makedirs(f"{place}/{side}", exist_ok=True)
        for number in range(half):
            device = draws.random()
            inputs = []
            for name in ["store", "account", "trips", "view"]:
                inputs += ["-i", f"{name}={0.7 * device + 0.3 * draws.random():.4f}"]
            subprocess.run(
                [FLOWRUN, "app.yaml", "--no-history", "--report", f"{side}/{number:03}.json", *inputs], cwd=place,
                check=True, stdout=subprocess.DEVNULL)
    inputs = [part for name in ["store", "account", "trips", "view"] for part in ("-i", f"{name}=0")]
    forecast = json.loads(run([FLOWRUN, "simulate", f"{place}/app.yaml", "--from", f"{place}/known", "--format", "json", *inputs]))
    times = sorted(json.load(open(f"{place}/coming/{name}"))["gate"]["readyAt"] for name in os.listdir(f"{place}/coming"))
    for share, name in [(0.5, "p50"), (0.95, "p95")]:
        expected = forecast["gate"]["ready"][name]
        again = random.Random(11)
        drawn = sorted(quantile([again.choice(times) for _ in times], share) for _ in range(1_000))
        low, high = drawn[25] * 0.95, drawn[974] * 1.05
        distance = max(0, low - expected, expected - high)
        add(f"{name.upper()} of {half} runs, forecast from {half} others: outside of the interval that is measured", "≤ 0",
            distance, "ms", detail=f"forecast {expected:.1f}, measured {quantile(times, share):.1f}, {low:.1f} to {high:.1f} ms")


def quantile(values, share):
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, -int(-share * len(ordered) // 1) - 1))]


def analyze():
    path = os.path.join(context.folder, "many.yaml")
    write_workflow(path, needs_of("layers", COUNT))
    report = os.path.join(context.folder, "many.json")
    run([FLOWRUN, path, "--report", report, "--no-history"])
    took = min(measured(1, "analyze", report)[0] for _ in range(context.repetitions(5, 3)))
    add("a report of 100,000 steps explained", "≤ 1", took, "s", detail=f"{os.path.getsize(report) / 1e6:.0f} MB")
