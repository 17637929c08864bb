#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/quantity.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/words.h"
#include "client/terminal.h"
#include "client/users.h"

namespace benchd::client {
namespace {

/// What a glance takes in; the rest comes with --all.
constexpr std::uint32_t kNewest = 20;

bool IsFinal(v1::SessionState state) {
  return state == v1::SESSION_STATE_DONE || state == v1::SESSION_STATE_FAILED ||
         state == v1::SESSION_STATE_CANCELLED;
}

Outcome<v1::ListSessionsRequest> ReadListRequest(const ParsedArguments& arguments) {
  v1::ListSessionsRequest request;
  request.set_all(IsGiven(arguments, "all"));
  if (const std::string* word = LastValue(arguments, "state"); word != nullptr) {
    request.set_state(StateFromWord(*word));
    if (request.state() == v1::SESSION_STATE_UNSPECIFIED) {
      return UsageError("--state " + *word + ": unknown state",
                        "write queued, preparing, running, paused, done, failed or cancelled");
    }
    if (IsFinal(request.state())) request.set_all(true);
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
  bool more = false;  ///< than these
};

/// The newest sessions, or every one, page after page.
Outcome<Listed> ListSessions(v1::SessionService::Stub& stub, v1::ListSessionsRequest request,
                             bool every) {
  if (!every) request.set_page_size(kNewest);
  Listed listed;
  do {
    auto page = CallDaemon(stub, &v1::SessionService::Stub::List, request);
    if (!page) return std::move(page).error();
    std::move(page->mutable_sessions()->begin(), page->mutable_sessions()->end(),
              std::back_inserter(listed.sessions));
    request.set_page_token(page->next_page_token());
    // Large ones may fill a page before there are twenty.
    listed.more = !request.page_token().empty();
    if (!every) request.set_page_size(kNewest - static_cast<std::uint32_t>(listed.sessions.size()));
  } while (listed.more && (every || listed.sessions.size() < kNewest));
  return listed;
}

}  // namespace

Outcome<ExitCode> RunList(const CommandContext& context) {
  auto wanted = NoWords(context, "list");
  if (!wanted) return std::move(wanted).error();
  auto request = ReadListRequest(context.arguments);
  if (!request) return std::move(request).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  const bool every = IsGiven(context.arguments, "all");
  auto listed = ListSessions(*stub, *request, every);
  if (!listed) return std::move(listed).error();
  const google::protobuf::Timestamp now = Now();
  if (context.json) {
    for (const v1::Session& session : listed->sessions)
      std::cout << SessionJson(session, now) << "\n";
  } else if (listed->sessions.empty()) {
    std::cerr << (request->all() ? "no sessions\n"
                                 : "no sessions; list --all shows ended ones too\n");
  } else {
    std::cout << RenderList(listed->sessions, UserName, now, StyleOf(STDOUT_FILENO));
  }
  if (listed->more) {
    std::cerr << "these are the newest " << listed->sessions.size()
              << "; list --all shows every one\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
