"""A Slurm cluster on this machine: slurmctld, munged and several slurmd, each in namespaces of its own.

The process must run in the namespaces of `enter()` (mounts, host name, network, processes), so that
the whole cluster ends with it and its ports are private. A node has its own host name,
/etc/machine-id, benchd and folder `local`. The nodes share everything else below the cluster's
folder, as on NFS.
"""

import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import uuid

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "unshare")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
STARTED_S = 60
NOBODY = 65534  # the other user

_INSIDE = "BENCHD_TEST_CLUSTER"

_CONFIGURATION = """
ClusterName=test
SlurmctldHost=login(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CredType=cred/munge
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=5
SchedulerParameters=sched_interval=2,batch_sched_delay=0
RequeueExit=75
"""


def missing():
    """Returns why no cluster can run here; empty if one can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    if os.getuid() != 0:
        return "the namespaces of nodes need root"
    return ""


def enter():
    """Runs this program again in new namespaces and exits with its exit code; returns inside them."""
    if os.environ.get(_INSIDE):
        return
    done = subprocess.run(
        ["unshare", "-m", "-u", "-n", "-p", "-f", "--kill-child", "--mount-proc",
         sys.executable, *sys.argv], env=dict(os.environ, **{_INSIDE: "1"}))
    sys.exit(done.returncode)


def _raise_loopback():
    """Brings lo up with a second address, because AI_ADDRCONFIG ignores loopback addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up = struct.pack("16sh", b"lo", 1 | 64)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
        address = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("10.99.0.1"))
        fcntl.ioctl(any_socket, 0x8916, address)  # SIOCSIFADDR


class Cluster:
    def __init__(self, folder, nodes, benchd):
        self.benchd = benchd  # runs on each node, for both users, outside Slurm jobs
        self.folder = pathlib.Path(folder)
        self.names = [f"n{i}" for i in range(1, nodes + 1)]
        self.nodes = {}
        self.services = []
        self.folder.chmod(0o755)
        for name in ("state", "local", "ids"):
            (self.folder / name).mkdir()
        lines = [_CONFIGURATION.format(folder=self.folder)]
        for index, name in enumerate(self.names):
            lines.append(f"NodeName={name} NodeAddr=127.0.0.1 Port={7001 + index} CPUs=1\n")
            (self.folder / "ids" / name).write_text(uuid.uuid4().hex + "\n")
            (self.folder / f"spool-{name}").mkdir()
        lines.append(f"PartitionName=bench Nodes={','.join(self.names)} Default=YES State=UP "
                     "OverSubscribe=EXCLUSIVE MaxTime=10\n")
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text("".join(lines))
        self.environment = {"PATH": PATH, "SLURM_CONF": str(self.configuration)}

    def start(self):
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        socket.sethostname("login")
        _raise_loopback()
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n10.99.0.1 login " + " ".join(self.names) + "\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self._serve("munged", "--foreground", "--force", f"--key-file={key}",
                    *(f"--{name}-file={self.folder}/munge.{name}" for name in ("log", "pid", "seed")),
                    f"--socket={self.folder}/munge.sock")
        self._await("munge", lambda: (self.folder / "munge.sock").exists())
        self._serve("slurmctld", "-D", "-f", self.configuration)
        for name in self.names:
            self.start_node(name)
        self.await_idle(self.names)

    def _serve(self, *words):
        with open(self.folder / f"{words[0]}.out", "ab") as log:
            process = subprocess.Popen([str(word) for word in words], env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.services.append(process)

    def _await(self, what, done):
        deadline = time.monotonic() + STARTED_S
        while not done():
            if time.monotonic() > deadline:
                logs = "\n".join(f"{path.name}: {path.read_text(errors='replace')[-2000:]}"
                                 for path in sorted(self.folder.glob("*.[lo][ou][gt]")))
                raise AssertionError(f"{what} did not start in time\n{logs}")
            time.sleep(0.1)  # Slurm offers no notification

    def start_node(self, name):
        begin = (f"hostname {name}; mount --bind {self.folder}/ids/{name} /etc/machine-id; "
                 f"mount -t tmpfs -o mode=1777 local {self.folder}/local; "
                 f"cd {self.folder}/local; for uid in 0 {NOBODY}; do "
                 f"mkdir -m 700 run-$uid state-$uid; chown $uid run-$uid state-$uid; "
                 f"env -i PATH=$PATH HOME=/ XDG_RUNTIME_DIR=$PWD/run-$uid XDG_STATE_HOME=$PWD/state-$uid "
                 f"setpriv --reuid $uid --regid $uid --clear-groups {self.benchd} --user --force & done; "
                 f"exec slurmd -D -f {self.configuration}")
        with open(self.folder / f"{name}.out", "ab") as log:
            self.nodes[name] = subprocess.Popen(
                ["unshare", "-m", "-u", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c", begin],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill_node(self, name):
        """As in a power failure: ends slurmd, the job and all its processes at once."""
        node = self.nodes.pop(name)
        node.kill()  # --kill-child
        node.wait()

    def ask(self, *words):
        return subprocess.run([str(word) for word in words], env=self.environment, check=True,
                              capture_output=True, text=True).stdout

    def states(self):
        """The state of each node as printed by sinfo."""
        lines = self.ask("sinfo", "--noheader", "--Node", "--format=%N %t").splitlines()
        return dict(line.split() for line in lines)

    def await_idle(self, names):
        def idle():
            try:
                states = self.states()
            except subprocess.CalledProcessError:
                return False
            return all(states.get(name) == "idle" for name in names)
        self._await(f"nodes {names}", idle)

    def jobs(self):
        return json.loads(self.ask("squeue", "--json", "--states=all"))["jobs"]

    def stop(self):
        for process in [*self.nodes.values(), *self.services]:
            process.send_signal(signal.SIGKILL)
            process.wait()
