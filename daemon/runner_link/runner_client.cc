#include "daemon/runner_link/runner_client.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/profile.h"

namespace benchd {
namespace {

double Count(std::int64_t value) { return static_cast<double>(value); }

void AddSample(std::string_view metric, double raw, std::vector<Sample>& samples) {
  samples.push_back(Sample{std::string(metric), {}, 0, InUnit(metric, raw)});
}

void AddFigures(const wire::RunFigures& figures, std::vector<Sample>& samples) {
  const std::pair<std::string_view, std::int64_t> values[] = {
      {"wall_time", figures.wall_time_ns},
      {"user_time", figures.user_time_us},
      {"system_time", figures.system_time_us},
      {"cpu_time", figures.user_time_us + figures.system_time_us},
      {"max_rss", figures.max_rss_bytes},
      {"minor_faults", figures.minor_faults},
      {"major_faults", figures.major_faults},
      {"voluntary_switches", figures.voluntary_switches},
      {"involuntary_switches", figures.involuntary_switches},
  };
  samples.reserve(std::size(values) + OptionalMetrics().size());
  for (const auto& [metric, raw] : values) AddSample(metric, Count(raw), samples);
}

/// Estimates the raw value of a counter that took turns with others (perf_event_open(2),
/// PERF_FORMAT_TOTAL_TIME_RUNNING). The result is empty if the counter never counted.
std::optional<double> ValueOf(const wire::CounterFigure& counter) {
  if (counter.running_ns == 0 || counter.enabled_ns == 0) return std::nullopt;
  auto value = static_cast<double>(counter.value);
  if (counter.running_ns < counter.enabled_ns) {
    value *= static_cast<double>(counter.enabled_ns) / static_cast<double>(counter.running_ns);
  }
  return value;
}

/// Adds the optional metrics that the run has, in the documented order.
void AddOptionalFigures(const wire::RunFigures& figures, std::vector<Sample>& samples) {
  for (const MetricInfo& info : OptionalMetrics()) {
    if (const auto raw = figures.Find(info.name)) AddSample(info.name, Count(*raw), samples);
    for (const wire::CounterFigure& counter : figures.counters) {
      if (counter.metric != info.name) continue;
      if (const auto raw = ValueOf(counter)) AddSample(info.name, *raw, samples);
    }
  }
}

/// Returns an error for the first requested metric that the run does not have.
std::optional<Error> FirstMissing(const wire::RunFigures& figures) {
  if (figures.missing.empty()) return std::nullopt;
  const wire::MissingMetric& first = figures.missing.front();
  return Error{ErrorCode::kFailedPrecondition,
               "metric " + first.metric + ": not available here: " + first.why,
               "gate on another metric, such as cpu_time"};
}

/// Adds the resolution of user_time and system_time if the kernel measures them in steps that are
/// coarser than their built-in resolution.
void AddSteps(const wire::RunFigures& figures, std::vector<MetricInfo>& metrics) {
  const double step_s = Count(figures.user_time_step_ns) / 1e9;
  for (const char* name : {"user_time", "system_time"}) {
    MetricInfo info = *FindBuiltinMetric(name);
    if (step_s <= info.resolution) continue;
    info.resolution = step_s;
    metrics.push_back(std::move(info));
  }
}

Error Unreadable(const std::string& why) {
  return Error{ErrorCode::kInternal, "benchd-helper's output cannot be read: " + why,
               "install benchd and benchd-helper from the same build"};
}

Result<void> CheckMetrics(const wire::ParsedOutput& parsed, std::set<std::string>& names) {
  for (const MetricInfo& metric : parsed.metrics) {
    const bool is_sane = std::isfinite(metric.resolution) && metric.resolution >= 0;
    if (metric.name.empty() || !is_sane) return Unreadable("a metric lacks a name or resolution");
    if (!names.insert(metric.name).second) return Unreadable("a metric occurs twice");
  }
  return {};
}

Result<void> CheckParsed(const wire::ParsedOutput& parsed) {
  std::set<std::string> names;
  TRY_VOID(CheckMetrics(parsed, names));
  for (const std::string& name : parsed.names) {
    if (name.empty() || HasControlCharacter(name)) return Unreadable("a name is not plain text");
  }
  if (parsed.samples.empty() && parsed.names.empty()) return Unreadable("no samples");
  for (const Sample& sample : parsed.samples) {
    const std::string& inner = sample.inner_benchmark;
    if (!names.contains(inner.empty() ? sample.metric : inner + "/" + sample.metric)) {
      return Unreadable("a sample of an unknown metric");
    }
    // A sample of an inner benchmark is named INNER/NAME and cannot collide with a built-in metric.
    if (sample.inner_benchmark.empty() && FindBuiltinMetric(sample.metric) != nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   "parse: '" + sample.metric + "' is a metric that benchd measures itself",
                   "make the program print another name"};
    }
    if (!std::isfinite(sample.value)) return Unreadable("a sample that is not a finite number");
  }
  return {};
}

Result<wire::ParsedOutput> DecodeParsed(std::string_view bytes) {
  if (bytes.empty()) return Unreadable("it is empty");
  auto parsed = wire::DecodeParsedOutput(bytes);
  if (!parsed) return Unreadable(parsed.error().message);
  if (!parsed->result) {
    Error error = std::move(parsed->result).error();
    // An error about the format already names the option, but an error about a line does not.
    if (!error.message.starts_with("parse: ")) error = std::move(error).Within("parse");
    return error;
  }
  TRY_VOID(CheckParsed(*parsed));
  return parsed;
}

/// Checks a profile, of which the statistics rely on finite counts and on stacks that are text.
Result<void> CheckProfile(const wire::ParsedOutput& parsed) {
  for (const Sample& sample : parsed.samples) {
    if (!IsOfProfile(sample.metric)) return Unreadable("a sample that is not of a profile");
    if (!std::isfinite(sample.value) || sample.value < 0) {
      return Unreadable("a number of samples that is not a count");
    }
    const bool stack = IsOfStacks(sample.metric);
    if (stack == sample.inner_benchmark.empty() || HasControlCharacter(sample.inner_benchmark)) {
      return Unreadable("a stack is not plain text");
    }
  }
  return {};
}

/// Decodes the profile of a run.
Result<std::vector<Sample>> DecodeProfile(std::string_view bytes) {
  if (bytes.empty()) return std::vector<Sample>{};
  auto parsed = wire::DecodeParsedOutput(bytes);
  if (!parsed) return Unreadable(parsed.error().message);
  if (!parsed->result) {
    Error error = std::move(parsed->result).error();
    if (!error.message.starts_with("profile: ")) error = std::move(error).Within("profile");
    return error;
  }
  TRY_VOID(CheckProfile(*parsed));
  return std::move(parsed->samples);
}

}  // namespace

