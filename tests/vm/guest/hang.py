"""Reports the state of the machine when a test hangs; later it cannot be examined."""

import faulthandler
import os
import pathlib
import subprocess
import sys
import threading
import time

# The longest test takes 175 s on a loaded host; the limit applies to each subtest.
LIMIT_S = 400


def _run(*command):
    print(f"--- {' '.join(command)}", flush=True)
    try:
        subprocess.run(command, stdout=sys.stdout, stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        print("(it hangs, too)", flush=True)


def _kernel_stacks():
    """Prints the stacks of all threads in uninterruptible sleep and of all threads of benchd."""
    for status in sorted(pathlib.Path("/proc").glob("[0-9]*/task/[0-9]*/status")):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines()
                         if ":\t" in line)
            if lines["State"].startswith("D") or lines["Name"].startswith("benchd"):
                print(f"--- {status.parent}: {lines['Name']}, {lines['State']}\n"
                      f"{(status.parent / 'stack').read_text()}", flush=True)
        except OSError:
            continue  # it has exited


def tell(name):
    print(f"\nfailed: {name} hangs: not finished after {LIMIT_S} s", flush=True)
    faulthandler.dump_traceback(sys.stdout)
    _run("ps", "-ww", "-eLo", "pid,tid,ppid,psr,stat,wchan:24,etimes,args", "--sort=pid")
    _kernel_stacks()
    _run("journalctl", "--no-pager", "-n", "60", "-u", "benchd*")
    _run("dmesg", "--level=emerg,alert,crit,err,warn")
    # vm.py compares this time with real time.
    print(f"@@end {time.monotonic():.3f} hangs {name}", flush=True)
    os._exit(1)


def show_life():
    """Writes to the console, watched by vm.py, for as long as this machine runs at all."""
    def write():
        while True:
            pathlib.Path("/dev/console").write_text("@@alive\n")
            time.sleep(10)
    threading.Thread(target=write, daemon=True).start()


class HangWatch:
    """Ends this program with a report if a test, or a subtest, takes too long."""

    def start(self, name):
        self._timer = threading.Timer(LIMIT_S, tell, [name])
        self._timer.daemon = True
        self._timer.start()

    def stop(self):
        self._timer.cancel()
