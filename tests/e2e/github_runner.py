"""What GitHub does around ci/github/action.yml: it runs the steps, and answers as its API.

The runner executes the `run:` blocks of a composite action as GitHub documents them: bash with -e
and pipefail, inputs and outputs substituted in `env`, `with` and `if`, one GITHUB_OUTPUT per step.
A step that uses another action is not run; the runner records its name and its inputs.
"""

import http.server
import json
import pathlib
import re
import subprocess
import threading
import urllib.parse

ACTION = pathlib.Path(__file__).resolve().parents[2] / "ci/github"
STEP_S = 120


class Expressions:
    """The expressions that the action contains: names, strings, ==, !=, && and always()."""

    _TOKEN = re.compile(r"\s*(?:'([^']*)'|([\w.-]+)(\(\))?|(==|!=|&&))")

    def __init__(self, inputs, steps, github):
        self._known = {"inputs": inputs, "steps": steps, "github": github}

    def value(self, name):
        at = self._known
        for key in name.split("."):
            at = at.get(key, "") if isinstance(at, dict) else ""
        return at

    def text(self, template):
        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda found: str(self.value(found.group(1))),
                      str(template))

    def is_true(self, condition):
        """Whether a step runs, without the status of the steps before."""
        words, at = [], 0
        while at < len(condition.rstrip()):
            found = self._TOKEN.match(condition, at)
            if found is None:
                raise ValueError(f"not an expression that the tests know: {condition}")
            string, name, call, operator = found.groups()
            if operator:
                words.append(operator.replace("&&", " and "))
            elif call:
                words.append("True")
            else:
                words.append(repr(string if string is not None else str(self.value(name))))
            at = found.end()
        return bool(eval("".join(words), {}))  # only literals and operators of the lines above


class Job:
    """A job with one step that uses the action."""

    def __init__(self, folder, environment, inputs, token="token"):
        import yaml
        self._folder = pathlib.Path(folder)
        self._environment = environment
        self._action = yaml.safe_load((ACTION / "action.yml").read_text())
        defaults = {name: one.get("default", "") for name, one in self._action["inputs"].items()}
        unknown = set(inputs) - set(defaults)
        if unknown:
            raise ValueError(f"no inputs of the action: {unknown}")
        event = json.loads(pathlib.Path(environment["GITHUB_EVENT_PATH"]).read_text())
        github = {"token": token, "event": event}
        self._expressions = Expressions({**defaults, **inputs}, {}, github)
        for name, value in defaults.items():
            if name not in inputs:
                self._expressions._known["inputs"][name] = self._expressions.text(value)
        self.log = ""
        self.uses = []  # the steps that use other actions: name and inputs
        self.failed = False

    @property
    def outputs(self):
        return {name: self._expressions.text(one["value"])
                for name, one in self._action["outputs"].items()}

    def _run(self, number, step):
        output = self._folder / f"output-{number}"
        output.write_text("")
        environment = dict(self._environment, GITHUB_ACTION_PATH=str(ACTION),
                           GITHUB_OUTPUT=str(output))
        for name, value in step.get("env", {}).items():
            environment[name] = self._expressions.text(value)
        cwd = pathlib.Path(self._environment["GITHUB_WORKSPACE"])
        cwd /= self._expressions.text(step.get("working-directory", "."))
        script = self._folder / f"step-{number}.sh"
        script.write_text(self._expressions.text(step["run"]))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=cwd, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=STEP_S)
        self.log += f"--- {step['name']}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done.returncode == 0, outputs

    def run(self):
        """Runs the steps in order, and returns this job."""
        for number, step in enumerate(self._action["runs"]["steps"]):
            condition = step.get("if", "")
            skipped = self.failed and "always()" not in condition
            if skipped or (condition and not self._expressions.is_true(condition)):
                outcome, outputs = "skipped", {}
            elif "uses" in step:
                outcome, outputs = "success", {}
                self.uses.append((step["uses"], {name: self._expressions.text(value)
                                                 for name, value in step["with"].items()}))
            else:
                passed, outputs = self._run(number, step)
                outcome = "success" if passed else "failure"
                self.failed = self.failed or not (passed or step.get("continue-on-error", False))
            self._expressions._known["steps"][step.get("id", f"step-{number}")] = {
                "outcome": outcome, "outputs": outputs}
        return self


class CommentsApi:
    """The part of GitHub's REST API that comments on pull request 17 of octo/project.

    `refuse` is the status of every answer, with `headers`; None answers as GitHub does.
    """

    def __init__(self, login="github-actions[bot]"):
        self.comments = []  # as the API returns them
        self.pulls = []
        self.requests = []  # method and path
        self.tokens = set()
        self.refuse = None
        self.headers = {}
        self._login = login
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def _answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                api.requests.append((self.command, self.path))
                api.tokens.add(self.headers.get("Authorization"))
                status, answer = api.answer(self.command, self.path, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in api.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = _answer

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, body, login=None):
        """A comment that is there already."""
        self.comments.append({"id": 100 + len(self.comments), "body": body,
                              "user": {"login": login or self._login}})
        return self.comments[-1]

    def answer(self, method, path, body):
        if self.refuse is not None:
            return self.refuse, {"message": "because\nof the test"}
        if body is not None and len(body["body"]) > 65536:
            return 422, {"message": "Body is too long (maximum is 65536 characters)"}
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        if parts.path == "/repos/octo/project/pulls" and method == "GET":
            return 200, [pull for pull in self.pulls if pull["label"] == query["head"]]
        if parts.path == "/repos/octo/project/issues/17/comments":
            if method == "POST":
                return 201, self.add(body["body"])
            begin = (int(query["page"]) - 1) * int(query["per_page"])
            return 200, self.comments[begin:begin + int(query["per_page"])]
        for comment in self.comments:
            if parts.path == f"/repos/octo/project/issues/comments/{comment['id']}":
                comment["body"] = body["body"]
                return 200, comment
        return 404, {"message": "Not Found"}
