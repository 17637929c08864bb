#include "daemon/run/runner_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/result.h"
#include "daemon/run/run_outcome.h"

namespace benchd {
namespace {

/// Far beyond any healthy answer, which includes hashing a large program on a slow disk, and
/// settings that need seconds (SMT, partitions): silence beyond this is a dead runner.
constexpr std::chrono::minutes kAnswerTimeout{2};
/// What a run may take beyond its time limit: killing the whole tree, parsing its output.
constexpr std::chrono::minutes kRunGrace{1};
constexpr const char* kDefaultProfile = "default";

/// "'default', 'quiet' and 'strict'"
std::string Names(const std::vector<wire::ProfileSummary>& profiles) {
  std::string names;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (i > 0) names += i + 1 == profiles.size() ? " and " : ", ";
    names += "'" + profiles[i].name + "'";
  }
  return names;
}

Result<void> CheckCpus(const std::string& list, const wire::ProfileSummary& profile) {
  if (list.empty()) return {};
  auto cpus = ParseCpuList(list);
  if (!cpus) return InvalidArgument("cpus", cpus.error().message, cpus.error().hint);
  if (cpus->empty()) return InvalidArgument("cpus", "the list is empty");
  const std::vector<int> outside = CpusWithout(*cpus, profile.cpus);
  if (outside.empty()) return {};
  return InvalidArgument("cpus",
                         FormatCpuList(outside) + (outside.size() == 1 ? " is" : " are") +
                             " not among the benchmark CPUs of the profile '" + profile.name + "'",
                         "choose among " + FormatCpuList(profile.cpus));
}

Result<void> CheckRequest(const MachineRequest& request,
                          const std::vector<wire::ProfileSummary>& profiles) {
  const std::string& name = request.profile.empty() ? kDefaultProfile : request.profile;
  const auto profile = std::find_if(profiles.begin(), profiles.end(),
                                    [&name](const auto& known) { return known.name == name; });
  if (profile != profiles.end()) return CheckCpus(request.cpus, *profile);
  return InvalidArgument(
      "machine-profile", "unknown profile '" + name + "'",
      "available: " + Names(profiles) +
          (profiles.size() == 1
               ? ""
               : "; the configuration can define others, below [machine_profile.NAME]"));
}

/// Every run of the first block may take its whole time; a further one begins within the budget.
Nanoseconds TimeoutFor(const Batch& batch) {
  constexpr Nanoseconds kLongest = std::chrono::hours(24 * 365);
  const auto runs = static_cast<std::int64_t>(batch.runs.size());
  const Nanoseconds each = std::min(batch.timeout, kLongest / runs) + kRunGrace;
  return std::min(batch.budget, kLongest) + runs * each;
}

Error Cancelled() { return Error{ErrorCode::kCancelled, "run: cancelled", {}}; }

}  // namespace

template <typename Question>
asio::awaitable<AnswerTo<Question>> RunnerClient::AskAny(Question question, const char* what) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  co_return co_await connection_.Ask(runner->id, std::move(question), what, kAnswerTimeout);
}

asio::awaitable<Result<void>> RunnerClient::Check(MachineRequest request) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  co_return CheckRequest(request, runner->profiles);
}

asio::awaitable<Result<ProgramIdentity>> RunnerClient::Resolve(ProgramQuery query) {
  if (query.program.empty())
    co_return InvalidArgument("command", "empty", "name the program to run");
  wire::Resolve question{std::move(query)};
  co_return co_await AskAny(std::move(question), "looking up a program");
}

asio::awaitable<Result<Lease>> RunnerClient::Acquire(std::optional<MachineRequest> machine) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  Lease lease{runner->id, std::nullopt};
  if (!machine) co_return lease;
  wire::AcquireMachine question{*std::move(machine)};
  Result<MachineReport> report = co_await connection_.Ask(lease.runner, std::move(question),
                                                          "preparing the machine", kAnswerTimeout);
  if (!report) co_return std::move(report).error();
  holder_ = lease.runner;
  lease.machine = *std::move(report);
  co_return lease;
}

