"""The permitted includes: the table of daemon/README.md as data. A test compares the two."""

# External headers by group. The first group with a matching pattern classifies a header; headers
# without a group may be included anywhere.
GROUPS = [
    ("generated", r"benchd/v1/|.*\.pb\.h$|google/protobuf/"),
    ("grpc", r"grpc(pp)?/|grpc\+\+/"),
    ("asio", r"asio(\.hpp|/)"),
    ("sqlite", r"sqlite3"),
    ("libpq", r"libpq-fe\.h$"),
    ("libdw", r"(elfutils|libiberty)/|(libelf|gelf|dwarf)\.h$"),
    ("boost", r"boost/"),
    # Any module may include <fmt/format.h>, which does no I/O. The other headers of fmt print.
    ("spdlog", r"spdlog/|fmt/(?!format\.h$)"),
    ("chrono", r"c?chrono$|ctime$|time\.h$"),
    ("thread", r"(thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|latch"
               r"|barrier|stop_token|pthread\.h)$"),
    ("filesystem", r"filesystem$"),
    ("stream", r"(fstream|iostream|istream|ostream|cstdio|stdio\.h|syncstream)$"),
    ("system", r"(sys|linux|asm|net|netinet|arpa|systemd)/"
               r"|(unistd|fcntl|poll|sched|signal|spawn|dirent|grp|pwd|dlfcn|sysexits|termios|syslog"
               r"|ucontext|mntent|wordexp|glob|ftw)\.h$|csignal$"),
]

# The groups that count as I/O, for the pure modules.
IO = ["asio", "sqlite", "grpc", "generated", "spdlog", "thread", "filesystem", "stream", "system"]

# Libraries that only modules with the name in `may` may include.
OWNED = ["generated", "grpc", "asio", "sqlite", "libpq", "libdw", "boost"]

# module: its folder, the modules and owned libraries that it may include, and the groups that it
# must not include.
# Every module may include itself; a folder without a row fails the test.
TABLE = {
    "base":     {"in": "core", "may": [], "never": []},
    "stats":    {"in": "core", "may": ["base", "boost"],
                 "never": ["spdlog", "chrono", "thread", "filesystem", "stream", "system"]},
    "model":    {"in": "core", "may": ["base"], "never": IO},
    "parse":    {"in": "core", "may": ["base", "model"], "never": IO},
    "analysis": {"in": "core", "may": ["stats", "parse", "model", "base"], "never": IO},
    "convert":  {"in": "proto", "may": ["model", "base", "generated"], "never": []},
    "store":    {"in": "daemon", "may": ["model", "base", "asio", "sqlite"], "never": []},
    # session forms the commands that list and run the benchmarks inside a program: parse.
    "session":  {"in": "daemon",
                 "may": ["analysis", "parse", "store", "model", "base", "asio"],
                 "never": []},
    # queue splits command lines at submit: parse.
    "queue":    {"in": "daemon",
                 "may": ["session", "parse", "store", "model", "base", "asio"],
                 "never": []},
    "config":   {"in": "daemon", "may": ["model", "base"], "never": []},
    "wire":     {"in": "daemon", "may": ["config", "model", "base"], "never": []},
    "runner_link": {"in": "daemon", "may": ["session", "wire", "model", "base", "asio"], "never": []},
    "rpc":      {"in": "daemon",
                 "may": ["queue", "session", "store", "convert", "model", "base", "asio",
                         "grpc", "generated"],
                 "never": []},
    "kernel":   {"in": "daemon", "may": ["model", "base"], "never": []},
    "observe":  {"in": "daemon", "may": ["kernel", "model", "base"], "never": []},
    "settings": {"in": "daemon", "may": ["observe", "kernel", "model", "base"], "never": []},
    "launch":   {"in": "daemon", "may": ["observe", "kernel", "wire", "model", "base"], "never": []},
    "runner":   {"in": "daemon", "may": ["launch", "settings", "kernel", "wire", "model", "base"], "never": []},
    # benchd-push: a separate program, the only one that uses the network.
    "push":     {"in": "daemon",
                 "may": ["config", "convert", "model", "base", "grpc", "generated", "libpq"], "never": []},
    # The short-lived process that parses a run's output, names its functions and finds programs,
    # running as the caller.
    "helper":   {"in": "daemon", "may": ["config", "parse", "wire", "model", "base", "libdw"],
                 "never": []},
}

# Files that plan and decide, and therefore must not do I/O, in folders that may.
PURE = ["daemon/session/batch_plan", "daemon/session/schedule"]

# Files directly in daemon/ compose the daemon: they may include everything in core/, daemon/ and
# proto/ and any library. client/ works without the daemon and includes nothing from daemon/.
CLIENT = {"may": ["convert", "analysis", "parse", "model", "base", "grpc", "generated", "libpq"], "never": []}

# The folders of client/ and the others that each may include, at most six. Folders may include
# each other; files may not (check_includes.py).
ROOMS = {
    "app":      ["link", "present", "request", "terminal"],
    "ci":       ["app", "present"],
    "database": ["app"],
    "git":      ["app", "link", "present", "request"],
    "link":     ["app", "git", "present", "request"],
    "pool":     ["app", "git", "link", "present", "request", "terminal"],
    "present":  ["request"],
    "report":   ["present", "request", "session"],
    "request":  ["app", "git", "present"],
    "session":  ["app", "git", "link", "present", "request", "terminal"],
    "site":     ["app", "present", "report"],
    "terminal": ["app", "present"],
}
# One file per command: they use all the other folders, none of which includes them.
ROOMS["commands"] = [room for room in ROOMS if room != "database"]
