#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include "benchd/v1/session.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// The number of sessions listed without --all.
constexpr std::uint32_t kNewest = 20;

Result<v1::ListSessionsRequest> ReadListRequest(const ParsedArguments& arguments) {
  v1::ListSessionsRequest request;
  request.set_all(IsGiven(arguments, "all"));
  if (const std::string* word = LastValue(arguments, "state"); word != nullptr) {
    request.set_state(StateFromWord(*word));
    if (HasEnded(request.state())) request.set_all(true);
  }
  for (const GivenOption& option : arguments.options) {
    if (option.name != "label") continue;
    auto label = ParseAssignment(option.value);
    if (!label) return std::move(label).error().Within("--label " + option.value);
    (*request.mutable_labels())[label->first] = label->second;
  }
  return request;
}

struct Listed {
  std::vector<v1::Session> sessions;
  bool more = false;  ///< there are more sessions than these
};

/// Reads the newest sessions, or all of them, page by page.
Result<Listed> ListSessions(DaemonLink& link, v1::ListSessionsRequest request, bool every) {
  if (!every) request.set_page_size(kNewest);
  Listed listed;
  do {
    TRY(auto page, CallDaemon(link, &v1::SessionService::Stub::List, request));
    std::move(page.mutable_sessions()->begin(), page.mutable_sessions()->end(),
              std::back_inserter(listed.sessions));
    request.set_page_token(page.next_page_token());
    // If sessions are large, a page may be full before it has twenty.
    listed.more = !request.page_token().empty();
    if (!every) request.set_page_size(kNewest - static_cast<std::uint32_t>(listed.sessions.size()));
  } while (listed.more && (every || listed.sessions.size() < kNewest));
  return listed;
}

Result<ExitCode> RunList(const CommandContext& context) {
  TRY(auto request, ReadListRequest(context.arguments));
  TRY(auto link, DaemonLink::Open(context.link));
  TRY(auto listed, ListSessions(*link, request, IsGiven(context.arguments, "all")));
  const google::protobuf::Timestamp now = Now();
  if (context.json) {
    for (const v1::Session& session : listed.sessions)
      std::cout << MessageLine("session", session.session(), session, now) << "\n";
  } else if (listed.sessions.empty()) {
    std::cerr << (request.all() ? "no sessions\n"
                                : "no sessions; list --all includes finished ones\n");
  } else {
    std::cout << RenderList(listed.sessions, link->UserNames(), now, StyleOf(STDOUT_FILENO));
  }
  if (listed.more) {
    std::cerr << "showing the newest " << listed.sessions.size() << "; list --all shows all\n";
  }
  return ExitCode::kPass;
}

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .usage = "[OPTIONS]",
      .summary = "list sessions",
      .run = RunList,
      .options =
          {{"all", 'a', "", "list all sessions, including finished ones, not just the newest 20",
            kThisCommand},
           {.name = "state",
            .value = "STATE",
            .help = "list only sessions in this state: queued, preparing, running, paused, done, "
                    "failed or cancelled",
            .group = kThisCommand,
            .choices = "queued|preparing|running|paused|done|failed|cancelled"},
           Repeatable({"label", 0, "K=V", "list only sessions with this label; repeatable",
                       kThisCommand})},
      .description =
          "Lists queued and running sessions, newest first. Sessions of other users show only "
          "their ID, user and state.",
      .examples = {{"What was compared on this branch?", "benchctl list --all --label branch=main"},
                   {"List failed sessions, for a script:", "benchctl list --state failed --json"}}};
}

}  // namespace benchd::client