asio::awaitable<Result<void>> RunnerClient::Open(RunnerId runner, std::vector<ChildSpec> children) {
  opened_ = 0;
  formats_.clear();
  Result<void> closed = co_await connection_.Ask(runner, wire::CloseChildren{},
                                                 "opening the commands", kAnswerTimeout);
  if (!closed) co_return closed;
  std::vector<std::string> formats;
  for (ChildSpec& child : children) {
    const auto number = static_cast<std::uint32_t>(formats.size());
    formats.push_back(child.parse);
    wire::OpenChild question{number, std::move(child)};
    Result<void> opened = co_await connection_.Ask(runner, std::move(question),
                                                   "opening the commands", kAnswerTimeout);
    if (!opened) co_return opened;
  }
  opened_ = runner;
  formats_ = std::move(formats);
  co_return Result<void>();
}

std::optional<Error> RunnerClient::Refusal(RunnerId runner, const Batch& batch) const {
  const auto refuse = [](const char* why) {
    return Error{ErrorCode::kFailedPrecondition, std::string("run: ") + why, {}};
  };
  if (running_) return refuse("another one is under way");
  if (batch.runs.empty()) return refuse("none was ordered");
  for (const RunOrder& run : batch.runs) {
    const bool open = runner != 0 && runner == opened_ && run.child < formats_.size();
    if (!open) return refuse("no such command is open");
  }
  return std::nullopt;
}

asio::awaitable<BatchOutcome> RunnerClient::Run(RunnerId runner, Batch batch,
                                                std::stop_token stop) {
  if (std::optional<Error> refusal = Refusal(runner, batch)) {
    co_return BatchOutcome{{}, std::move(refusal)};
  }
  if (stop.stop_requested()) co_return BatchOutcome{{}, Cancelled()};
  const std::stop_callback cancel(stop, [this, runner] { connection_.CancelRun(runner); });
  wire::RunBatch question{batch};
  running_ = true;
  Result<wire::BatchFigures> answer =
      co_await connection_.Ask(runner, std::move(question), "a run", TimeoutFor(batch));
  running_ = false;
  BatchOutcome outcome = OutcomeOf(batch, std::move(answer));
  // Also when the last run ended just before the runner heard of it.
  if (stop.stop_requested()) outcome.error = Cancelled();
  co_return outcome;
}

BatchOutcome RunnerClient::OutcomeOf(const Batch& batch, Result<wire::BatchFigures> answer) const {
  BatchOutcome outcome;
  if (answer) {
    for (wire::RunFigures& figures : answer->runs) {
      const std::size_t number = outcome.runs.size();
      if (number >= batch.runs.size()) break;
      const std::string& format = formats_[batch.runs[number].child];
      Result<RunOutcome> run = MakeRunOutcome(std::move(figures), format);
      if (!run) {
        outcome.error = std::move(run).error();
        return outcome;
      }
      outcome.runs.push_back(std::move(*run));
    }
    if (!answer->result) outcome.error = std::move(answer->result).error();
  } else {
    outcome.error = std::move(answer).error();
  }
  return outcome;
}

asio::awaitable<MachineEnd> RunnerClient::Release(RunnerId runner) {
  const bool has_children = std::exchange(opened_, 0) == runner;
  const bool holds = std::exchange(holder_, 0) == runner;
  formats_.clear();
  // A runner that is gone has let go of everything.
  if (runner == 0 || runner != connection_.id()) co_return MachineEnd{};
  if (has_children) {
    Result<void> closed = co_await connection_.Ask(runner, wire::CloseChildren{},
                                                   "closing the commands", kAnswerTimeout);
    static_cast<void>(closed.has_value());
  }
  if (!holds) co_return MachineEnd{};
  Result<MachineEnd> released = co_await connection_.Ask(runner, wire::ReleaseMachine{},
                                                         "giving the machine back", kAnswerTimeout);
  if (!released) co_return MachineEnd{};
  co_return *std::move(released);
}

asio::awaitable<Result<MachineStatus>> RunnerClient::Describe(std::string profile) {
  return AskAny(wire::DescribeMachine{std::move(profile)}, "describing the machine");
}

asio::awaitable<Result<MachineStatus>> RunnerClient::Apply(std::string profile) {
  return AskAny(wire::ApplyProfile{std::move(profile)}, "applying a machine profile");
}

asio::awaitable<Result<MachineStatus>> RunnerClient::Restore() {
  return AskAny(wire::RestoreMachine{}, "restoring the machine");
}

asio::awaitable<Result<std::vector<NoiseSource>>> RunnerClient::Diagnose() {
  return AskAny(wire::DiagnoseMachine{}, "looking for noise");
}

}  // namespace benchd
