#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/base/user_database.h"
#include "daemon/config/config.h"
#include "daemon/daemon.h"
#include "daemon/options.h"

namespace benchd {
namespace {

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value != nullptr) return std::string(value);
  // A service with an empty environment still has a home directory in the user database.
  if (name != "HOME") return std::nullopt;
  const auto user = FindUser(::geteuid());
  return user ? std::optional(user->home) : std::nullopt;
}

int Fail(const Error& error, int exit_code) {
  std::cerr << "error: " << error.message << "\n";
  if (!error.hint.empty()) std::cerr << "hint: " << error.hint << "\n";
  return exit_code;
}

int CheckConfig(const Result<Config>& config) {
  return config ? PrintForExitCode("ok\n") : Fail(config.error(), kExitUsage);
}

/// The flag %* of a log pattern: the priority in the format of sd-daemon(3).
class PriorityFlag : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string_view prefix = Prefix(message.level);
    to.append(prefix.data(), prefix.data() + prefix.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PriorityFlag>();
  }

 private:
  static std::string_view Prefix(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::critical:
        return "<2>";
      case spdlog::level::err:
        return "<3>";
      case spdlog::level::warn:
        return "<4>";
      case spdlog::level::info:
        return "<6>";
      default:
        return "<7>";
    }
  }
};

// spdlog reports a failure to open a file only as text, so try first to get an errno.
Result<void> CheckWritable(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return SystemError("log file " + file, errno);
  return {};
}

Result<spdlog::sink_ptr> MakeSink(const std::string& file) {
  if (file.empty()) return spdlog::sink_ptr(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  TRY_VOID(CheckWritable(file));
  try {
    return spdlog::sink_ptr(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file));
  } catch (const spdlog::spdlog_ex& error) {
    return Error{ErrorCode::kInternal, std::string("log file: ") + error.what(), {}};
  }
}

/// Returns whether log lines need the format "<6>text" of sd-daemon(3): if stderr goes to journald,
/// or in system mode to anything but a terminal. journald turns the number into a priority and adds
/// the time itself.
bool WantsJournalPriorities(bool system_mode) {
  return std::getenv("JOURNAL_STREAM") != nullptr || (system_mode && ::isatty(STDERR_FILENO) == 0);
}

/// Creates spdlog's default logger, before any thread exists.
/// @errors kNotFound, kPermissionDenied, ... if the file cannot be opened
Result<void> StartLogging(const Options& options, const Config& config) {
  TRY(spdlog::sink_ptr sink, MakeSink(options.log_file));
  auto logger = std::make_shared<spdlog::logger>("benchd", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PriorityFlag>('*');
  const bool priorities = WantsJournalPriorities(!options.places.user) && options.log_file.empty();
  formatter->set_pattern(priorities ? "%*%v" : "%Y-%m-%d %H:%M:%S.%e %l %v");
  logger->set_formatter(std::move(formatter));
  const std::string& level = options.log_level.empty() ? config.log_level : options.log_level;
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  return {};
}

int Serve(const Options& options, const Config& config, const Paths& paths) {
  if (Result<void> ok = StartLogging(options, config); !ok) return Fail(ok.error(), kExitUsage);
  Daemon daemon(options, config, paths);
  if (const Result<void> ok = daemon.Start(); !ok) {
    // No user sees the stderr of a daemon that benchctl has started.
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
    return Fail({ErrorCode::kPermissionDenied, "benchd: refusing to run as root in system mode",
                 "start it as the user benchd (User=benchd in the unit), or with --user"},
                kExitUsage);
  }
  return Serve(options, *config, *paths);
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  // Files of benchd are private; the control socket gets its mode explicitly.
  ::umask(077);
  // Report a disconnected client as an error of write(2) instead of ending the daemon.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return benchd::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "error: benchd: " << error.what() << "\n";
    return benchd::kExitFailed;
  }
}
