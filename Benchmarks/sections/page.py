"""The costs of the page of `flowrun ui`: a browser that opens runs, and a server that waits and follows runs."""
import json
import os
import subprocess
import sys
import time

from .harness import *

sys.path.insert(0, os.path.join(ROOT, "Tests/PageClient"))

SERVER = os.path.join(ROOT, ".build/network/release/flowrun-ui")

# Frames per second if an action is performed before each of them.
FRAMES = """
const done = arguments[0], act = %s, start = performance.now();
let frames = 0;
const tick = now => {
  act(++frames);
  if (now - start < 3000) requestAnimationFrame(tick); else done(frames / (now - start) * 1000);
};
requestAnimationFrame(tick);
"""
SCROLL = "n => { const box = document.querySelector('.rows'); box.scrollTop = n * 137 % box.scrollHeight; }"
ZOOM = (
    "n => { document.querySelectorAll('.timeline .tools button')[n % 10 < 5 ? 0 : 1].click();"
    " document.querySelector('.rows').scrollLeft = n * 20; }"
)


def steps_file(folder, name, count):
    with open(f"{folder}/{name}.yaml", "w") as file:
        file.write(f"name: {name}\nsteps:\n")
        for index in range(count):
            needs = f", needs: s{max(0, index - 1 - index * 7919 % 50)}" if index else ""
            file.write(f"  s{index}: {{ uses: flow.noop{needs} }}\n")


def memory(process):
    with open(f"/proc/{process.pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def last_run(folder, name):
    return json.loads(run([FLOWRUN, "runs", f"{name}.yaml", "--json"], cwd=folder))[0]["id"]


def page():
    from ui import Page

    folder = os.path.join(context.folder, "page")
    os.makedirs(folder, exist_ok=True)
    steps_file(folder, "thousand", 1_000)
    steps_file(folder, "many", 100_000)
    with open(f"{folder}/rate.yaml", "w") as file:
        lines = "for s in 1 2 3 4 5 6 7 8 9 10; do seq ${s}0000 ${s}9999; sleep 0.95; done"
        file.write(f'name: rate\nsteps: {{ print: {{ run: "{lines}" }} }}\n')
    for name in ("thousand", "many"):
        run([FLOWRUN, f"{name}.yaml"], cwd=folder)
    server = subprocess.Popen([SERVER, folder, "--port", "0"], stdout=subprocess.PIPE, text=True)
    browser = None
    try:
        link = server.stdout.readline().split()[-1]
        time.sleep(2)
        add("memory of flowrun ui while nothing happens", "≤ 30", memory(server), "MB")
        browser = Page(link, 1280, "light")
        sizes = "return performance.getEntriesByType('resource').reduce((sum, one) => sum + one.decodedBodySize, 0) / 1000"
        add("code of its pages", "≤ 60", browser.run(sizes), "kB")
        paint = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        browser.open(f"/runs/{last_run(folder, 'thousand')}")
        add("first paint of a run of 1,000 steps, opened for the first time", "≤ 300", browser.wait(paint, "a paint"), "ms")
        browser.open(f"/runs/{last_run(folder, 'many')}")
        browser.wait("return document.querySelector('.rows .row')", "the timeline", 120)
        for work, act in (("scrolling", SCROLL), ("zooming", ZOOM)):
            rate = browser.command("/execute/async", {"script": FRAMES % act, "args": []})
            add(f"{work} through the timeline of a run of 100,000 steps", "≥ 50", rate, "frames/s")
        runs = subprocess.Popen([FLOWRUN, "rate.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2)
        before = memory(server)
        browser.open(f"/runs/{last_run(folder, 'rate')}")
        runs.wait(120)
        browser.state("success")
        text = "const text = document.querySelector('#log .find output').textContent; return / lines?$/.test(text) && text"
        time.sleep(2)
        count = int(browser.wait(text, "the log").split()[0])
        add("lines that a page loses of 100,000, at 10,000 a second", "≤ 0", 100_000 - count, "")
        add("memory that following them takes", "≤ 150", max(0, memory(server) - before), "MB")
    finally:
        if browser:
            browser.close()
        server.terminate()
        server.wait(30)
