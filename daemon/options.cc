#include "daemon/options.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "daemon/config.h"

namespace benchd {
namespace {

std::string CheckLevel(const std::string& level) {
  if (IsLogLevel(level)) return {};
  return "should be trace, debug, info, warn, error or off";
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options options;
  CLI::App app("benchd: queues and runs benchmark comparisons, one at a time", "benchd");
  app.set_version_flag("--version", "benchd " BENCHD_VERSION);
  app.add_flag("--user", options.places.user, "Run for one user, without privileges");
  app.add_option("--config", options.places.config, "Configuration file (TOML)");
  app.add_option("--socket", options.places.socket, "Control socket");
  app.add_option("--state-dir", options.places.state_dir, "Directory of the database");
  app.add_option("--runtime-dir", options.places.runtime_dir, "Directory of the control socket");
  app.add_flag("--check-config", options.check_config, "Read the configuration and exit");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn, error or off")
      ->check(CheckLevel);
  app.add_option("--log-file", options.log_file, "Append the log to this file instead of stderr");
  app.add_flag("--force", options.force, "Start beside a daemon of the whole machine");
  app.add_option("--idle-exit", options.idle_exit)
      ->check(CLI::Range(1, 365 * 24 * 3600))
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kExitOk;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    std::cerr << "error: benchd: " << error.what() << "\nhint: benchd --help lists the options\n";
    return kExitUsage;
  }
  return options;
}

}  // namespace benchd
