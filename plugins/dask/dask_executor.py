"""Dask as an executor of flowrun: it starts one `flowrun worker` per Dask worker and carries its pipe.

`places SCHEDULER` prints the workers that can be used, a line each with its number of threads.
`carry SCHEDULER WORKER COMMAND` starts COMMAND on that worker and connects it with standard input and output.

Dask only carries: the command is one task, which is never repeated, and its bytes go through a connection of their own.
flowrun itself sees whether the worker lives.
"""

import os
import secrets
import shlex
import socket
import sys
import threading
import time
import urllib.parse
import uuid

TIME_LIMIT = 10  # seconds for the scheduler to answer
START_LIMIT = 30  # seconds for a task to begin and connect
LOOK = 0.2  # seconds from one look at a task that begins to the next
PIECE = 1 << 16


def fail(message):
    print(message, flush=True)
    sys.exit(2)


def connect(address):
    """Returns a client of a scheduler."""
    if not address.startswith("tcp://"):
        fail(f"'{address}' is not an address of a scheduler; write --on dask=tcp://HOST:PORT")
    try:
        import distributed
    except ImportError:
        fail(f"{sys.executable} has no module 'distributed'; activate the environment of the cluster's Python")
    try:
        return distributed.Client(address, timeout=TIME_LIMIT, set_as_default=False)
    except (OSError, TimeoutError) as problem:
        fail(f"no scheduler answers at {address}: {problem}")


def versions(entry):
    """Returns the versions that client and workers must share, because a task is sent as Python's serialized bytes."""
    packages = entry.get("packages", {})
    python = ".".join(str(packages.get("python", "?")).split(".")[:2])
    return python, str(packages.get("distributed", "?"))


def places(address):
    client = connect(address)
    seen = client.get_versions(check=False)
    own = versions(seen["client"])
    workers = client.scheduler_info(n_workers=-1)["workers"]
    others = []
    count = 0
    for name, worker in sorted(workers.items()):
        theirs = versions(seen["workers"].get(name) or {})
        if theirs != own:
            others.append(theirs)
            print(f"# {name} is left out: Python {theirs[0]} and distributed {theirs[1]}")
            continue
        print(name, worker["nthreads"])
        count += 1
    client.close()
    if count:
        return
    if others:
        fail(
            f"no worker has this client's Python {own[0]} and distributed {own[1]}; "
            f"the first one has Python {others[0][0]} and distributed {others[0][1]}"
        )
    fail(f"the scheduler at {address} has no workers")


def work(host, port, token, words):
    """Runs on the Dask worker. The command's standard input and output are the connection.

    A guard connected by a pipe ends the command when the Dask worker is killed, because it would otherwise continue.
    """
    import os
    import shutil
    import socket
    import subprocess

    if not shutil.which(words[0]):
        raise FileNotFoundError(f"{words[0]}: not found")
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(token.encode())
        process = subprocess.Popen(
            words, stdin=connection.fileno(), stdout=connection.fileno(), start_new_session=True
        )
    lifeline, end = os.pipe()
    guard = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r word; [ "$word" = over ] || kill -KILL "-$1"', "guard", str(process.pid)],
        stdin=lifeline, start_new_session=True,
    )
    os.close(lifeline)
    status = process.wait()
    os.write(end, b"over\n")
    os.close(end)
    guard.wait()
    return status


def own_host(address):
    """Returns the address of this machine as seen by the scheduler's machine."""
    scheduler = urllib.parse.urlsplit(address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((socket.gethostbyname(scheduler.hostname), scheduler.port or 8786))
        return probe.getsockname()[0]


def carry(address, worker, command):
    client = connect(address)
    listener = socket.create_server((own_host(address), 0))
    listener.settimeout(LOOK)
    token = secrets.token_hex(16)
    future = client.submit(
        work, *listener.getsockname()[:2], token, shlex.split(command),
        key=f"flowrun-{uuid.uuid4()}", workers=[worker], allow_other_workers=False, pure=False, retries=0,
    )
    connection = accept(listener, token, future)
    # A second start finds nothing to run, so Dask never runs a body twice.
    listener.close()
    threading.Thread(target=watch, args=(future, connection), daemon=True).start()
    threading.Thread(target=pump, args=(0, connection), daemon=True).start()
    while piece := connection.recv(PIECE):
        write(piece)
    # Does not end the interpreter, which would wait for the client's threads.
    os._exit(0)


def accept(listener, token, future):
    """Returns the connection of a client that has the token."""
    end = time.monotonic() + START_LIMIT
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if future.status == "error":
                problem = future.exception()
                print(f"the task failed: {problem}", file=sys.stderr, flush=True)
                # The exit code of a shell if there is no such program.
                os._exit(127 if isinstance(problem, FileNotFoundError) else 1)
            if time.monotonic() < end:
                continue
            print(f"the task did not begin within {START_LIMIT} s: it is {future.status}", file=sys.stderr, flush=True)
            os._exit(1)
        connection.settimeout(5)
        try:
            given = b""
            while len(given) < len(token) and (piece := connection.recv(len(token) - len(given))):
                given += piece
        except OSError:
            given = b""
        if secrets.compare_digest(given, token.encode()):
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        connection.close()


def watch(future, connection):
    """Ends the connection when Dask reports that the task has ended, because its worker is lost."""
    try:
        future.result()
    except BaseException as problem:
        print(f"the Dask worker is gone: {problem}", file=sys.stderr)
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def pump(source, connection):
    """Passes on standard input, and notifies the worker of its end."""
    try:
        while piece := os.read(source, PIECE):
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def write(piece):
    while piece:
        piece = piece[os.write(1, piece):]


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "places":
        places(sys.argv[2])
    elif len(sys.argv) == 5 and sys.argv[1] == "carry":
        carry(*sys.argv[2:])
    else:
        fail("usage: dask_executor.py places SCHEDULER, or carry SCHEDULER WORKER COMMAND")
