#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/git/bundle.h"
#include "client/git/worktree_plan.h"
#include "client/link/host.h"
#include "client/link/login.h"
#include "client/request/quantity.h"
#include "client/session/submission.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Copies until either side closes. The caller then passes on the end of file. The other direction
// may continue.
void Copy(int from, int to) {
  std::array<char, 64 * 1024> bytes;
  while (true) {
    const ssize_t size = read(from, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    const std::string_view taken(bytes.data(), static_cast<std::size_t>(size));
    if (!WriteAll(to, taken, "connection")) return;
  }
}

// Connects again, without gRPC. The daemon was just found, so none is started.
Result<FoundDaemon> ConnectPlainly(const LinkOptions& options) {
  TRY(auto found, ConnectToDaemon(options, /*may_start=*/false));
  TRY_VOID(CheckPeer(found.fd.get(), options.places.uid));
  const int flags = fcntl(found.fd.get(), F_GETFL);
  fcntl(found.fd.get(), F_SETFL, flags & ~O_NONBLOCK);
  return found;
}

// Returns nothing if the login has no place for builds. Most sessions do not need one.
std::optional<BuildPlace> BuildsOf(const std::string& socket) {
  auto place = PlaceHere();
  if (!place) return std::nullopt;
  std::error_code error;
  place->socket = std::filesystem::absolute(socket, error).string();
  for (const std::string* path : {&place->program, &place->root, &place->socket}) {
    if (error || !IsSendableText(*path)) return std::nullopt;
  }
  place->commits = ReceivedCommits(place->root);
  return *std::move(place);
}

// Runs the remote end of --host. The kernel identifies the caller to the daemon as the ssh login.
Result<ExitCode> RunDialStdio(const CommandContext& context) {
  std::signal(SIGPIPE, SIG_IGN);
  TRY(auto caller, CaptureCaller());
  // Finds or starts the daemon as every command does, and moves off the benchmark CPUs.
  TRY_VOID(DaemonLink::Open(context.link));
  TRY(auto daemon, ConnectPlainly(context.link));
  const RemoteLogin login{getuid(), Utf8Lossy(UserName(getuid())), std::move(caller),
                          BuildsOf(daemon.path)};
  const auto greeted = WriteAll(STDOUT_FILENO, "\n" + Greeting(login), "stdout: write error");
  if (!greeted) return OutputFailed(greeted.error());
  // The process ends with the daemon's output; input from the client is then no longer needed.
  const int socket = daemon.fd.Release();
  std::thread([socket] {
    Copy(STDIN_FILENO, socket);
    shutdown(socket, SHUT_WR);
  }).detach();
  Copy(socket, STDOUT_FILENO);
  return ExitCode::kPass;
}

}  // namespace

Command DialStdioCommand() {
  return {.name = "dial-stdio",
          .usage = "",
          .summary = "connect stdin and stdout to the daemon",
          .run = RunDialStdio,
          .hidden = true,
          .here = true};
}

}  // namespace benchd::client
