"""Who may include whom: the table of daemon/README.md as data (a test holds the two together)."""

# Foreign headers, by what they stand for. The first group with a matching pattern names a header;
# one without a group may be included anywhere.
GROUPS = [
    ("generated", r"benchd/v1/|.*\.pb\.h$|google/protobuf/"),
    ("grpc", r"grpc(pp)?/|grpc\+\+/"),
    ("asio", r"asio(\.hpp|/)"),
    ("sqlite", r"sqlite3"),
    ("libpq", r"libpq-fe\.h$"),
    ("boost", r"boost/"),
    ("spdlog", r"spdlog/|fmt/"),
    ("chrono", r"c?chrono$|ctime$|time\.h$"),
    ("thread", r"(thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|latch"
               r"|barrier|stop_token|pthread\.h)$"),
    ("filesystem", r"filesystem$"),
    ("stream", r"(fstream|iostream|istream|ostream|cstdio|stdio\.h|syncstream)$"),
    ("system", r"(sys|linux|asm|net|netinet|arpa|systemd)/"
               r"|(unistd|fcntl|poll|sched|signal|spawn|dirent|grp|pwd|dlfcn|sysexits|termios|syslog"
               r"|ucontext|mntent|wordexp|glob|ftw)\.h$|csignal$"),
]

# What "any I/O" means for the pure modules.
IO = ["asio", "sqlite", "grpc", "generated", "spdlog", "thread", "filesystem", "stream", "system"]

# Libraries that only the modules naming them in `may` include.
OWNED = ["generated", "grpc", "asio", "sqlite", "libpq", "boost"]

# module: the folder it lies in, the modules and owned libraries it may include, and the groups it
# never includes.
# Every module may include itself; a folder without a row fails the test.
TABLE = {
    "base":     {"in": "core", "may": [], "never": []},
    "stats":    {"in": "core", "may": ["base", "boost"],
                 "never": ["spdlog", "chrono", "thread", "filesystem", "stream", "system"]},
    "model":    {"in": "core", "may": ["base"], "never": IO},
    "parse":    {"in": "core", "may": ["base", "model"], "never": IO},
    "schedule": {"in": "daemon", "may": ["base", "model"], "never": IO},
    "ports":    {"in": "daemon", "may": ["model", "base", "asio"], "never": []},
    "analysis": {"in": "core", "may": ["stats", "parse", "model", "base"], "never": IO},
    "convert":  {"in": "proto", "may": ["model", "base", "generated"], "never": []},
    "store":    {"in": "daemon", "may": ["model", "base", "asio", "sqlite"], "never": []},
    "session":  {"in": "daemon",
                 "may": ["schedule", "analysis", "store", "ports", "model", "base", "asio"],
                 "never": []},
    # queue splits command lines at submit: parse.
    "queue":    {"in": "daemon",
                 "may": ["session", "parse", "store", "ports", "model", "base", "asio"],
                 "never": []},
    "wire":     {"in": "daemon", "may": ["model", "base"], "never": []},
    "run":      {"in": "daemon", "may": ["ports", "wire", "model", "base", "asio"], "never": []},
    "rpc":      {"in": "daemon",
                 "may": ["queue", "session", "store", "ports", "convert", "model", "base", "asio",
                         "grpc", "generated"],
                 "never": []},
    "system":   {"in": "daemon", "may": ["model", "base"], "never": []},
    "runner":   {"in": "daemon", "may": ["system", "wire", "model", "base"], "never": []},
    # benchd-push: a program of its own, the one with a network.
    "push":     {"in": "daemon",
                 "may": ["convert", "model", "base", "grpc", "generated", "libpq"], "never": []},
    # The short-lived process that parses a run's output and finds programs, as the caller.
    "helper":   {"in": "daemon", "may": ["parse", "wire", "model", "base"], "never": []},
}

# Files directly in daemon/ compose the daemon: they may include everything in core/, daemon/ and
# proto/ and any library. client/ computes what needs no daemon; of daemon/ it includes nothing.
CLIENT = {"may": ["convert", "analysis", "parse", "model", "base", "grpc", "generated", "libpq"], "never": []}

# The folders of client/: which others each may include, at most six. Folders may include each
# other; files may not (check_includes.py).
ROOMS = {
    "app":      ["link", "present", "request", "terminal"],
    "database": ["app"],
    "git":      ["app", "link", "present", "request"],
    "link":     ["app", "git", "present", "request"],
    "pool":     ["app", "git", "link", "present", "request", "terminal"],
    "present":  ["request"],
    "report":   ["present", "request", "session"],
    "request":  ["app", "git", "present"],
    "session":  ["app", "git", "link", "present", "request", "terminal"],
    "terminal": ["app", "present"],
}
# A file a command: they are made of all the others, none of which includes them.
ROOMS["commands"] = [room for room in ROOMS if room != "database"]
