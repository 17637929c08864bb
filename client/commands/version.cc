#include <iostream>
#include <utility>

#include "benchd/v1/queue.grpc.pb.h"
#include "client/app/command.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/words.h"

namespace benchd::client {
namespace {

// Does not start a daemon. A missing daemon is an error only if the user named one.
Result<ExitCode> RunVersion(const CommandContext& context) {
  LinkOptions options = context.link;
  options.may_start = false;
  auto link = DaemonLink::Open(options);
  if (!link && (options.host || options.socket || options.environment_socket))
    return std::move(link).error();
  const v1::QueueStatus* daemon = link ? &(*link)->status() : nullptr;
  if (context.json) {
    std::cout << VersionJson(BENCHD_VERSION, daemon, Now()) << "\n";
    return ExitCode::kPass;
  }
  std::cout << "benchctl " << BENCHD_VERSION << "\n";
  if (daemon != nullptr) {
    std::cout << "benchd " << daemon->version() << " (pid " << daemon->pid() << ")\n";
  } else {
    std::cout << "benchd: " << link.error().message << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace

Command VersionCommand() {
  return {.name = "version",
          .usage = "[OPTIONS]",
          .summary = "print the versions of benchctl and of the daemon",
          .run = RunVersion,
          .description = "This command does not start a daemon.",
          .examples = {{"Print both versions:", "benchctl version"}}};
}

}  // namespace benchd::client
