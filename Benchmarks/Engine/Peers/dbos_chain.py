"""A durable chain of no-op steps with DBOS Transact: dbos_chain.py FILE STEPS.

The state is stored in SQLite at FILE. Prints, as JSON, the wall-clock and processor seconds of the steps, without the
setup before them and the cleanup after them.
"""
import json
import os
import sys
import time

from dbos import DBOS

DBOS(config={"name": "chain", "system_database_url": f"sqlite:///{os.path.abspath(sys.argv[1])}", "log_level": "ERROR",
             "run_admin_server": False})


@DBOS.step()
def nothing(number):
    return None


@DBOS.workflow()
def chain(count):
    for number in range(count):
        nothing(number)


DBOS.launch()
chain(10)
wall, processor = time.perf_counter(), time.process_time()
chain(int(sys.argv[2]))
print(json.dumps({"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}))
DBOS.destroy()
