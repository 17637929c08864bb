"""Reports: a page for a session, for exports and for a table, and charts."""

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from main import main
from support import PASS, REGRESSION, USAGE, DaemonTest

LINES = ("--parse", "lines", "--seed", "7", "--runs", "12", "--warmup", "1")
HOSTILE = "<script>alert(1)</script>"
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """The elements of a page; fails at a closing tag without its opening tag."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        if self.open:
            raise AssertionError(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> has no opening tag")

    def handle_data(self, data):
        self.text += data

    def with_class(self, name):
        return [tag for tag, attrs in self.tags if name in attrs.get("class", "").split()]


class ReportTest(DaemonTest):
    def compare(self):
        done = self.benchctl_json("compare", *LINES, "--metric", "t:2%:lower", "-n", "base",
                                  "-n", HOSTILE, self.values("t:100:1"), self.values("t:110:1"))
        self.assert_exit(done, REGRESSION)
        return done.events[-1]

    def page(self, *words, name="report.html"):
        done = self.benchctl_json("report", *words, "-o", name)
        self.assert_exit(done, PASS)
        text = (self.folder / name).read_text()
        self.assertEqual(done.events[0]["bytes"], len(text.encode()))
        return text

    def test_a_session_and_its_exports_give_the_same_page(self):
        session = self.compare()["session"]
        text = self.page(session)
        page = Page(text)
        self.assertEqual(len(page.with_class("run")), 2 * 13, "one mark per run, with the warm-up")
        self.assertEqual(len(page.with_class("open")), 3, "the warm-ups, and their legend")
        self.assertNotIn("script", [tag for tag, _ in page.tags])
        self.assertIn(HOSTILE, page.text)
        self.assertIn(f"benchctl export {session} --format csv | benchctl analyze", page.text)
        self.assertEqual(text, self.page(name="newest.html"), "without an argument: the newest")

        exported = self.benchctl("export", session, "--format", "json", "--with-warmup")
        (self.folder / "export.json").write_text(exported.stdout)
        # The export lacks the list of CPUs, and analyze needs other options for the harness.
        kept = re.sub(r"<dt>benchmark cpus.*\n|<p>To compute the same numbers.*\n|<pre>.* analyze .*\n", "",
                      text)
        self.assertEqual(kept, self.page("export.json", name="export.html"))

    def test_a_table_needs_no_daemon(self):
        session = self.compare()["session"]
        csv = self.benchctl("export", session, "--format", "csv", "--with-warmup").stdout
        (self.folder / "runs.csv").write_text(csv)
        words = ("report", "runs.csv", "--metric", "t:2%:lower", "--method", "fixed", "-o", "-")
        done = self.benchctl(*words, environment=dict(
            self.client_environment(), BENCHD_SOCKET=str(self.folder / "nobody")))
        self.assert_exit(done, PASS)
        self.assertEqual(len(Page(done.stdout).with_class("run")), 2 * 13)
        self.assertIn("Regression", done.stdout)

    def test_several_are_sections_of_one_page(self):
        first, second = self.compare()["session"], self.compare()["session"]
        page = Page(self.page(first, second))
        self.assertEqual([attrs["id"] for tag, attrs in page.tags if tag == "article"],
                         ["r0", "r1"])
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        self.assertEqual(len(ids), len(set(ids)), "every id is unique")

    def test_one_picture_is_well_formed_xml(self):
        session = self.compare()["session"]
        done = self.benchctl("report", session, "--svg", "t")
        self.assert_exit(done, PASS)
        root = ElementTree.fromstring(done.stdout)
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn(HOSTILE, "".join(root.itertext()))

        done = self.benchctl("report", session, "--svg", "wall", "-o", "x.svg")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--svg: wall", "wall_time")
        self.assertFalse((self.folder / "x.svg").exists())

    def test_what_is_wrong_is_told(self):
        (self.folder / "a.json").write_text('{"spec": {}}')
        (self.folder / "a.csv").write_text("arm,t\na,1\n")
        for words, told in {
            ("none.csv", "-o", "x.html"): ("none.csv", "No such file"),
            ("a.json", "-o", "x.html"): ("a.json: not a JSON export of a session",),
            ("a.csv", "-o", "x.html"): ("a.csv",),
            ("zz", "-o", "x.html"): ("zz",),
            ("-o", "x.html"): ("you have none yet",),
            ("a.csv", "-o", "nowhere/x.html"): ("nowhere/x.html", "No such file"),
            ("zz", "--margin", "2%", "-o", "x.html"): ("--margin", "applies only to tables"),
        }.items():
            done = self.benchctl("report", *words)
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, *told)
            self.assertFalse((self.folder / "x.html").exists(), "no partial file is left")
        done = self.benchctl_json("report", "a.csv")
        self.assert_exit(done, USAGE)


if __name__ == "__main__":
    main()
