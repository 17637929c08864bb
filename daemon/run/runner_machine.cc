#include "daemon/run/runner_machine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/error.h"

namespace benchd {
namespace {

/// Settings that need long (SMT, partitions) take seconds; silence beyond this is a dead runner.
constexpr std::chrono::minutes kMachineTimeout{2};
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
  return InvalidArgument("machine-profile", "there is no '" + name + "'",
                         profiles.size() == 1 ? "there is only " + Names(profiles)
                                              : "there are " + Names(profiles) +
                                                    "; others are made in the configuration, below "
                                                    "[machine_profile.NAME]");
}

}  // namespace

template <typename Answer, typename Question>
asio::awaitable<Result<Answer>> RunnerMachine::AskAny(Question question, const char* what) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  co_return co_await connection_.Ask<Answer>(runner->generation, std::move(question), what,
                                             kMachineTimeout);
}

template <typename Question>
asio::awaitable<Result<MachineStatus>> RunnerMachine::AskStatus(Question question,
                                                                const char* what) {
  Result<wire::MachineDescribed> answer =
      co_await AskAny<wire::MachineDescribed>(std::move(question), what);
  if (!answer) co_return std::move(answer).error();
  co_return std::move(answer->status);
}

asio::awaitable<Result<void>> RunnerMachine::Check(MachineRequest request) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  co_return CheckRequest(request, runner->profiles);
}

asio::awaitable<Result<MachineReport>> RunnerMachine::Acquire(MachineRequest request) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  wire::AcquireMachine question;
  question.profile = std::move(request.profile);
  question.isolation = request.isolation;
  question.cpus = std::move(request.cpus);
  Result<wire::MachineAcquired> answer = co_await connection_.Ask<wire::MachineAcquired>(
      runner->generation, std::move(question), "preparing the machine", kMachineTimeout);
  if (!answer) co_return std::move(answer).error();
  if (answer->machine) connection_.SetHolder(runner->generation);
  co_return std::move(answer->machine);
}

asio::awaitable<MachineEnd> RunnerMachine::Release() {
  const std::uint64_t holder = connection_.holder();
  connection_.SetHolder(0);
  if (holder == 0 || holder != connection_.generation()) co_return MachineEnd{};
  Result<wire::MachineReleased> released = co_await connection_.Ask<wire::MachineReleased>(
      holder, wire::ReleaseMachine{}, "giving the machine back", kMachineTimeout);
  if (!released) co_return MachineEnd{};
  co_return std::move(released->end);
}

asio::awaitable<Result<MachineStatus>> RunnerMachine::Describe(std::string profile) {
  wire::DescribeMachine question;
  question.profile = std::move(profile);
  return AskStatus(std::move(question), "describing the machine");
}

asio::awaitable<Result<MachineStatus>> RunnerMachine::Apply(std::string profile) {
  wire::ApplyProfile question;
  question.profile = std::move(profile);
  return AskStatus(std::move(question), "applying a machine profile");
}

asio::awaitable<Result<MachineStatus>> RunnerMachine::Restore() {
  return AskStatus(wire::RestoreMachine{}, "restoring the machine");
}

asio::awaitable<Result<std::vector<NoiseSource>>> RunnerMachine::Diagnose() {
  Result<wire::MachineDiagnosed> answer =
      co_await AskAny<wire::MachineDiagnosed>(wire::DiagnoseMachine{}, "looking for noise");
  if (!answer) co_return std::move(answer).error();
  co_return std::move(answer->sources);
}

}  // namespace benchd
