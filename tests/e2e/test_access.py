"""Two users of one benchd: neither can access the other's sessions, and attempts are logged.

tests/queue/access_test.cc has the rules, and tests/rpc/stranger_test.cc every call that they
refuse.
"""

import grp
import json
import os
import re
import shutil
import subprocess

from main import main
from support import (CANCELLED, PASS, TIMEOUT_S, REFUSED, USAGE, wait_for_no_process_with)
from test_system_mode import DAEMON, LINES, NOBODY, STRANGER_UID, SystemModeTest

# A group that exists on every Debian.
SOCKET_GROUP = "games"

AUDIT = re.compile(r"audit: uid=(\d+) pid=(\d+) action=(\S+) session=(\S+) result=(\S+)")

# A stranger's gRPC client: calls METHOD of SessionService on SESSION, prints the answer as JSON.
CALL = """
import json, sys
import grpc
from benchd.v1 import session_pb2 as pb, session_pb2_grpc
socket, method, session, request_id = sys.argv[1:]
stub = session_pb2_grpc.SessionServiceStub(grpc.insecure_channel("unix:" + socket))
arms = [pb.Arm(command="echo n 1000", cwd="/") for _ in range(2)]
gate = pb.Gate(metric="n", ratio=0.02, better=pb.BETTER_LOWER)
request = {
    "Submit": lambda: pb.SubmitRequest(request_id=request_id, spec=pb.SessionSpec(
        benchmarks=[pb.Benchmark(arms=arms, parse="lines", gates=[gate])],
        environment={"PATH": "/usr/bin:/bin"})),
    "Get": lambda: pb.GetSessionRequest(session=session, with_log=True),
    "Watch": lambda: pb.WatchRequest(session=session),
    "Cancel": lambda: pb.CancelRequest(session=session),
    "Move": lambda: pb.MoveRequest(session=session, priority=-1),
}[method]()
try:
    answer = getattr(stub, method)(request, timeout=30)
    if method == "Watch":
        answer = list(answer)
    print(json.dumps({"code": "OK", "session": getattr(answer, "session", ""),
                      "text": str(answer)}))
except grpc.RpcError as error:
    print(json.dumps({"code": error.code().name, "text": error.details()}))
"""


class TwoUsersTest(SystemModeTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.environ["BENCHD_TEST_PYTHON"], self.folder / "python")
        self.stranger = self.as_user(STRANGER_UID)

    def call(self, method, session="", request_id="", uid=STRANGER_UID, groups=()):
        """One call by a client other than benchctl."""
        done = subprocess.run(
            ["/usr/bin/python3", "-c", CALL, str(self.daemon.socket), method, session, request_id],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(self.folder / "python")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, user=uid,
            group=uid, extra_groups=groups, cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def audited(self):
        """The audit lines: (uid, pid, action, session, result)."""
        return [(int(uid), int(pid), action, session, result)
                for uid, pid, action, session, result in AUDIT.findall(self.daemon.log_text())]

    def submit_as_nobody(self, *options):
        done = self.benchctl_json(
            "submit", *LINES, *options, "echo n 1000", "echo n 1000", **self.as_nobody())
        self.assert_exit(done, PASS)
        return done.events[0]["session"]


class SecrecyTest(TwoUsersTest):
    def assert_every_command_refused(self, session, marker):
        """Tries every command on the session."""
        for words in (["show", session], ["show", session, "--log"], ["watch", session],
                      ["cancel", session], ["move", session, "--priority", "-1"],
                      ["export", session], ["export", session, "--with-warmup", "--json"]):
            with self.subTest(words=words):
                done = self.benchctl(*words, **self.stranger)
                self.assert_exit(done, REFUSED)
                self.assertNotIn(marker, done.stdout + done.stderr)

    def assert_listed_without_details(self, session, state):
        """Checks the fields of an entry that `list` shows to a stranger."""
        listed = self.benchctl_json("list", "--all", **self.stranger)
        self.assert_exit(listed, PASS)
        (entry,) = [entry for entry in listed.events if entry["session"] == session]
        self.assertEqual(set(entry), {"event", "session", "time", "uid", "state"})
        self.assertEqual((entry["uid"], entry["state"]), (NOBODY.pw_uid, state))
        plain = self.benchctl("list", "--all", **self.stranger)
        self.assertIn(session, plain.stdout)
        self.assertNotIn("echo", plain.stdout)

    def test_a_stranger_has_no_access_to_a_running_and_an_ended_session(self):
        gate, client, running = self.waiting_session()
        self.assert_listed_without_details(running, "running")
        self.assert_every_command_refused(running, gate.marker)
        # None of the attempts had an effect.
        self.assertEqual(self.session(running)["state"], "running")
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assert_listed_without_details(running, "done")
        refused = self.benchctl("show", running, **self.stranger)
        self.assert_exit(refused, REFUSED)
        self.assert_one_error(refused, running)
        # A prefix of the id does not even reveal that the session exists.
        self.assert_exit(self.benchctl("show", running[:5], **self.stranger), USAGE)
        self.assert_exit(self.benchctl("show", running, **self.as_nobody()), PASS)

    def test_only_the_daemon_can_read_its_state(self):
        self.submit_as_nobody("--env", "PASSWORD=correct-horse-battery-staple")
        files = [path for path in self.state.rglob("*") if path.is_file()]
        self.assertTrue(any(path.name == "benchd.db" for path in files))
        for path in files:
            with self.subTest(file=path.name):
                self.assertEqual(path.stat().st_mode & 0o077, 0)
                self.assertEqual(path.stat().st_uid, DAEMON.pw_uid)
                read = subprocess.run(
                    ["cat", path], capture_output=True, user=STRANGER_UID, group=NOBODY.pw_gid,
                    extra_groups=[], cwd="/", check=False)
                self.assertNotEqual(read.returncode, 0)


class AdminTest(TwoUsersTest):
    def test_pausing_is_for_admins(self):
        done = self.benchctl("pause", **self.stranger)
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "admins")

    def test_an_admin_sees_moves_and_cancels_sessions_of_others(self):
        self.assert_exit(self.benchctl("pause"), PASS)
        session = self.submit_as_nobody()
        admin = self.as_user(STRANGER_UID, groups=["adm"])
        self.assert_exit(self.benchctl("show", session, **admin), PASS)
        self.assert_exit(self.benchctl("move", session, "--priority", "3", **admin), PASS)
        self.assertEqual(self.session(session)["spec"]["priority"], 3)
        # Its owner may lower the priority but not raise it again.
        nobody = self.as_nobody()
        self.assert_exit(self.benchctl("move", session, "--priority", "1", **nobody), PASS)
        again = self.benchctl("move", session, "--priority", "2", **nobody)
        self.assert_exit(again, REFUSED)
        self.assert_one_error(again, "priority")
        self.assert_exit(self.benchctl("cancel", session, **admin), PASS)


