"""The queue as its users see it: the order, permission to change it, and restarts."""


from main import main
from support import CANCELLED, PASS, REFUSED, USAGE, DaemonTest
from test_system_mode import LINES, NOBODY, STRANGER_UID, SystemModeTest


class QueueTest(SystemModeTest):
    """Root pauses and observes; nobody and a stranger submit."""

    def setUp(self):
        super().setUp()
        self.nobody = self.as_nobody()
        self.stranger = self.as_user(STRANGER_UID)

    def submit(self, who, *options, program="echo n 1000"):
        done = self.benchctl_json("submit", *LINES, *options, program, program, **who)
        self.assert_exit(done, PASS)
        return done.events[0]["session"]

    def pause(self):
        self.assert_exit(self.benchctl("pause"), PASS)

    def resume(self):
        self.assert_exit(self.benchctl("resume"), PASS)

    def order(self):
        """The waiting sessions in order of their places."""
        listed = self.benchctl_json("list", "--state", "queued")
        self.assert_exit(listed, PASS)
        places = {entry["queued"]["position"]: entry["session"] for entry in listed.events}
        self.assertEqual(sorted(places), list(range(1, len(listed.events) + 1)))
        return [places[place] for place in sorted(places)]

    def ran_in_order(self):
        """All sessions in order of their start; each has a verdict."""
        for entry in self.benchctl_json("list", "--all").events:
            self.assert_exit(self.benchctl("watch", entry["session"]), PASS)
        ended = self.benchctl_json("list", "--all").events
        return [entry["session"] for entry in sorted(ended, key=lambda e: e["started_at"])]


class TurnsTest(QueueTest):
    def test_users_of_the_same_priority_take_turns(self):
        self.pause()
        one = [self.submit(self.nobody) for _ in range(4)]
        two = [self.submit(self.stranger) for _ in range(2)]
        expected = [one[0], two[0], one[1], two[1], one[2], one[3]]
        self.assertEqual(self.order(), expected)
        self.resume()
        self.assertEqual(self.ran_in_order(), expected)

    def test_who_has_just_had_a_turn_is_not_next(self):
        self.pause()
        first = self.submit(self.nobody)
        self.resume()
        self.assert_exit(self.benchctl("watch", first), PASS)
        self.pause()
        mine = [self.submit(self.nobody) for _ in range(2)]
        theirs = self.submit(self.stranger)
        self.assertEqual(self.order(), [theirs, *mine])

    def test_priority_comes_before_turns(self):
        self.pause()
        low = self.submit(self.nobody, "--priority", "-1")
        usual = [self.submit(self.nobody) for _ in range(2)]
        theirs = self.submit(self.stranger)
        self.assertEqual(self.order(), [usual[0], theirs, usual[1], low])
        self.assert_exit(self.benchctl("move", low, "--priority", "4"), PASS)
        self.assertEqual(self.order()[0], low)

    def test_a_cancelled_session_leaves_its_place_to_the_next(self):
        self.pause()
        one, two, three = (self.submit(self.nobody) for _ in range(3))
        self.assert_exit(self.benchctl("cancel", two, **self.nobody), PASS)
        self.assertEqual(self.order(), [one, three])
        self.assert_exit(self.benchctl("watch", two), CANCELLED)


class MoveTest(QueueTest):
    def test_move_tells_the_new_place_to_who_moves_and_to_who_watches(self):
        self.pause()
        mine = [self.submit(self.nobody) for _ in range(3)]
        watcher = self.start_client("watch", mine[0])
        self.assertEqual(watcher.until("queued")["position"], 1)
        moved = self.benchctl_json("move", mine[0], "--priority", "-2", **self.nobody)
        self.assert_exit(moved, PASS)
        self.assertEqual(moved.events[-1]["position"], 3)
        self.assertEqual(watcher.until("queued")["position"], 3)
        self.assertEqual(self.order(), [mine[1], mine[2], mine[0]])

    def test_a_move_survives_a_kill(self):
        self.pause()
        mine = [self.submit(self.nobody) for _ in range(3)]
        self.assert_exit(self.benchctl("move", mine[2], "--priority", "1"), PASS)
        self.daemon.kill()
        self.start_daemon()
        self.assertEqual(self.order(), [mine[2], mine[0], mine[1]])
        self.assertEqual(self.session(mine[2])["spec"]["priority"], 1)

    def test_what_no_longer_waits_cannot_be_moved(self):
        gate, client, running = self.waiting_session()
        done = self.benchctl("move", running, "--priority", "-1", **self.nobody)
        self.assertIn(done.code, (USAGE, REFUSED), done)
        self.assert_one_error(done, "move" if "move" in done.stderr else "session")
        gate.open()
        self.assertEqual(client.finish(), PASS)
        ended = self.benchctl("move", running, "--priority", "-1", **self.nobody)
        self.assertIn(ended.code, (USAGE, REFUSED), ended)
        unknown = self.benchctl("move", "zzzzzzzz", "--priority", "1", **self.nobody)
        self.assert_exit(unknown, USAGE)
        self.assert_one_error(unknown, "zzzzzzzz")

    def test_a_move_needs_a_whole_number(self):
        for words in (["move"], ["move", "zzzzzzzz"], ["move", "zzzzzzzz", "--priority", "high"],
                      ["move", "zzzzzzzz", "--priority", "99999999999"]):
            with self.subTest(words=words):
                done = self.benchctl(*words, **self.nobody)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done)


