"""Tests reports in a browser: headless Chromium, driven by chromedriver, with axe-core.

    BENCHD_BIN_DIR=... BENCHD_TEST_PROGRAMS=... browser_test.py OUTPUT

OUTPUT is a folder with node_modules/axe-core. The pages and their screenshots are left there for
inspection. `./dev test --report` prepares the folder and calls this.
"""

import base64
import json
import pathlib
import random
import resource
import sys
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from git_repository import GitRepository  # noqa: E402
from support import PASS, REGRESSION, DaemonTest  # noqa: E402

OUTPUT = pathlib.Path(sys.argv.pop(1)).resolve()
AXE = (OUTPUT / "node_modules/axe-core/axe.min.js").read_text()
HOSTILE = "<script>alert(1)</script>"
SEED = 20240501
DESKTOP, PHONE = 1100, 390


class Browser:
    """A separate Chromium with a temporary profile; its driver ends it."""

    def __init__(self, test):
        profile = tempfile.TemporaryDirectory(prefix="benchd-chromium-",
                                              ignore_cleanup_errors=True)
        test.addCleanup(profile.cleanup)
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         f"--user-data-dir={profile.name}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        test.addCleanup(self.driver.quit)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def show(self, page, width=DESKTOP, scheme="light", media=""):
        self.cdp("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=2 if width == PHONE else 1, mobile=width == PHONE)
        self.driver.get(page.as_uri())

    def ask(self, expression):
        return self.driver.execute_script("return " + expression)

    def count(self, selector):
        return len(self.driver.find_elements("css selector", selector))

    def screenshot(self, name=None):
        size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        image = base64.b64decode(shot["data"])
        if name is not None:
            (OUTPUT / name).write_bytes(image)
        return image

    def print(self, name):
        printed = self.cdp("Page.printToPDF", printBackground=False)
        (OUTPUT / name).write_bytes(base64.b64decode(printed["data"]))

    def problems(self):
        """Returns axe-core's serious and critical findings about the page."""
        self.driver.execute_script(AXE)
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(r => done(r.violations), "
            "e => done([{id: String(e), impact: 'critical', nodes: []}]))")
        return [f"{one['id']} ({one['impact']}): {[node['html'][:200] for node in one['nodes']]}"
                for one in found if one["impact"] in ("serious", "critical")]


class BrowserTest(GitRepository, DaemonTest):
    def setUp(self):
        super().setUp()
        self.browser = Browser(self)

    def report(self, name, *words):
        page = OUTPUT / f"{name}.html"
        done = self.benchctl("report", *words, "-o", page)
        self.assert_exit(done, PASS)
        return page, done.seconds

    def session_page(self, name):
        """A session with warm-ups, two gates and a name that looks like markup."""
        done = self.benchctl_json(
            "compare", "--parse", "lines", "--seed", "7", "--runs", "60", "--warmup", "2",
            "--metric", "t:2%:lower", "--metric", "rate:2%:higher", "--label", "branch=main",
            "-n", "v1.5", "-n", HOSTILE,
            self.values("t:0.0101:0.0002:6", "rate:5000:40"),
            self.values("t:0.0111:0.0002:6", "rate:4990:60"))
        self.assert_exit(done, REGRESSION)
        return self.report(name, done.events[-1]["session"])[0]

    def layouts_page(self, name):
        """Eight builds of each of two commits; their times depend on the seed of the build."""
        self.write("build.sh", 'cat program >bench && chmod +x bench && '
                   'printf "# %s\\n" "$BENCHD_LAYOUT_SEED" >>bench\n')
        for tag, mean in (("v1", 100), ("slower", 104)):
            # Constant for each build, with an offset that depends on its seed.
            self.write("program", "#!/bin/sh\n"
                       'seed=$(sed -n "s/^# //p" "$0")\n'
                       f'echo "t $(({mean}000 + {mean} * (seed % 41 - 20)))"\n')
            self.commit(tag=tag)
        done = self.benchctl(
            "compare", "--json", "--parse", "lines", "--metric", "t:1%:lower", "--git", "v1..slower",
            "--build", self.BUILD, "--seed", "7", "--layouts", "8", "--", "./bench",
            cwd=self.repository)
        self.assert_exit(done, REGRESSION)
        return self.report(name, done.events[-1]["session"])[0]

    def machines_page(self, name):
        """One export, rewritten as four machines' exports with different changes."""
        session = self.benchctl_json(
            "compare", "--parse", "lines", "--metric", "t:2%:lower", "--seed", "7", "--runs", "8",
            self.values("t:100:1"), self.values("t:104:1")).events[-1]["session"]
        exported = json.loads(self.benchctl("export", session, "--format", "json").stdout)
        paths = []
        for i, change in enumerate((0.031, 0.04, 0.044, 0.052)):
            result = exported["result"]
            exported["session"] = result["session"] = f"s{i}"
            result["started"]["environment"]["machine"] = str(i) * 32
            for gate in result["report"]["comparisons"]:
                if gate["role"] == "gate":
                    gate["change"] = {"estimate": change, "lo": change - 0.01, "hi": change + 0.01}
            paths.append(self.folder / f"node{i}.json")
            paths[-1].write_text(json.dumps(exported))
        return self.report(name, *paths)[0]

    def table_page(self, name, pairs):
        rng = random.Random(SEED)
        table = self.folder / f"{name}.csv"
        with table.open("w") as out:
            out.write("arm,role,benchmark,pair,order,started_at,wall_time,max_rss\n")
            for i in range(2 * pairs):
                arm, role = (("base", "reference"), ("new", "candidate"))[i % 2]
                value = rng.lognormvariate(0, 0.02) * (1.05 if arm == "new" else 1) * 0.01
                if rng.random() < 0.01:
                    value *= rng.uniform(1.1, 3)
                out.write(f"{arm},{role},main,{i // 2},{i + 1},2026-01-02T03:04:05Z,"
                          f"{value:.9f},{rng.randrange(300, 310) * 4096}\n")
        return self.report(name, table)

    def assert_quiet(self):
        log = self.browser.driver.get_log("browser")
        self.assertEqual(log, [], "console")

    def test_marks_and_names(self):
        page = self.session_page("session")
        self.browser.show(page)
        self.assert_quiet()
        # Two metrics, two arms, 60 runs and 2 warm-ups.
        self.assertEqual(self.browser.count("svg .run"), 2 * 2 * 62)
        self.assertEqual(self.browser.count("svg .run.open"), 2 * 2 * 2)
        self.assertEqual(self.browser.count("svg .estimate"), 2)
        looks = self.browser.count("svg .look")
        self.assertGreater(looks, 2 * 30)
        tables = self.browser.count("details")
        self.assertEqual(tables, self.browser.count("figure"), "a table behind every picture")
        self.assertEqual(self.browser.count("script"), 0)
        self.assertIn(HOSTILE, self.browser.ask("document.body.innerText"))

    def look_at(self, page, name=None):
        """Shows it on every medium, and saves screenshots as NAME-light.png and so on."""
        name = name or page.stem
        self.browser.show(page)
        self.browser.screenshot(f"{name}-light.png")
        self.assertEqual(self.browser.problems(), [])
        self.browser.show(page, scheme="dark")
        self.browser.screenshot(f"{name}-dark.png")
        self.assertEqual(self.browser.problems(), [])
        self.browser.show(page, media="print")
        self.browser.screenshot(f"{name}-print.png")
        self.browser.print(f"{name}-print.pdf")
        self.browser.show(page, width=PHONE)
        self.browser.screenshot(f"{name}-phone.png")
        self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), PHONE)
        self.assertEqual(self.browser.problems(), [])
        # 9 pixels are the smallest text that is readable on a phone. A sparkline has none.
        smallest = self.browser.ask(
            "Math.min(100, ...[...document.querySelectorAll('svg text')].map(t => "
            "parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))")
        self.assertGreater(smallest, 9)
        # No shape or text in a picture may be cut off at its sides.
        beyond = self.browser.ask(
            "[...document.querySelectorAll('svg text')].filter(t => { const own = "
            "t.getBoundingClientRect(), all = t.ownerSVGElement.getBoundingClientRect(); return "
            "own.left < all.left - 2 || own.right > all.right + 2; }).map(t => t.textContent)")
        self.assertEqual(beyond, [])
        self.assert_quiet()

    def test_a_session_is_looked_at_in_every_way(self):
        self.look_at(self.session_page("session"))

    def test_builds_are_looked_at_in_every_way(self):
        page = self.layouts_page("layouts")
        self.look_at(page)
        self.browser.show(page)
        self.assertEqual(self.browser.count("svg .unit.reference:not(.span)"), 8)
        self.assertEqual(self.browser.count("svg .unit.candidate:not(.span)"), 8)
        titled = self.browser.ask(
            "[...document.querySelectorAll('svg .unit:not(.span) > title')]"
            ".map(t => t.textContent)")
        self.assertEqual(len(titled), 16, "a title on every mark")
        self.assertTrue(titled[0].startswith("v1/1: "), titled)
        tables = self.browser.count("details")
        self.assertEqual(tables, self.browser.count("figure"), "a table behind every picture")

    def test_machines_are_looked_at_in_every_way(self):
        page = self.machines_page("machines")
        self.look_at(page)
        self.browser.show(page)
        self.assertEqual(self.browser.count("#machines svg .unit.candidate:not(.span)"), 4)
        self.assertEqual(self.browser.count("#machines figure"), 1)
        self.assertIn("one more machine would find", self.browser.ask("document.body.innerText"))

    def test_a_history_is_looked_at_in_every_way(self):
        value = self.folder / "value"
        command = f"cat {value}"
        for number in (100.11, 101.07, 100.52, 99.83, 100.24, 100.71,
                       110.12, 111.06, 110.43, 109.71, 110.34, 110.82):
            value.write_text(f"t {number}\n")
            done = self.benchctl("compare", "--parse", "lines", "--metric", "t:2%:lower",
                                 "--warmup", "0", "--runs", "8", "echo t 100.01", command)
            self.assert_exit(done, PASS if number < 105 else REGRESSION)
        page = OUTPUT / "history.html"
        done = self.benchctl("history", "main", "--alpha", "5%", "-o", page)
        self.assert_exit(done, PASS)
        self.look_at(page)
        self.assertEqual(self.browser.count("svg .entry > title"), 12, "a title on every mark")
        self.assertEqual(self.browser.count("svg .step"), 1)
        self.assertEqual(self.browser.count("details"), self.browser.count("figure"))

    def test_a_site_is_looked_at_in_every_way(self):
        value = self.folder / "value"
        for number, commit in zip((100.1, 101.0, 100.5, 99.8, 110.1, 111.0, 110.4, 109.7),
                                  range(8)):
            value.write_text(f"t {number}\nrate {1000 / number}\n")
            done = self.benchctl("compare", "--parse", "lines", "--metric", "t:2%:lower",
                                 "--metric", "rate:2%:higher", "--label", f"commit={commit:040x}",
                                 "--warmup", "0", "--runs", "8", "printf 't 100.0\\nrate 10.0\\n'",
                                 f"cat {value}")
            self.assertIn(done.code, (PASS, REGRESSION), done)
        site = OUTPUT / "site"
        done = self.benchctl("history", "--site", site)
        self.assert_exit(done, PASS)
        pages = [site / "index.html",
                 *sorted(set(site.rglob("*.html")) - {site / "index.html"})]
        self.assertGreater(len(pages), 1)
        for page in pages[:2]:
            self.look_at(page, name=f"site-{page.stem}"[:40])
            self.browser.show(page, width=1280)
            self.browser.screenshot(f"site-{page.stem}"[:40] + "-1280.png")
            requests = self.browser.ask(
                "performance.getEntriesByType('resource').map(r => r.name)"
                ".filter(n => !n.startsWith('file:') && !n.startsWith('data:'))")
            self.assertEqual(requests, [])
            self.assertEqual(self.browser.count("script"), 0)

    def test_scripts_are_not_needed(self):
        page = self.session_page("session")
        self.browser.show(page)
        with_scripts = self.browser.screenshot()
        self.browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.show(page)
        self.assertEqual(self.browser.screenshot(), with_scripts)

    def test_ten_thousand_runs(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        page, seconds = self.table_page("many", 5000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(page.stat().st_size, 1_000_000)
        # CPU time, because other programs may be running.
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        self.assertLess(used, 2)
        begin = time.monotonic()
        self.browser.show(page)
        loaded = time.monotonic() - begin
        print(f"10,000 runs: {page.stat().st_size} bytes, written in {seconds:.2f} s "
              f"({used:.2f} s of CPU time), "
              f"shown in {loaded:.2f} s, {self.browser.count('svg .run')} marks", file=sys.stderr)
        self.assertLess(self.browser.count("svg .run"), 1500)
        self.assertIn("10000 runs: each line is the range",
                      self.browser.ask("document.body.innerText"))
        self.browser.screenshot("many.png")
        self.assert_quiet()

    def test_several_and_a_picture(self):
        self.table_page("few", 40)
        self.table_page("more", 80)
        page, _ = self.report("several", self.folder / "few.csv", self.folder / "more.csv")
        self.browser.show(page)
        self.browser.screenshot("several.png")
        self.assertEqual(self.browser.problems(), [])
        picture = OUTPUT / "picture.svg"
        done = self.benchctl("report", self.folder / "few.csv", "--svg", "wall_time", "-o", picture)
        self.assert_exit(done, PASS)
        for scheme in ("light", "dark"):
            self.browser.show(picture, width=456, scheme=scheme)
            self.browser.screenshot(f"picture-{scheme}.png")
        self.assert_quiet()


if __name__ == "__main__":
    unittest.main()