class AuditTest(TwoUsersTest):
    def test_every_change_and_every_refusal_is_logged_with_uid_and_pid(self):
        gate, client, session = self.waiting_session()
        submit = (NOBODY.pw_uid, client.process.pid, "submit", session, "ok")
        self.assertIn(submit, self.audited())
        expected = []
        for words, who, uid, result in [
            (["cancel", session], self.stranger, STRANGER_UID, "denied"),
            (["move", session, "--priority", "-3"], self.stranger, STRANGER_UID, "denied"),
            (["pause"], self.stranger, STRANGER_UID, "denied"),
            (["drain"], self.as_nobody(), NOBODY.pw_uid, "denied"),
            (["pause"], {}, 0, "ok"),
            (["resume"], {}, 0, "ok"),
            (["cancel", session], {}, 0, "ok"),
        ]:
            self.benchctl(*words, **who)
            expected.append((uid, words[0], session if words[0] in ("cancel", "move") else "-",
                             result))
        found = [(uid, action, of, result) for uid, _, action, of, result in self.audited()]
        self.assertEqual(found[found.index((NOBODY.pw_uid, "submit", session, "ok")) + 1 :],
                         expected)
        self.assertEqual(client.finish(), CANCELLED, client.stderr)
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        # Reading changes nothing.
        before = self.audited()
        for words in (["list"], ["show", session], ["machine", "status"]):
            self.benchctl(*words, **self.stranger)
        self.assertEqual(self.audited(), before)

    def test_no_text_from_a_client_is_in_the_log(self):
        forged = "audit: uid=0 pid=1 action=submit session=forged00 result=ok"
        session = self.submit_as_nobody("--label", "x=forged", "-n", "forged", "-n", "other")
        self.assert_exit(
            self.benchctl("submit", *LINES, "--label", f"x=1\n{forged}", "true", "true",
                          **self.stranger), USAGE)
        for method in ("Cancel", "Move", "Get"):
            self.assertNotEqual(self.call(method, f"zz\n{forged}")["code"], "OK")
        self.assertNotIn("forged", self.daemon.log_text())
        lines = [line for line in self.daemon.log_text().splitlines() if "audit:" in line]
        self.assertEqual([bool(AUDIT.search(line)) for line in lines], [True] * len(lines))
        self.assertIn(session, self.daemon.log_text())


class SocketTest(TwoUsersTest):
    """A system daemon that creates its socket itself, without systemd."""

    def start_daemon(self):
        places = self.folder / "sockets"
        places.mkdir(exist_ok=True)
        os.chown(places, DAEMON.pw_uid, DAEMON.pw_gid)
        places.chmod(0o755)
        self.daemon.socket = places / "own.sock"
        gid = grp.getgrnam(SOCKET_GROUP).gr_gid
        self.daemon.start(
            [self.folder / "bin/benchd", "--config", self.config, "--state-dir", self.state,
             "--socket", self.daemon.socket],
            user=DAEMON.pw_uid, group=DAEMON.pw_gid, extra_groups=[gid])

    def write_config(self, access):
        super().write_config(f'{access}\n[socket]\ngroup = "{SOCKET_GROUP}"')

    def test_only_the_group_may_open_the_socket(self):
        status = self.daemon.socket.stat()
        self.assertEqual(status.st_mode & 0o777, 0o660)
        self.assertEqual((status.st_uid, status.st_gid),
                         (DAEMON.pw_uid, grp.getgrnam(SOCKET_GROUP).gr_gid))
        for words in (["list"], ["version"], ["submit", *LINES, "echo n 1", "echo n 1"]):
            with self.subTest(words=words):
                outside = self.benchctl(*words, **self.stranger)
                self.assert_exit(outside, REFUSED)
                self.assert_one_error(outside, str(self.daemon.socket), "Permission denied")
        self.assertEqual(self.call("Submit")["code"], "UNAVAILABLE")
        # benchctl would not trust a daemon of this test's user, so use another client.
        group = grp.getgrnam(SOCKET_GROUP).gr_gid
        inside = self.call("Submit", groups=[group])
        self.assertEqual(inside["code"], "OK", inside)
        watched = self.call("Watch", inside["session"], groups=[group])
        self.assertIn("VERDICT_PASS", watched["text"])


if __name__ == "__main__":
    main()