class ModeTest(QueueTest):
    def test_a_pause_lasts_over_a_restart(self):
        self.pause()
        waiting = self.submit(self.nobody)
        self.restart_daemon()
        also = self.submit(self.stranger)
        self.assertEqual(self.order(), [waiting, also])
        self.resume()
        self.assertEqual(self.ran_in_order(), [waiting, also])

    def test_a_drain_lasts_over_a_kill_and_until_resume(self):
        waiting = self.submit_while_paused()
        self.assert_exit(self.benchctl("drain"), PASS)
        for restart in (lambda: None, self.kill_and_start, self.restart_daemon):
            restart()
            refused = self.benchctl(
                "submit", *LINES, "echo n 1000", "echo n 1000", **self.nobody)
            self.assert_exit(refused, REFUSED)
            self.assert_one_error(refused, "drain")
            self.assertEqual(self.order(), [waiting])
        self.resume()
        self.assertEqual(self.ran_in_order(), [waiting])
        self.submit(self.nobody)

    def kill_and_start(self):
        self.daemon.kill()
        self.start_daemon()

    def submit_while_paused(self):
        self.pause()
        return self.submit(self.nobody)

    def test_the_running_session_ends_while_the_queue_is_paused(self):
        gate, client, running = self.waiting_session()
        self.pause()
        waiting = self.submit(self.stranger)
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assertEqual(self.session(running)["state"], "done")
        self.assertEqual(self.order(), [waiting])


class ExpectedStartTest(QueueTest):
    def test_who_waits_is_told_a_place_and_an_expected_start(self):
        # The first session that ends provides an estimate for the others.
        self.assert_exit(self.benchctl("watch", self.submit(self.nobody)), PASS)
        gate, _, running = self.waiting_session()
        sessions = [self.submit(self.nobody) for _ in range(3)]
        entries = [self.session(session)["queued"] for session in sessions]
        self.assertEqual([entry["position"] for entry in entries], [1, 2, 3])
        expected = [entry["eta_s"] for entry in entries]
        self.assertEqual(expected, sorted(expected))
        # The running session may take ten minutes; those before take as long as the first one did.
        self.assertLessEqual(expected[0], 600)
        self.assertLess(expected[2] - expected[0], 60)
        watcher = self.start_client("watch", sessions[2])
        self.assertAlmostEqual(watcher.until("queued")["eta_s"], expected[2], delta=60)
        # A session that has stopped running no longer adds to the estimate.
        self.pause()
        self.assert_exit(self.benchctl("cancel", running), PASS)
        self.assertNotIn("eta_s", self.session(sessions[0])["queued"])
        gate.open()


class LimitTest(QueueTest):
    def write_config(self, access):
        super().write_config(f"{access}\n[limits]\nqueued_a_user = 3")

    def test_a_user_may_have_so_many_waiting_and_no_more(self):
        self.pause()
        mine = [self.submit(self.nobody) for _ in range(3)]
        refused = self.benchctl("submit", *LINES, "echo n 1", "echo n 1", **self.nobody)
        self.assert_exit(refused, REFUSED)
        self.assert_one_error(refused, "3")
        # Other users are not affected, and the limit applies only while sessions wait.
        theirs = self.submit(self.stranger)
        self.assert_exit(self.benchctl("cancel", mine[0], **self.nobody), PASS)
        again = self.submit(self.nobody)
        self.assertEqual(set(self.order()), {theirs, again, *mine[1:]})
        admin = self.as_user(NOBODY.pw_uid, groups=["adm"])
        for _ in range(2):
            self.submit(admin)


class UserModeTest(DaemonTest):
    def test_one_users_own_daemon_takes_orders_from_its_user(self):
        self.assert_exit(self.benchctl("pause"), PASS)
        waiting = [self.benchctl_json("submit", "--priority", str(priority), "true", "true")
                   .events[0]["session"] for priority in (0, 7)]
        self.assert_exit(self.benchctl("move", waiting[0], "--priority", "8"), PASS)
        shown = [self.session(session)["queued"]["position"] for session in waiting]
        self.assertEqual(shown, [1, 2])
        self.assert_exit(self.benchctl("drain"), PASS)
        self.assert_exit(self.benchctl("submit", "true", "true"), REFUSED)
        self.assert_exit(self.benchctl("resume"), PASS)


if __name__ == "__main__":
    main()
