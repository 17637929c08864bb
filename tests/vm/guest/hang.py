"""Says what the machine was doing when a test does not end: nobody can look later."""

import faulthandler
import os
import pathlib
import subprocess
import sys
import threading
import time

# The longest test takes 175 s where the host is loaded, and its parts have this time each.
LIMIT_S = 400


def _run(*command):
    print(f"--- {' '.join(command)}", flush=True)
    try:
        subprocess.run(command, stdout=sys.stdout, stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        print("(it hangs too)", flush=True)


def _kernel_stacks():
    """Of every thread that waits in the kernel for what no signal ends, and of all of benchd's."""
    for status in sorted(pathlib.Path("/proc").glob("[0-9]*/task/[0-9]*/status")):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines()
                         if ":\t" in line)
            if lines["State"].startswith("D") or lines["Name"].startswith("benchd"):
                print(f"--- {status.parent}: {lines['Name']}, {lines['State']}\n"
                      f"{(status.parent / 'stack').read_text()}", flush=True)
        except OSError:
            continue  # it has ended meanwhile


def tell(name):
    print(f"\nfailed: {name} hangs: it has not ended for {LIMIT_S} s", flush=True)
    faulthandler.dump_traceback(sys.stdout)
    _run("ps", "-ww", "-eLo", "pid,tid,ppid,psr,stat,wchan:24,etimes,args", "--sort=pid")
    _kernel_stacks()
    _run("journalctl", "--no-pager", "-n", "60", "-u", "benchd*")
    _run("dmesg", "--level=emerg,alert,crit,err,warn")
    # Also tells vm.py whether the limit was one of real time.
    print(f"@@end {time.monotonic():.3f} hangs {name}", flush=True)
    os._exit(1)


def show_life():
    """Writes to the console, for as long as this machine does anything at all; vm.py looks."""
    def write():
        while True:
            pathlib.Path("/dev/ttyS0").write_text("@@alive\n")
            time.sleep(10)
    threading.Thread(target=write, daemon=True).start()


class HangWatch:
    """Ends this program when a test, or a part of it, takes too long, with what can be seen."""

    def start(self, name):
        self._timer = threading.Timer(LIMIT_S, tell, [name])
        self._timer.daemon = True
        self._timer.start()

    def stop(self):
        self._timer.cancel()
