"""A login on another machine, with a script in place of ssh; for use with DaemonTest.

`self.daemon` is on that machine: only the commands that ssh starts know its socket.
"""

import shlex

import support
from processes import children_of

# The login on that machine: prints what its shell prints first, then runs the command of ssh.
SSH = """#!/bin/bash
printf '%s\\n' "$*" >>{folder}/ssh.words
if [[ $* = *BatchMode* && -e {folder}/refuse ]]; then exit 255; fi
while [ "$1" != -- ]; do shift; done
host=$2
socket={socket}
shift 2
case $host in
  denied) echo "ci@denied: Permission denied (publickey)." >&2; exit 255 ;;
  empty) echo "bash: line 1: benchctl: command not found" >&2; exit 127 ;;
  other) echo "This account is for backups."; exit 0 ;;
  dead) socket=/nonexistent/benchd.sock ;;
esac
echo "Welcome to $host!"; printf 'no newline'
cd {home}
login=(env -i HOME={home} PATH={bin}:/usr/bin:/bin REMOTE=yes BENCHD_SOCKET="$socket")
if [[ $host = cut && ! -e {folder}/was-cut ]]; then
  touch {folder}/was-cut
  stdbuf -o0 head -c 400000 | "${{login[@]}}" "$@"
  exit 255
fi
exec "${{login[@]}}" "$@"
"""


class RemoteLogin:
    """Hosts: every name leads to the same login; "cut" loses its first connection after 400 kB."""

    def setUp(self):
        super().setUp()
        self.home = self.folder / "home-over-there"
        self.home.mkdir()
        self.ssh = self.folder / "ssh"
        self.ssh.write_text(SSH.format(
            folder=shlex.quote(str(self.folder)), home=shlex.quote(str(self.home)),
            bin=shlex.quote(str(support.BIN)), socket=shlex.quote(str(self.daemon.socket))))
        self.ssh.chmod(0o755)

    def client_environment(self, **more):
        environment = super().client_environment(
            BENCHD_SSH=str(self.ssh), BENCHD_HOST="ssh://ci@far", **more)
        del environment["BENCHD_SOCKET"]
        return environment

    def ssh_of(self, client):
        found = children_of(client.process.pid)
        self.assertEqual(len(found), 1)
        return found[0]
