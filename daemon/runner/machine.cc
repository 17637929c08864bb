#include "daemon/runner/machine.h"

#include <utility>

#include "daemon/base/error.h"
#include "daemon/system/cpu_list.h"
#include "daemon/system/environment.h"

namespace benchd {
namespace {

constexpr const char* kWantedCpuset = "isolated partition";
constexpr const char* kNoCpuset = "this benchd-runner takes no cpuset partition";

/// The CPUs that `list` names, all of them benchmark CPUs; the default for an empty one.
Result<std::vector<int>> ChooseCpus(const Host& host, const wire::AcquireMachine& wish) {
  if (wish.cpus.empty()) {
    return wish.isolation == Isolation::kOff ? std::vector<int>() : host.cpus.benchmark;
  }
  auto cpus = ParseCpuList(wish.cpus);
  if (!cpus) return InvalidArgument("cpus", cpus.error().message, cpus.error().hint);
  if (const auto outside = CpusWithout(*cpus, host.cpus.benchmark); !outside.empty()) {
    return InvalidArgument("cpus", FormatCpuList(outside) + " is not among the benchmark CPUs",
                           "choose among " + FormatCpuList(host.cpus.benchmark));
  }
  if (cpus->empty()) return InvalidArgument("cpus", "the list is empty");
  return cpus;
}

std::vector<SettingState> DescribeIsolation(const Host& host) {
  std::vector<SettingState> isolation{{.setting = "cpuset",
                                       .wanted = kWantedCpuset,
                                       .actual = "affinity",
                                       .held = false,
                                       .why = kNoCpuset}};
  if (!host.cpus.why.empty()) {
    isolation.push_back({.setting = "housekeeping_cpus",
                         .wanted = "apart from the benchmark CPUs",
                         .actual = "shared",
                         .held = false,
                         .why = host.cpus.why});
  }
  return isolation;
}

}  // namespace

Result<MachineReport> DescribeMachine(const Host& host, const wire::AcquireMachine& wish) {
  if (!wish.profile.empty() && wish.profile != "default") {
    return InvalidArgument("machine-profile", "'" + wish.profile + "' is not known here",
                           "use 'default'");
  }
  auto cpus = ChooseCpus(host, wish);
  if (!cpus) return std::move(cpus).error();
  if (wish.isolation == Isolation::kStrict) {
    return Error{
        ErrorCode::kFailedPrecondition,
        std::string("cpuset: strict isolation wants an ") + kWantedCpuset + ", but " + kNoCpuset,
        "use --isolation best-effort"};
  }
  MachineReport report;
  report.environment = ReadEnvironment(host.files);
  if (wish.isolation == Isolation::kBestEffort) report.isolation = DescribeIsolation(host);
  report.benchmark_cpus = std::move(*cpus);
  report.housekeeping_cpus = host.cpus.housekeeping;
  return report;
}

}  // namespace benchd
