#include <pwd.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <variant>

#include "daemon/config.h"
#include "daemon/daemon.h"
#include "daemon/logging.h"
#include "daemon/options.h"

namespace benchd {
namespace {

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value != nullptr) return std::string(value);
  // A service of a bare environment still has a home: the one of the user database.
  const passwd* user = name == "HOME" ? ::getpwuid(::geteuid()) : nullptr;
  if (user == nullptr || user->pw_dir == nullptr) return std::nullopt;
  return std::string(user->pw_dir);
}

int Fail(const Error& error, int exit_code) {
  std::cerr << "error: " << error.message << "\n";
  if (!error.hint.empty()) std::cerr << "hint: " << error.hint << "\n";
  return exit_code;
}

int CheckConfig(const Result<Config>& config) {
  if (config) {
    std::cout << "ok\n";
    return kExitOk;
  }
  return Fail(config.error(), kExitUsage);
}

Result<void> StartLogging(const Options& options, const Config& config) {
  return SetUpLogging({.level = options.log_level.empty() ? config.log_level : options.log_level,
                       .file = options.log_file,
                       .journal_priorities = WantsJournalPriorities(!options.places.user)});
}

int Serve(const Options& options, const Config& config, const Paths& paths) {
  if (Result<void> ok = StartLogging(options, config); !ok) return Fail(ok.error(), kExitUsage);
  Daemon daemon(options, config, paths);
  if (const Result<void> ok = daemon.Start(); !ok) {
    // A daemon that benchctl started has nobody at its stderr.
    if (!options.log_file.empty()) spdlog::critical("{}", ok.error().message);
    return Fail(ok.error(), kExitFailed);
  }
  daemon.Run();
  return kExitOk;
}

int Main(int argc, const char* const* argv) {
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const Options& options = std::get<Options>(parsed);
  const bool user = options.places.user;
  const Result<Paths> paths = ChoosePaths(options.places, FromEnvironment, ::geteuid());
  if (!paths) return Fail(paths.error(), kExitUsage);
  const Result<Config> config =
      LoadConfig(paths->config, {.required = !options.places.config.empty(),
                                 .system_mode = !user,
                                 .runner_parts = options.check_config});
  if (options.check_config) return CheckConfig(config);
  if (!config) return Fail(config.error(), kExitUsage);
  if (!user && ::geteuid() == 0) {
    return Fail({ErrorCode::kPermissionDenied, "benchd: never runs as root in system mode",
                 "start it as the user benchd (User=benchd in the unit), or with --user"},
                kExitUsage);
  }
  return Serve(options, *config, *paths);
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  // Whatever benchd makes is its own; the control socket gets its mode by name.
  ::umask(077);
  // A vanished client is an error of write(2), not the end of the daemon.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return benchd::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "error: benchd: " << error.what() << "\n";
    return benchd::kExitFailed;
  }
}
