#include <iostream>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/app/command.h"
#include "client/link/daemon_link.h"
#include "client/pool/pool.h"
#include "client/present/json.h"
#include "client/present/words.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunCancel(const CommandContext& context) {
  if (IsPool(context.word)) return CancelPool(context);
  v1::CancelRequest request;
  request.set_session(context.word);
  TRY(auto response, CallDaemon(context.link, &v1::SessionService::Stub::Cancel, request));
  if (context.json) {
    std::cout << CancelJson(response.session(), response.state(), Now()) << "\n";
    return ExitCode::kPass;
  }
  const bool already = response.already_ended();
  std::cout << response.session() << ": ";
  if (response.state() == v1::SESSION_STATE_CANCELLED) {
    std::cout << (already ? "already cancelled\n" : "cancelled\n");
  } else if (HasEnded(response.state())) {
    std::cout << "already finished: " << Word(response.state()) << "\n";
  } else {
    std::cout << "will be cancelled after its cleanup\n";
  }
  return ExitCode::kPass;
}

}  // namespace

Command CancelCommand() {
  return {
      .name = "cancel",
      .usage = "[OPTIONS] ID",
      .summary = "cancel a queued or running session",
      .words = Words::kSession,
      .run = RunCancel,
      .description =
          "Cancels a session. A running session stops at once, but its cleanup commands still run. "
          "You may cancel your own sessions; admins may cancel any. To cancel a comparison on a "
          "Slurm cluster, give the name of its pool folder; scancel then ends all its tasks.",
      .examples = {
          {"Cancel a session by the beginning of its ID:", "benchctl cancel k3x9"},
          {"Cancel a comparison on a Slurm cluster:", "benchctl cancel benchd-pool-k3Xw2a"}}};
}

}  // namespace benchd::client