Result<RunOutcome> MakeRunOutcome(wire::RunFigures figures, std::string_view format,
                                  std::span<const int> accepted, bool sampled) {
  const bool succeeded = figures.exit.Succeeded(accepted);
  RunOutcome outcome;
  outcome.started_at = Timestamp(Nanoseconds(figures.started_at_ns));
  outcome.ended_at = SteadyTime(Nanoseconds(figures.ended_at_ns));
  outcome.exit = figures.exit;
  outcome.limit = std::move(figures.limit);
  if (auto missing = FirstMissing(figures); missing && succeeded) return std::move(*missing);
  AddFigures(figures, outcome.samples);
  AddOptionalFigures(figures, outcome.samples);
  AddSteps(figures, outcome.metrics);
  outcome.stderr_tail = std::move(figures.stderr_tail);
  outcome.output = std::move(figures.output);
  outcome.stdout_digest = std::move(figures.stdout_digest);
  if (sampled) {
    auto profile = DecodeProfile(figures.parsed);
    if (!profile && succeeded) return std::move(profile).error();
    if (profile) std::ranges::move(*profile, std::back_inserter(outcome.samples));
    return outcome;
  }
  if (format.empty()) return outcome;
  auto parsed = DecodeParsed(figures.parsed);
  if (!parsed && succeeded) return std::move(parsed).error();
  if (!parsed) return outcome;
  for (Sample& sample : parsed->samples) outcome.samples.push_back(std::move(sample));
  for (MetricInfo& metric : parsed->metrics) outcome.metrics.push_back(std::move(metric));
  outcome.inner_exits = std::move(parsed->exits);
  outcome.names = std::move(parsed->names);
  // The first exit represents the run, so exits that are not accepted come first.
  std::stable_partition(
      outcome.inner_exits.begin(), outcome.inner_exits.end(), [accepted](const InnerExit& exit) {
        return !exit.code || std::ranges::find(accepted, *exit.code) == accepted.end();
      });
  return outcome;
}

