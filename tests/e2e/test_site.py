"""`benchctl history --site`: static pages from the daemon and from a folder of exports."""

import html.parser
import json
import re

from main import main
from support import PASS, REGRESSION, USAGE, DaemonTest

HOSTILE = ("../../escape", "..", "a/b", "a b", "Parse", "parse", "PARSE",
           "<script>alert(1)</script>", "\"quoted'", "x" * 200, "解析")


class Page(html.parser.HTMLParser):
    """The links, the IDs and the elements of a page; fails on elements that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.ids, self.elements = [], [], [], set()
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.add(tag)
        if tag == "a":
            self.links.append(attributes["href"])
        if "id" in attributes:
            self.ids.append(attributes["id"])
        # Marks with a title are closed, marks without one are `<path/>`.
        if tag not in {"meta", "link"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in {"meta", "link"}:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()


class SiteTest(DaemonTest):
    def measure(self, candidate, *words, code=PASS, name="parse"):
        done = self.benchctl_json("compare", "--benchmark", name, "--parse", "lines", "--metric",
                                  "t:2%:lower", "--warmup", "0", "--runs", "8", *words,
                                  "echo t 100.01", f"echo t {candidate}")
        self.assert_exit(done, code)
        return done.events[-1]["session"]

    def export(self, session, folder):
        done = self.benchctl("export", session, "--format", "json")
        self.assert_exit(done, PASS)
        folder.mkdir(exist_ok=True)
        (folder / f"{session}.json").write_text(done.stdout)

    def site(self, *words, folder="site"):
        done = self.benchctl_json("history", "--site", self.folder / folder, *words)
        self.assert_exit(done, PASS)
        return done.events[0]

    def files(self, folder="site"):
        root = self.folder / folder
        return {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}

    def texts(self, folder="site"):
        return {name: path.read_text() for name, path in self.files(folder).items()}

    def check_pages(self, folder="site"):
        """Every page is well-formed, its IDs are unique, and its links within the site lead on."""
        pages = {name: Page(text) for name, text in self.texts(folder).items()
                 if name.endswith(".html")}
        for name, page in pages.items():
            self.assertEqual(len(page.ids), len(set(page.ids)), name)
            self.assertFalse(page.elements & {"script", "img", "iframe", "object"}, name)
            for link in page.links:
                if link.startswith("https://"):
                    continue
                file, _, anchor = link.partition("#")
                target = (self.folder / folder / name).parent / file if file else None
                if target is not None:
                    self.assertTrue(target.is_file(), (name, link))
                    file = str(target.resolve().relative_to((self.folder / folder).resolve()))
                if anchor:
                    self.assertIn(anchor, pages[file or name].ids, (name, link))
        return pages

    def test_from_the_daemon_and_from_exports_it_is_the_same(self):
        exports = self.folder / "exports"
        commit = "0123456789abcdef0123456789abcdef01234567"
        sessions = [self.measure("100.11"), self.measure("110.12", code=REGRESSION)]
        # A command without a name, in a shell, and a program that is measured alone.
        for words in (("compare", "--shell=bash", "echo t 100.01", "echo t 100.02"),
                      ("measure", "--benchmark", "alone", "echo t 5.5")):
            done = self.benchctl_json(words[0], "--parse", "lines", "--metric", "t:lower",
                                      "--warmup", "0", "--runs", "8", *words[1:])
            self.assert_exit(done, PASS)
            sessions.append(done.events[-1]["session"])
        for session in sessions:
            self.export(session, exports)
        event = self.site("--commit-url", "https://host.example/{commit}")
        self.assertEqual((event["benchmarks"], event["series"], event["files"], event["written"]),
                         (3, 3, 8, 8))
        files = self.texts()
        stems = {name[len("benchmark/"):-len(".html")] for name in files if "/" in name
                 and name.endswith(".html")}
        self.assertTrue({"parse", "alone"} < stems)
        [main_stem] = stems - {"parse", "alone"}
        self.assertRegex(main_stem, "^main-[0-9a-f]{16}$")
        self.assertEqual(set(files), {"index.html", "feed.json", ".benchctl-site"} |
                         {f"benchmark/{stem}.html" for stem in stems} |
                         {f"badge/{stem}.svg" for stem in stems})
        self.assertIn("measured", files["badge/alone.svg"])
        self.assertEqual(event["bytes"], sum(len(text.encode()) for name, text in files.items()
                                             if name != ".benchctl-site"))
        self.check_pages()
        page = files["benchmark/parse.html"]
        for session in sessions[:2]:
            self.assertIn(session, page)
        self.assertIn(">regression</text>", files["badge/parse.svg"])
        feed = json.loads(files["feed.json"])
        self.assertEqual(feed["version"], "https://jsonfeed.org/version/1.1")
        self.assertEqual([item["tags"] for item in feed["items"]], [["regression"]])
        self.assertIn(sessions[1], feed["items"][0]["content_text"])
        self.assertNotIn(commit, page)

        # An export needs no daemon.
        self.daemon.stop()
        (exports / "report.json").write_text("{}")
        done = self.benchctl("history", "--exports", exports, "--site", self.folder / "other",
                             "--commit-url", "https://host.example/{commit}")
        self.assert_exit(done, PASS)
        self.assertEqual(done.stderr.splitlines(),
                         ["warning: report.json: not a JSON export of a session; left out",
                          f"benchctl: wrote 8 of 8 files to {self.folder / 'other'}"])
        self.assertEqual(self.texts("other"), files)
        listed = self.benchctl("history", "--exports", exports)
        self.assert_exit(listed, PASS)
        self.assertRegex(listed.stdout, r"\nparse, candidate +t +2 ")
        self.daemon.start()

    def test_only_what_changed_is_written(self):
        self.measure("100.11")
        self.measure("100.11", name="other")
        self.site()
        before = {name: path.stat().st_ino for name, path in self.files().items()}
        event = self.site()
        self.assertEqual((event["files"], event["written"], event["removed"]), (6, 0, 0))
        self.assertEqual({name: path.stat().st_ino for name, path in self.files().items()}, before)
        self.measure("100.42")
        event = self.site()
        self.assertEqual(event["written"], 2, "the index and one page; the verdict is the same")
        after = {name: path.stat().st_ino for name, path in self.files().items()}
        self.assertEqual({name for name in after if after[name] != before[name]},
                         {"index.html", "benchmark/parse.html"})
        # Only one benchmark is wanted: the pages of the other are gone.
        done = self.benchctl("history", "parse", "--site", self.folder / "site")
        self.assert_exit(done, PASS)
        self.assertEqual(done.stderr,
                         f"benchctl: wrote 1 of 4 files to {self.folder / 'site'}, removed 2\n")
        self.assertNotIn("benchmark/other.html", self.files())

    def test_before_the_first_verdict_there_is_an_index(self):
        self.assertEqual(self.site()["files"], 2)
        self.assertIn("No history yet", self.texts()["index.html"])

    def test_a_foreign_folder_is_refused(self):
        self.measure("100.11")
        foreign = self.folder / "foreign"
        foreign.mkdir()
        (foreign / "letter.txt").write_text("dear")
        done = self.benchctl("history", "--site", foreign)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, f"--site {foreign}: has files that benchctl did not write")
        self.assertEqual([path.name for path in foreign.iterdir()], ["letter.txt"])
        for words in (["--site", self.folder / "missing" / "site"], ["--site", ""],
                      ["--site", foreign / "letter.txt"],
                      ["--site", "new", "--commit-url", "javascript:{commit}"],
                      ["--site", "new", "--commit-url", "https://host.example/commit"],
                      ["--site", "new", "--site-url", "bench"],
                      ["--site", "new", "--last", "3"], ["--site", "new", "-o", "x.html"],
                      ["--site", "new", "--svg", "t"], ["--commit-url", "https://host/{commit}"],
                      ["--exports", self.folder / "none"], ["--exports", foreign],
                      ["--exports", foreign, "--database", "postgresql://localhost/x"]):
            refused = self.benchctl("history", *words)
            self.assert_exit(refused, USAGE)
            self.assert_one_error(refused)
        self.assertFalse((self.folder / "new").exists())

    def test_hostile_names(self):
        """From exports, because the daemon refuses some of these names."""
        exports = self.folder / "exports"
        self.export(self.measure("110.12", code=REGRESSION), exports)
        [original] = exports.iterdir()
        export = json.loads(original.read_text())
        names = (*HOSTILE, "y" * 4096, "a\x1b[31m\nb", "")
        for number, name in enumerate(names):
            text = json.dumps({**export, "session": f"s{number}"})
            (exports / f"{number}.json").write_text(
                text.replace('"benchmark": "parse"', '"benchmark": ' + json.dumps(name))
                    .replace('"name": "parse"', '"name": ' + json.dumps(name)))
        event = self.site("--exports", exports, "--site-url", "https://bench.example")
        self.assertEqual(event["benchmarks"], len(set(names)), "with `parse`")
        files = self.texts()
        for name, text in files.items():
            self.assertRegex(name, r"^(\.benchctl-site|index\.html|feed\.json|"
                                   r"benchmark/[a-z0-9_][a-z0-9._-]*\.html|"
                                   r"badge/[a-z0-9_][a-z0-9._-]*\.svg)$")
            self.assertLessEqual(len(name.split("/")[-1]), 120)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("<script", text if not name.endswith(".json") else "")
        self.assertEqual(len(files), 2 * len(set(names)) + 3)
        folded = [name.lower() for name in files]
        self.assertEqual(len(folded), len(set(folded)))
        self.check_pages()
        for item in json.loads(files["feed.json"])["items"]:
            page = re.fullmatch(r"https://bench\.example/(benchmark/[^#]+)#s[0-9a-f]{16}", item["url"])
            self.assertIn(page.group(1), files)
        self.assertEqual(self.site("--exports", exports, "--site-url", "https://bench.example")["written"], 0)
        self.assertFalse((self.folder / "escape.html").exists())


if __name__ == "__main__":
    main()
