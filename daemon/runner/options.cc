#include "daemon/runner/options.h"

#include <string_view>

namespace benchd {

const char kRunnerHelp[] =
    "benchd-runner: starts, measures and kills the programs that benchd compares.\n"
    "It is started by systemd (system mode) or benchd (user mode); do not start it by hand.\n"
    "\n"
    "  --socket PATH|fd:N  listen on PATH, or serve the inherited SOCK_SEQPACKET descriptor N;\n"
    "                      not needed if systemd passes the socket\n"
    "  --config FILE       read the runner's settings and the machine profiles from FILE\n"
    "                      (default for root: /etc/benchd/benchd.toml, if it exists)\n"
    "  --journal FILE      journal of machine settings, locked while this runner runs;\n"
    "                      without a journal, no setting is changed\n"
    "  --restore           restore the settings in the journal, and exit\n"
    "  --sysfs-root DIR    look up the machine settings in DIR (for tests)\n"
    "  --version, --help\n";

Result<RunnerOptions> ParseRunnerOptions(int argc, char** argv) {
  RunnerOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    const std::size_t equals = name.find('=');
    const bool has_value = name.starts_with("--") && equals != std::string_view::npos;
    const std::string_view attached = has_value ? name.substr(equals + 1) : std::string_view();
    if (has_value) name = name.substr(0, equals);

    std::string* text = nullptr;
    bool* flag = nullptr;
    if (name == "--config") text = &options.config;
    if (name == "--socket") text = &options.socket;
    if (name == "--journal") text = &options.journal;
    if (name == "--sysfs-root") text = &options.sysfs_root;
    if (name == "--restore") flag = &options.restore;
    if (name == "--version") flag = &options.version;
    if (name == "--help" || name == "-h") flag = &options.help;
    if (text != nullptr) {
      if (!has_value && i + 1 >= argc) return InvalidArgument(name, "requires a value");
      *text = has_value ? std::string(attached) : std::string(argv[++i]);
    } else if (flag != nullptr && !has_value) {
      *flag = true;
    } else {
      return InvalidArgument(argv[i], "unknown option", "see benchd-runner --help");
    }
  }
  return options;
}

}  // namespace benchd