namespace {

/// The time after which a silent runner is considered dead. It is far longer than any normal answer
/// takes, even if the runner hashes a large program on a slow disk or applies settings that take
/// seconds (SMT, partitions).
constexpr std::chrono::minutes kAnswerTimeout{2};
/// The time beyond its limit that a run may take, for killing its process tree and parsing its
/// output.
constexpr std::chrono::minutes kRunGrace{1};
constexpr const char* kDefaultProfile = "default";

/// Returns the names as "'default', 'quiet' and 'strict'".
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
               : "; define others in the configuration as [machine_profile.NAME]"));
}

/// Returns the timeout for the answer to a batch. A block may begin at any time within the budget,
/// and each run may take its full time limit.
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
  CO_TRY(RunnerFacts runner, co_await connection_.Connect());
  co_return co_await connection_.Ask(runner.id, std::move(question), what, kAnswerTimeout);
}

asio::awaitable<Result<void>> RunnerClient::Check(MachineRequest request) {
  CO_TRY(RunnerFacts runner, co_await connection_.Connect());
  co_return CheckRequest(request, runner.profiles);
}

asio::awaitable<Result<ProgramIdentity>> RunnerClient::Resolve(ProgramQuery query) {
  if (query.program.empty())
    co_return InvalidArgument("command", "empty", "name the program to run");
  wire::Resolve question{std::move(query)};
  co_return co_await AskAny(std::move(question), "looking up a program");
}

asio::awaitable<Result<Lease>> RunnerClient::Acquire(std::optional<MachineRequest> machine) {
  CO_TRY(RunnerFacts runner, co_await connection_.Connect());
  Lease lease{runner.id, std::nullopt};
  if (!machine) co_return lease;
  wire::AcquireMachine question{*std::move(machine)};
  CO_TRY(MachineReport report, co_await connection_.Ask(lease.runner, std::move(question),
                                                        "preparing the machine", kAnswerTimeout));
  holder_ = lease.runner;
  lease.machine = std::move(report);
  co_return lease;
}

asio::awaitable<Result<void>> RunnerClient::Open(RunnerId runner, std::vector<ChildSpec> children) {
  opened_ = 0;
  children_.clear();
  Result<void> closed = co_await connection_.Ask(runner, wire::CloseChildren{},
                                                 "opening the commands", kAnswerTimeout);
  if (!closed) co_return closed;
  std::vector<Child> known;
  for (ChildSpec& child : children) {
    const auto number = static_cast<std::uint32_t>(known.size());
    known.push_back({child.parse, child.accept_exit, child.profile.has_value()});
    wire::OpenChild question{number, std::move(child)};
    Result<void> opened = co_await connection_.Ask(runner, std::move(question),
                                                   "opening the commands", kAnswerTimeout);
    if (!opened) co_return opened;
  }
  opened_ = runner;
  children_ = std::move(known);
  co_return Result<void>();
}

std::optional<Error> RunnerClient::Refusal(RunnerId runner, const Batch& batch) const {
  const auto refuse = [](const char* why) {
    return Error{ErrorCode::kFailedPrecondition, std::string("run: ") + why, {}};
  };
  if (running_) return refuse("another run is in progress");
  if (batch.runs.empty()) return refuse("the batch is empty");
  for (const RunOrder& run : batch.runs) {
    const bool open = runner != 0 && runner == opened_ && run.child < children_.size();
    if (!open) return refuse("the command is not open");
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
  // Report the cancellation even if the last run ended just before the runner received it.
  if (stop.stop_requested()) outcome.error = Cancelled();
  co_return outcome;
}

BatchOutcome RunnerClient::OutcomeOf(const Batch& batch, Result<wire::BatchFigures> answer) const {
  BatchOutcome outcome;
  if (answer) {
    for (wire::RunFigures& figures : answer->runs) {
      const std::size_t number = outcome.runs.size();
      if (number >= batch.runs.size()) break;
      const Child& child = children_[batch.runs[number].child];
      Result<RunOutcome> run =
          MakeRunOutcome(std::move(figures), child.parse, child.accept_exit, child.sampled);
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
  children_.clear();
  // A runner that has died no longer holds anything.
  if (runner == 0 || runner != connection_.id()) co_return MachineEnd{};
  if (has_children) {
    Result<void> closed = co_await connection_.Ask(runner, wire::CloseChildren{},
                                                   "closing the commands", kAnswerTimeout);
    static_cast<void>(closed.has_value());
  }
  if (!holds) co_return MachineEnd{};
  Result<MachineEnd> released = co_await connection_.Ask(runner, wire::ReleaseMachine{},
                                                         "releasing the machine", kAnswerTimeout);
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
