#include <string>
#include <string_view>

#include "client/link/login.h"
#include "client/pool/slurm.h"
#include "client/request/quantity.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

void CheckTarget(std::string_view text) {
  const auto target = client::ParseSshTarget(text);
  if (!target) {
    CheckMessage(target.error().message);
    return;
  }
  // Arguments of ssh, none of which is an option.
  FUZZ_CHECK(!target->host.empty() && target->host.front() != '-');
  FUZZ_CHECK(target->user.empty() || target->user.front() != '-');
  const auto again = client::ParseSshTarget(target->Text());
  FUZZ_CHECK(again && *again == *target);
}

void CheckGreeting(std::string_view line) {
  const auto login = client::ParseGreeting(line);
  if (!login) return CheckMessage(login.error().message);
  if (!*login) return;
  const client::CallerContext& context = (*login)->caller.context;
  FUZZ_CHECK(context.cwd.starts_with('/') && client::IsSendableText(context.cwd));
  const std::string said = client::Greeting(**login);
  FUZZ_CHECK(said.find('\n') == said.size() - 1);
  const auto again = client::ParseGreeting(said);
  FUZZ_CHECK(again && *again && (*again)->caller.context.environment == context.environment);
}

// Slurm's output and the files of a task may contain anything.
void CheckPool(std::string_view text) {
  if (const auto view = client::ReadSqueue(text, {"1", "2"}); !view) {
    CheckMessage(view.error().message);
  }
  const auto state = client::ReadTaskState(text);
  if (!state) return;
  CheckMessage(client::TaskLine(*state));
  const auto again = client::ReadTaskState(client::TaskStateText(*state));
  FUZZ_CHECK(again && *again == *state);
}

}  // namespace

void FuzzRemote(std::string_view input) {
  CheckTarget(input);
  CheckTarget("ssh://" + std::string(input));
  CheckPool(input);
  CheckGreeting(input);
  CheckGreeting(std::string(client::kGreetingMark) + std::string(input));
  const client::SshEnd end{.code = static_cast<int>(input.size() % 256),
                           .err = std::string(input),
                           .greeted = input.size() % 2 == 0,
                           .unwelcome = std::string(input)};
  CheckMessage(client::ExplainSshEnd({"ci", "far", std::nullopt}, end).message);
}

}  // namespace benchd::fuzz
