#include <unistd.h>

#include <iostream>

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

}  // namespace

Outcome<ExitCode> RunList(const CommandContext& context) {
  auto wanted = NoWords(context, "list");
  if (!wanted) return std::move(wanted).error();
  auto request = ReadListRequest(context.arguments);
  if (!request) return std::move(request).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto response = CallDaemon(*stub, &v1::SessionService::Stub::List, *request);
  if (!response) return std::move(response).error();
  const google::protobuf::Timestamp now = Now();
  if (context.json) {
    for (const v1::Session& session : response->sessions())
      std::cout << SessionJson(session, now) << "\n";
  } else if (response->sessions().empty()) {
    std::cerr << (request->all() ? "no sessions\n"
                                 : "no sessions; list --all shows ended ones too\n");
  } else {
    const std::vector<v1::Session> sessions(response->sessions().begin(),
                                            response->sessions().end());
    std::cout << RenderList(sessions, UserName, now, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
