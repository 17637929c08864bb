#include "daemon/run/runner_launcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "daemon/base/error.h"
#include "daemon/run/run_outcome.h"

namespace benchd {
namespace {

/// Far beyond any healthy answer, which includes hashing a large program on a slow disk.
constexpr std::chrono::minutes kPatience{2};
/// What a run may take beyond its time limit: killing the whole tree, parsing its output.
constexpr std::chrono::minutes kRunPatience{1};

/// Where a program is looked up when the environment does not say: confstr(_CS_PATH).
constexpr const char* kDefaultPath = "/bin:/usr/bin";

wire::OpenChild ToOpenChild(std::uint32_t number, ChildSpec child) {
  wire::OpenChild open;
  open.child = number;
  open.caller = std::move(child.caller);
  open.argv = std::move(child.argv);
  for (const auto& [name, value] : child.env) open.env.push_back(name + "=" + value);
  open.cwd = std::move(child.cwd);
  open.input = std::move(child.input);
  open.output = child.output;
  open.output_path = std::move(child.output_path);
  open.parse = std::move(child.parse);
  open.cpus = std::move(child.cpus);
  open.program = std::move(child.program);
  return open;
}

Error Cancelled() { return Error{ErrorCode::kCancelled, "run: cancelled", {}}; }

}  // namespace

asio::awaitable<Result<ProgramIdentity>> RunnerLauncher::Resolve(ChildSpec child) {
  if (child.argv.empty()) co_return InvalidArgument("command", "empty", "name the program to run");
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  wire::ResolveProgram question;
  question.program = child.argv.front();
  const auto path = child.env.find("PATH");
  question.path = path == child.env.end() ? kDefaultPath : path->second;
  question.caller = std::move(child.caller);
  question.cwd = std::move(child.cwd);
  Result<wire::ProgramResolved> answer = co_await connection_.Ask<wire::ProgramResolved>(
      runner->generation, std::move(question), "looking up a program", kPatience);
  if (!answer) co_return std::move(answer).error();
  co_return std::move(answer->program);
}

asio::awaitable<Result<void>> RunnerLauncher::Open(std::vector<ChildSpec> children) {
  generation_ = 0;
  formats_.clear();
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  const std::uint64_t generation = runner->generation;
  if (connection_.holder() != 0 && connection_.holder() != generation) {
    co_return Error{ErrorCode::kUnavailable, "benchd-runner died after the machine was prepared",
                    "submit the session again"};
  }
  Result<wire::Done> closed = co_await connection_.Ask<wire::Done>(
      generation, wire::CloseChildren{}, "opening the commands", kPatience);
  if (!closed) co_return std::move(closed).error();
  if (!closed->result) co_return std::move(closed->result);
  std::vector<std::string> formats;
  for (ChildSpec& child : children) {
    const auto number = static_cast<std::uint32_t>(formats.size());
    formats.push_back(child.parse);
    Result<void> opened = co_await OpenOne(generation, number, std::move(child));
    if (!opened) co_return opened;
  }
  generation_ = generation;
  formats_ = std::move(formats);
  co_return Result<void>();
}

asio::awaitable<Result<void>> RunnerLauncher::OpenOne(std::uint64_t generation,
                                                      std::uint32_t number, ChildSpec child) {
  wire::OpenChild question = ToOpenChild(number, std::move(child));
  Result<wire::Done> opened = co_await connection_.Ask<wire::Done>(
      generation, std::move(question), "opening the commands", kPatience);
  if (!opened) co_return std::move(opened).error();
  co_return std::move(opened->result);
}

asio::awaitable<Result<RunOutcome>> RunnerLauncher::Run(RunOrder order) {
  if (running_ || generation_ == 0 || order.child >= formats_.size()) {
    co_return Error{ErrorCode::kFailedPrecondition,
                    running_ ? "run: another one is under way" : "run: no such command is open",
                    {}};
  }
  const std::string format = formats_[order.child];
  wire::StartRun question;
  question.child = order.child;
  question.padding_bytes = order.padding_bytes;
  question.timeout_ns = order.timeout.count();
  running_ = true;
  cancelled_ = false;
  const Nanoseconds patience =
      std::min<Nanoseconds>(order.timeout, std::chrono::hours(24 * 365)) + kRunPatience;
  Result<wire::RunFinished> answer =
      co_await connection_.Ask<wire::RunFinished>(generation_, question, "a run", patience);
  running_ = false;
  // Also when the run ended just before the runner heard of it: its figures are unwanted.
  if (cancelled_) co_return Cancelled();
  if (!answer) co_return std::move(answer).error();
  if (!answer->figures) co_return std::move(answer->figures).error();
  co_return MakeRunOutcome(std::move(*answer->figures), format);
}

void RunnerLauncher::CancelRun() {
  if (!running_ || cancelled_) return;
  cancelled_ = true;
  connection_.CancelRun(generation_);
}

asio::awaitable<void> RunnerLauncher::Close() {
  const std::uint64_t generation = std::exchange(generation_, 0);
  formats_.clear();
  // A runner that is gone has let go of everything.
  if (generation == 0 || generation != connection_.generation()) co_return;
  Result<wire::Done> closed = co_await connection_.Ask<wire::Done>(
      generation, wire::CloseChildren{}, "closing the commands", kPatience);
  static_cast<void>(closed);
}

}  // namespace benchd
