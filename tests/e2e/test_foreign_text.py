"""No command prints one user's text as control characters on another user's terminal."""

import subprocess

from main import main
from support import FAILED, PASS, DaemonTest

# A title, a colour, CSI and NEL of C1, DEL, and a character that reverses the direction of text.
FOREIGN = "FOREIGN\x1b]0;x\x07\x1b[31m\x9b5m\x85\x7f\u202e\u2066\u061c\u2028"
UNWANTED = [character for character in FOREIGN if not character.isprintable()]
FORMATS = ("csv", "json", "markdown", "junit", "github", "bmf")


class ForeignTextTest(DaemonTest):
    def submit(self, *words, code):
        done = self.benchctl_json(
            "compare", "--runs", "2", "--method", "fixed", "--at-limit", "estimate", "--margin",
            "10000%", *words)
        self.assert_exit(done, code)
        return done.events[0]["session"]

    def printed(self, *words):
        """The output of a command on both streams; the command may report that it has none."""
        done = self.benchctl(*words)
        for unwanted in UNWANTED:
            self.assertNotIn(unwanted, done.stdout + done.stderr, (words, hex(ord(unwanted))))
        return done.stdout + done.stderr

    def test_every_command_that_tells_of_a_session(self):
        folder = self.folder / FOREIGN.replace("/", "")
        folder.mkdir()
        command = f"true '{FOREIGN}'"
        sessions = [
            self.submit("--setup", command, "--cwd", folder, "--env", f"A{FOREIGN}=1", command, "true",
                        code=PASS),
            self.submit("--shell", f"printf %s '{FOREIGN}' >&2; exit 3", "true", code=FAILED),
        ]
        texts = []
        for session in sessions:
            for words in (("show",), ("show", "--json"), ("show", "--log"), ("watch",),
                          ("watch", "--json"), ("report",), *(("export", "--format", f) for f in FORMATS)):
                texts.append(self.printed(words[0], session, *words[1:]))
        for words in (("list",), ("list", "--all"), ("list", "--all", "--json"), ("history",),
                      ("history", "--json"), ("history", "main"), ("machine", "status"),
                      ("machine", "status", "--json"), ("show", FOREIGN), ("watch", FOREIGN),
                      ("cancel", FOREIGN), ("export", FOREIGN), (FOREIGN,), ("compare", f"--{FOREIGN}"),
                      ("compare", FOREIGN + "'", "true"), ("analyze", folder / "x"),
                      ("compare", "-f", folder / "x"), ("history", FOREIGN)):
            texts.append(self.printed(*words))
        self.assertGreater(sum("FOREIGN" in text for text in texts), 15, "the text is there")

    def test_names_that_tables_have_are_refused_with_any_of_them(self):
        for unwanted in UNWANTED:
            for option in ("-n", "--label"):
                value = f"a{unwanted}b" if option == "-n" else f"k=a{unwanted}b"
                done = self.benchctl("submit", option, value, "true", "true")
                self.assertEqual(done.code, 2, (option, hex(ord(unwanted)), done))

    def test_what_show_prints_to_paste_asks_for_the_same(self):
        command = f"true '{FOREIGN}\n\t\\'"
        session = self.submit(command, "true", code=PASS)
        again = [line for line in self.printed("show", session).splitlines()
                 if line.startswith("again: ")]
        self.assertEqual(len(again), 1)
        words = again[0].removeprefix("again: ")
        echo = subprocess.run(
            ["bash", "-c", f"benchctl() {{ printf '%s\\0' \"$@\"; }}; {words}"],
            capture_output=True, check=True, cwd=self.folder)
        self.assertIn(command, echo.stdout.decode().split("\0"), words)
        self.assertTrue(words.startswith("benchctl compare "), words)


if __name__ == "__main__":
    main()
