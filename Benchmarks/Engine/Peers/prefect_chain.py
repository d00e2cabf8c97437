"""A chain of no-op tasks with Prefect, which stores each result: prefect_chain.py FOLDER STEPS.

Starts a separate server, which stores the state in SQLite in FOLDER. Prints, as JSON, the wall-clock and processor seconds
of the tasks, without the setup before them, the cleanup after them and the server's processor time.
"""
import json
import os
import sys
import time

os.environ.update(PREFECT_HOME=os.path.abspath(sys.argv[1]), PREFECT_LOGGING_LEVEL="ERROR", DO_NOT_TRACK="1",
                  PREFECT_SERVER_ANALYTICS_ENABLED="false", PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="120")

from prefect import flow, task


@task(persist_result=True)
def nothing(number):
    return number


@flow
def chain(count):
    for number in range(count):
        nothing(number)


chain(10)
wall, processor = time.perf_counter(), time.process_time()
chain(int(sys.argv[2]))
print(json.dumps({"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}))
