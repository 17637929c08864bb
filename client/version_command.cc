#include <iostream>

#include "client/commands.h"
#include "client/render/json.h"
#include "client/render/words.h"

namespace benchd::client {

// Asking for a version starts no daemon; that none runs is an answer, unless one was named.
Outcome<ExitCode> RunVersion(const CommandContext& context) {
  auto wanted = NoWords(context, "version");
  if (!wanted) return std::move(wanted).error();
  LinkOptions options = context.link;
  options.may_start = false;
  auto link = DaemonLink::Open(options);
  if (!link && (options.socket || options.environment_socket)) return std::move(link).error();
  const v1::QueueStatus* daemon = link ? &(*link)->status() : nullptr;
  if (context.json) {
    std::cout << VersionJson(BENCHD_VERSION, daemon, Now()) << "\n";
    return ExitCode::kPass;
  }
  std::cout << "benchctl " << BENCHD_VERSION << "\n";
  if (daemon != nullptr) {
    std::cout << "benchd " << daemon->version() << " (pid " << daemon->pid() << ")\n";
  } else {
    std::cout << "benchd: none answers: " << link.error().message << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
