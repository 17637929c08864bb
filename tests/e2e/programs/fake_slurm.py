#!/usr/bin/python3
"""sbatch, squeue and scancel, by the name of this file, for a cluster that is this machine.

sbatch runs the tasks itself, one after the other, each on the next node of the file `nodes`. A job
has ended before sbatch reports its id. If the file `waits` exists, it runs nothing and the job
stays queued. Each export is changed to name another machine. All files are in $FAKE_SLURM.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(os.environ["FAKE_SLURM"])
JOBS = FOLDER / "jobs.json"


def tasks_of(array):
    first, _, last = array.partition("-")
    return range(int(first), int(last) + 1) if last else map(int, array.split(","))


def as_another_machine(export, node):
    if export.exists():
        session = json.loads(export.read_text())
        environment = session["result"]["started"]["environment"]
        environment["machine"] = hashlib.md5(node.encode()).hexdigest()
        export.write_text(json.dumps(session))


def run(script, task):
    """Slurm's state of the ended task."""
    nodes = (FOLDER / "nodes").read_text().split()
    (FOLDER / "nodes").write_text(" ".join(nodes[1:]))
    with open(script.parent / f"task-{task}.log", "ab") as log:
        code = subprocess.run(["sh", script], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              env=dict(os.environ, SLURM_ARRAY_TASK_ID=str(task),
                                       SLURMD_NODENAME=nodes[0])).returncode
    as_another_machine(script.parent / f"task-{task}.json", nodes[0])
    return "COMPLETED" if code == 0 else "FAILED"


def sbatch(*words):
    script = pathlib.Path(words[-1])
    asked = "\n".join([*words, script.read_text()])  # options on the command line take precedence
    jobs = json.loads(JOBS.read_text()) if JOBS.exists() else []
    number = 100 + len(jobs)
    for task in tasks_of(re.search(r"--array=(\S+)", asked).group(1)):
        state = "PENDING" if (FOLDER / "waits").exists() else run(script, task)
        jobs.append({"array_job_id": number, "job_state": state, "state_reason": "Resources",
                     "array_task_id": {"set": True, "number": task}})
    JOBS.write_text(json.dumps(jobs))
    with open(FOLDER / "asked", "a", encoding="utf-8") as log:
        log.write(" ".join(words[:-1]) + "\n")
    print(number)


def squeue(*_):
    print(json.dumps({"jobs": json.loads(JOBS.read_text())}))


def scancel(*jobs):
    (FOLDER / "cancelled").write_text(" ".join(jobs))


{"sbatch": sbatch, "squeue": squeue, "scancel": scancel}[pathlib.Path(sys.argv[0]).name](
    *sys.argv[1:])
