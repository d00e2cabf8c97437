"""The program of a plugin whose actions do everything that a program should not do."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

output = sys.stdout.buffer


def send(message):
    global waiting
    waiting += 1
    with turn:
        output.write(json.dumps(message).encode() + b"\n")
        output.flush()
    waiting -= 1


def answer(id, **outputs):
    send({"jsonrpc": "2.0", "id": id, "result": {"outputs": outputs}})


def notify(method, **parameters):
    send({"jsonrpc": "2.0", "method": method, "params": parameters})


def log(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def fork_and(action):
    """Starts a child that sleeps with the standard descriptors open, then calls `action` with its process id."""
    process = subprocess.Popen(["sleep", "600"])
    return action(process.pid)


def flood(descriptor, block):
    """Writes `block` endlessly on a separate thread. Answers are written between two blocks."""
    def write():
        while True:
            while waiting:
                time.sleep(0.0002)
            with turn if descriptor == 1 else contextlib.nullcontext():
                rest = block
                while rest:
                    rest = rest[os.write(descriptor, rest):]
    threading.Thread(target=write, daemon=True).start()


held = []
turn = threading.Lock()
waiting = 0


def run(id, action, inputs, params):
    text = inputs.get("text", "")
    if action == "hostile.echo":
        answer(id, text=text)
    elif action == "hostile.environment":
        descriptors = sorted(int(name) for name in os.listdir("/proc/self/fd"))
        listing = os.open("/proc/self/fd", os.O_RDONLY)
        os.close(listing)
        answer(id, text=json.dumps({
            "variables": sorted(os.environ), "descriptors": [d for d in descriptors if d != listing],
            "folder": os.getcwd(), "blocked": [int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
            "pipe": signal.getsignal(signal.SIGPIPE) is not None, "env": params["env"]}))
    elif action == "hostile.die":
        for line in range(30):
            log("line %d before the end" % line)
        os._exit(7)
    elif action == "hostile.die-by-signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif action == "hostile.hang":
        notify("log", id=id, level="info", message="hanging")
    elif action == "hostile.hang-all":
        notify("log", id=id, level="info", message="hanging")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    elif action == "hostile.answer-twice":
        answer(id, text="first")
        answer(id, text="second")
    elif action == "hostile.garbage":
        output.write(text.encode() + b"\n")
        output.flush()
    elif action == "hostile.half-line":
        output.write(b'{"jsonrpc": "2.0", ')
        output.flush()
        os._exit(0)
    elif action == "hostile.long-line":
        block = b"x" * (1 << 20)
        for _ in range(inputs["megabytes"]):
            output.write(block)
        output.write(b"\n")
        output.flush()
        answer(id, text="unreachable")
    elif action == "hostile.long-text":
        answer(id, text="x" * inputs["bytes"])
    elif action == "hostile.flood-log":
        for line in range(inputs["lines"]):
            log("line %d" % line)
        answer(id, text="done")
    elif action == "hostile.flood-without-end":
        flood(2, b"y" * 65536)
    elif action == "hostile.flood-lines":
        flood(2, b"\n" * 65536)
    elif action == "hostile.flood-messages":
        message = {"jsonrpc": "2.0", "method": text, "params": {
            "id": id, "message": "again", "level": "info", "fraction": 0.5}}
        flood(1, (json.dumps(message) + "\n").encode() * 500)
    elif action == "hostile.flood-progress":
        for step in range(inputs["count"]):
            notify("progress", id=id, fraction=step / inputs["count"], message="on")
        answer(id, text="done")
    elif action == "hostile.fork-and-die":
        fork_and(lambda pid: (log("grandchild %d" % pid), os._exit(3)))
    elif action == "hostile.fork-and-answer":
        fork_and(lambda pid: answer(id, text=str(pid)))
    elif action == "hostile.lie":
        send({"jsonrpc": "2.0", "id": id, "result": json.loads(text)})
    elif action == "hostile.fail":
        send({"jsonrpc": "2.0", "id": id, "error": json.loads(text)})
    elif action == "hostile.post":
        notify("post", event=text)
        answer(id, text="posted")
    elif action == "hostile.close-input":
        os.close(0)
        answer(id, text="deaf")
        time.sleep(600)
    elif action == "hostile.close-output":
        os.close(1)
        time.sleep(600)
    elif action == "hostile.exit-after":
        answer(id, text=str(os.getpid()))
        os._exit(0)
    elif action == "hostile.strays":
        for _ in range(inputs["count"]):
            answer(10 ** 9, text="whose?")
        answer(id, text="done")
    elif action == "hostile.hold":
        held.append((id, text))
        if len(held) == inputs["count"]:
            for id, text in reversed(held):
                answer(id, text=text)
            held.clear()
    elif action == "hostile.thread":
        threading.Timer(inputs["seconds"], lambda: answer(id, text=text)).start()
    elif action == "hostile.service":
        services.add(id)
        notify("ready", id=id, outputs={"text": "ready"})
    elif action == "hostile.stop-reading":
        answer(id, text="stopped")
        time.sleep(600)
    elif action == "hostile.log":
        notify("log", id=id, level="warning", message=text)
        notify("progress", id=id, fraction=0.5, message="half")
        log("on standard error: " + text)
        answer(id, text="logged")
    elif action == "hostile.log-slowly":
        sys.stderr.write(text)
        sys.stderr.flush()

        def end():
            log("")
            answer(id, text="logged")
        threading.Timer(inputs["seconds"], end).start()


services = set()
mode = sys.argv[1] if len(sys.argv) > 1 else ""
if mode == "dies-at-start":
    log("cannot find its data")
    sys.exit(4)
if mode == "silent":
    time.sleep(600)

for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        with open(os.environ["ACTIONS"]) as file:
            greeting = json.load(file)
        if mode == "other-version":
            greeting["version"] = "9.9.9"
        if mode == "fewer-actions":
            greeting["actions"].pop()
        send({"jsonrpc": "2.0", "id": message["id"], "result": greeting})
        if mode == "leaves-after-start":
            os._exit(0)
    elif method == "run":
        run(message["id"], params["action"], params["inputs"], params)
    elif method == "cancel" and params["id"] in services:
        services.remove(params["id"])
        answer(params["id"], text="stopped")
    elif method == "shutdown" and mode != "deaf":
        log("shutting down")
        sys.exit(0)
if mode == "deaf":
    time.sleep(600)
