// benchd-push sends benchd's summaries to a PostgreSQL server, so that benchd itself does not need
// a network.
//
// The exit code is 0 after success, 1 if --once could not send all summaries, and 2 if the command
// line or the configuration is invalid.

#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/push/pusher.h"

namespace benchd::push {
namespace {

/// The time between two pushes. It is long, because every request disturbs the run in progress.
constexpr int kPauseSeconds = 60;

constexpr char kHelp[] = R"(usage: benchd-push [OPTION...]

Sends new summaries to PostgreSQL, as [push] in benchd's configuration specifies.

  --config FILE        benchd's configuration (default /etc/benchd/benchd.toml)
  --socket PATH        benchd's socket (default /run/benchd/benchd.sock)
  --state-dir DIR      folder that stores the progress (default /var/lib/benchd-push)
  --once               send all new summaries and exit
  --print-schema       print the SQL that creates or upgrades the tables, and exit
  --version, --help
)";

struct Options {
  std::string config = "/etc/benchd/benchd.toml";
  std::string socket = "/run/benchd/benchd.sock";
  std::string state_dir = "/var/lib/benchd-push";
  bool once = false;
};

void PrintError(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
}

/// Returns SIGTERM and SIGINT. They are blocked from the start and handled between two pushes.
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

bool StoppedWithin(int seconds) {
  const sigset_t signals = StopSignals();
  const timespec timeout{seconds, 0};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

int Work(const Options& options, const PushConfig& config) {
  const auto stub = v1::HistoryService::NewStub(
      grpc::CreateChannel("unix:" + options.socket, grpc::InsecureChannelCredentials()));
  Pusher pusher(config, *stub, Position(options.state_dir + "/position"));
  std::string told;
  for (;;) {
    const Result<std::uint64_t> sent = pusher.Push();
    if (sent) {
      if (*sent > 0)
        std::fprintf(stderr, "summaries sent: %llu\n", static_cast<unsigned long long>(*sent));
      told.clear();
    } else if (sent.error().message != std::exchange(told, sent.error().message)) {
      PrintError(sent.error());
    }
    if (options.once) return sent ? 0 : 1;
    if (StoppedWithin(kPauseSeconds)) return 0;
  }
}

Result<PushConfig> ReadConfig(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return SystemError(file, errno);
  TRY(std::string text, ReadAll(fd.get(), file));
  Result<PushConfig> config = ParsePushConfig(text, file);
  if (!config || !config->url.empty()) return config;
  return Error{ErrorCode::kInvalidArgument, file + ": [push] url: missing",
               "set it to the destination, such as postgresql://NAME@HOST/DATABASE"};
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string* const value = word == "--config"      ? &options.config
                               : word == "--socket"    ? &options.socket
                               : word == "--state-dir" ? &options.state_dir
                                                       : nullptr;
    if (value != nullptr && i + 1 < argc) {
      *value = argv[++i];
    } else if (word == "--once") {
      options.once = true;
    } else if (word == "--help" || word == "--print-schema" || word == "--version") {
      return PrintForExitCode(word == "--help"      ? kHelp
                              : word == "--version" ? "benchd-push " BENCHD_VERSION "\n"
                                                    : kSchema);
    } else {
      PrintError(
          InvalidArgument(word, "unknown option or missing value", "see benchd-push --help"));
      return 2;
    }
  }
  const Result<PushConfig> config = ReadConfig(options.config);
  if (!config) {
    PrintError(config.error());
    return 2;
  }
  const sigset_t signals = StopSignals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return Work(options, *config);
}

}  // namespace
}  // namespace benchd::push

int main(int argc, char** argv) { return benchd::push::Main(argc, argv); }
