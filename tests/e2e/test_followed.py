"""What `compare` and `measure` print of the session that they followed is what `watch` and `show`
print of it: the client must not forget a part of what it submitted."""

from main import main
from support import PASS, REGRESSION, DaemonTest

LINES = ("--parse", "lines", "-r", "8")
TWO_GATES = ("--metric", "t:2%:lower", "--metric", "u:2%:lower")


class FollowedTest(DaemonTest):
    def assert_same_page(self, *words, code, said=()):
        followed = self.benchctl(*words, "--verbose")
        self.assert_exit(followed, code)
        session = followed.stdout.rpartition("details: benchctl show ")[2].split()[0]
        watched = self.benchctl("watch", session, "--verbose")
        self.assert_exit(watched, code)
        self.assertEqual(followed.stdout, watched.stdout)
        shown = self.benchctl("show", session)
        self.assert_exit(shown, PASS)
        for text in said:
            self.assertIn(text, " ".join(followed.stdout.split()))
            self.assertIn(text, " ".join(shown.stdout.split()))

    def test_compare_prints_the_levels_that_were_asked_for(self):
        pair = (self.values("t:1000:1", "u:1000:1"), self.values("t:1200:1", "u:1000:1"))
        for words, said in (
                ((), "99 % confidence for all gates"),
                (("--confidence", "95%"), "95 % confidence for all gates"),
                (("--alpha", "0.2"), "80 % confidence for all gates"),
                (("--pass-confidence", "95%"), "99 % confidence (95 % for a pass) for all gates"),
                (("--confidence", "95%", "--pass-confidence", "99%"),
                 "95 % confidence (99 % for a pass) for all gates"),
                (("--error-rate", "fdr"), "at most 0.5 % of the regressions and 0.5 % of the"),
                (("--error-rate", "fdr", "--pass-confidence", "95%"),
                 "at most 0.5 % of the regressions and 5 % of the passes"),
                (("--error-rate", "fdr", "--sided", "one"),
                 "at most 1 % of the regressions and 1 % of the passes")):
            with self.subTest(words=words):
                self.assert_same_page("compare", *LINES, *TWO_GATES, *words, *pair,
                                      code=REGRESSION, said=[said])

    def test_a_single_gate_has_the_levels_that_were_asked_for(self):
        pair = (self.values("t:1000:1"), self.values("t:1000:1"))
        for words, said in ((("--confidence", "95%"), " 95 % confidence"),
                            (("--pass-confidence", "95%"), "99 % confidence (95 % for a pass)")):
            with self.subTest(words=words):
                self.assert_same_page("compare", *LINES, "--metric", "t:2%:lower", *words, *pair,
                                      code=PASS, said=[said])

    def test_other_options_do_not_change_the_page(self):
        pair = (self.values("t:1000:1"), self.values("t:1200:1"))
        for words in (("--placebo",), ("--schedule", "coin"), ("--method", "fixed"),
                      ("--estimator", "median", "-r", "100"), ("--rule", "margin"), ("--confirm",),
                      ("--label", "k=v"), ("--env", "candidate:MODE=fast"), ("--margin", "-5%")):
            with self.subTest(words=words):
                lines = LINES[:2] if "-r" in words else LINES
                self.assert_same_page("compare", *lines, "--metric", "t:lower", *words, *pair,
                                      code=REGRESSION)

    def test_measure_prints_the_levels_that_were_asked_for(self):
        for words, said in ((("--confidence", "95%"), " 95 % confidence"),
                            (("--alpha", "0.1"), " 90 % confidence"),
                            (("--metric", "u", "--confidence", "95%"),
                             "95 % confidence for all these intervals together")):
            with self.subTest(words=words):
                self.assert_same_page("measure", *LINES, "--metric", "t", *words,
                                      self.values("t:1000:1", "u:1000:1"), code=PASS, said=[said])


if __name__ == "__main__":
    main()
