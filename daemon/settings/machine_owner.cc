#include "daemon/settings/machine_owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/observe/doctor.h"

namespace benchd {
namespace {

constexpr const char* kDefaultProfile = "default";
constexpr const char* kHousekeepingCpus = "housekeeping_cpus";

std::string Names(const std::vector<KnownProfile>& profiles) {
  std::string names;
  for (const KnownProfile& known : profiles) {
    AppendItem(names, ", ", known.profile.name);
  }
  return names;
}

Error Missing(const SettingState& state) {
  return Error{ErrorCode::kFailedPrecondition,
               state.setting + ": strict isolation needs " + state.wanted + ", but " +
                   (state.why.empty() ? "it is " + state.actual : state.why),
               "use --isolation best-effort, or a machine profile without this setting"};
}

/// Returns as much of a command as Quoted() shows, because a command may be a megabyte long.
std::string Beginning(const std::vector<std::string>& command) {
  constexpr std::size_t kShown = 61;
  std::string text;
  for (const std::string& word : command) {
    if (text.size() >= kShown) break;
    text += (text.empty() ? "" : " ") + word.substr(0, kShown);
  }
  return Quoted(text);
}

void Warn(std::vector<Warning>& warnings, WarningCode code, std::string message) {
  warnings.push_back(MakeWarning(code, std::move(message)));
}

}  // namespace

MachineOwner::MachineOwner(Parts parts)
    : parts_(std::move(parts)), boot_id_(parts_.settings.files().Text(paths::kBootId)) {}

// ---- sessions ----

Result<MachineReport> MachineOwner::Acquire(const MachineRequest& request) {
  const Isolation isolation = request.isolation;
  if (session_) return Error{ErrorCode::kFailedPrecondition, "machine: held by another session"};
  TRY(const auto known, Choose(request));
  TRY(auto used, ChooseCpus(known, isolation, request.cpus));
  if (isolation == Isolation::kStrict && LacksVersion2()) {
    return Error{ErrorCode::kFailedPrecondition,
                 "strict isolation is unavailable: " + parts_.place.version1,
                 "use --isolation best-effort until the machine uses cgroup version 2"};
  }
  MachineReport report;
  report.user_mode = parts_.user_mode;
  if (isolation != Isolation::kOff) {
    Hold(known);
    report.isolation = States(known);
    if (auto memory = LimitMemory(known.profile.memory_limit_bytes)) {
      report.isolation.push_back(std::move(*memory));
    }
    const auto missing = std::find_if(report.isolation.begin(), report.isolation.end(),
                                      [](const SettingState& state) { return !state.held; });
    if (isolation == Isolation::kStrict && missing != report.isolation.end()) {
      const Error refused = Missing(*missing);
      LimitMemory(0);
      HoldWhatStays();
      return refused;
    }
    child_profile_ = known.profile;
  }
  report.environment = DescribeEnvironment();
  report.benchmark_cpus = used;
  report.housekeeping_cpus = known.cpus.housekeeping;
  session_ = Session{};
  session_->at_start = report.isolation;
  session_->used = std::move(used);
  session_->before = TakeSample(parts_.settings.files(), session_->used);
  return report;
}

MachineEnd MachineOwner::Release() {
  MachineEnd end;
  if (!session_) return end;
  CheckCpuset();
  const Session session = *std::exchange(session_, std::nullopt);
  if (held_ && !session.at_start.empty()) end.at_end = held_->Present();
  end.at_end.resize(session.at_start.size());
  for (std::size_t i = 0; i < end.at_end.size(); ++i) {
    // If no profile is held, only the value at the start is known.
    if (end.at_end[i].empty()) end.at_end[i] = session.at_start[i].actual;
  }
  end.warnings = WarningsOf(session, end.at_end);
  child_profile_ = MachineProfile{};
  LimitMemory(0);
  HoldWhatStays();
  for (const std::string& note : notes_) Warn(end.warnings, "setting_left", note);
  return end;
}

std::vector<Warning> MachineOwner::WarningsOf(const Session& session,
                                              const std::vector<std::string>& at_end) const {
  std::vector<Warning> warnings = CompareSamples(
      session.before, TakeSample(parts_.settings.files(), session.used), session.used);
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    const SettingState& state = session.at_start[i];
    if (!state.held || at_end[i] == state.actual || state.setting == "cpuset") continue;
    Warn(warnings, "setting_changed",
         state.setting + ": another program changed it from " + state.actual + " to " + at_end[i] +
             " while the session ran");
  }
  if (!session.broken_cpuset.empty()) {
    Warn(warnings, "partition_invalid",
         "cpuset: another control group took the benchmark CPUs while the session ran (" +
             session.broken_cpuset + ")");
  }
  if (session.runs > 0 && session.migrations >= session.runs) {
    Warn(warnings, "migrations",
         fmt::format("programs were moved between CPUs {} times in {} runs: keep a single-threaded "
                     "program on one CPU (--cpus)",
                     session.migrations, session.runs));
  }
  for (const auto& [limit, runs] : session.limits) {
    const std::string where = runs == 1 ? "a run" : fmt::format("{} runs", runs);
    Warn(warnings, "limit_reached",
         fmt::format("in {} a program {}: it may not have done all its work", where, limit));
  }
  for (const auto& [command, turns] : session.turns) {
    constexpr std::uint64_t kFewest = 3;
    if (turns.taken < kFewest || 2 * turns.taken < turns.runs) continue;
    Warn(warnings, "threads_took_turns",
         fmt::format("{} had more threads to run than benchmark CPUs ({}) in {} runs: its threads "
                     "took turns, so the runs took longer than on more CPUs",
                     command, turns.cpus, turns.taken));
  }
  if (session.scaled_runs > 0) {
    Warn(warnings, "counters_scaled",
         fmt::format("in {} runs the CPU had too few hardware counters, which took turns: some of "
                     "their values are estimates from counts over at least {} of the time",
                     session.scaled_runs, Percent(session.smallest_share)));
  }
  if (LacksVersion2()) {
    Warn(warnings, "cgroup_v1",
         "other programs could use the benchmark CPUs, and no limit on a run's "
         "memory or processes applied: " +
             parts_.place.version1);
  }
  if (!child_profile_.aslr) {
    Warn(warnings, "aslr_off",
         "aslr = \"off\": only one memory layout was measured, which may favour "
         "one arm by chance");
  }
  if (parts_.own_nice > child_profile_.nice) {
    Warn(warnings, "nice_inherited",
         fmt::format("the runs had the nice value {}, with which benchd was started and which it "
                     "may not lower: programs with a lower value take precedence",
                     parts_.own_nice));
  }
  return warnings;
}

void MachineOwner::CheckCpuset() {
  if (!session_ || !held_ || !session_->broken_cpuset.empty()) return;
  session_->broken_cpuset = held_->BrokenCpuset();
}

void MachineOwner::NoteMigrations(std::uint64_t count) {
  if (!session_) return;
  ++session_->runs;
  session_->migrations += count;
}

void MachineOwner::NoteLimit(const std::string& limit) {
  if (session_) ++session_->limits[limit];
}

void MachineOwner::NoteTurns(const std::vector<std::string>& command, std::size_t cpus,
                             bool took_turns) {
  if (!session_ || (!took_turns && session_->turns.empty())) return;
  const std::string name = Beginning(command);
  if (!took_turns && !session_->turns.contains(name)) return;
  Session::Turns& turns = session_->turns[name];
  turns.cpus = cpus;
  ++turns.runs;
  turns.taken += took_turns ? 1 : 0;
}

void MachineOwner::NoteScaledCounters(double share) {
  if (!session_) return;
  ++session_->scaled_runs;
  session_->smallest_share = std::min(session_->smallest_share, share);
}

Result<const KnownProfile*> MachineOwner::Find(const std::string& name) const {
  const std::string wanted = name.empty() ? kDefaultProfile : name;
  for (const KnownProfile& known : parts_.profiles) {
    if (known.profile.name == wanted) return &known;
  }
  return InvalidArgument("machine-profile", "unknown profile '" + wanted + "'",
                         "choose among " + Names(parts_.profiles));
}

/// Returns the profile of a session. If the session leaves settings out, the profile gets another
/// name, so that it cannot be mistaken for the full profile, which may be held already.
Result<KnownProfile> MachineOwner::Choose(const MachineRequest& request) const {
  TRY(const auto found, Find(request.profile));
  KnownProfile known = *found;
  for (const std::string& setting : request.settings_off) {
    if (!LeaveOut(known.profile, setting)) {
      return InvalidArgument("settings_off", "unknown setting '" + setting + "'");
    }
    known.profile.name += " without " + setting;
  }
  return known;
}

/// Returns the CPUs in the list `cpus`, which must all belong to the profile; for an empty list,
/// the CPUs that the profile uses.
Result<std::vector<int>> MachineOwner::ChooseCpus(const KnownProfile& known, Isolation isolation,
                                                  const std::string& cpus) const {
  if (cpus.empty()) {
    return isolation == Isolation::kOff ? std::vector<int>() : known.cpus.used;
  }
  auto chosen = ParseCpuList(cpus);
  if (!chosen) return InvalidArgument("cpus", chosen.error().message, chosen.error().hint);
  const std::vector<int>& there = known.RequestableCpus();
  if (const auto outside = CpusWithout(*chosen, there); !outside.empty()) {
    return InvalidArgument("cpus", FormatCpuList(outside) + " is not among the benchmark CPUs",
                           "choose among " + FormatCpuList(there));
  }
  if (chosen->empty()) return InvalidArgument("cpus", "the list is empty");
  return chosen;
}

/// Limits the memory of the runs' control groups.
/// @param profile_bytes  the profile's limit; 0 for no limit
/// @return the state of the limit; empty if no limit was requested
std::optional<SettingState> MachineOwner::LimitMemory(std::uint64_t profile_bytes) const {
  const std::uint64_t of_profile = profile_bytes == 0 ? kNoLimit : profile_bytes;
  const std::uint64_t wanted = std::min(of_profile, parts_.memory_limit_bytes);
  SettingState state{
      .setting = "memory_limit",
      .wanted = fmt::format("{} bytes", wanted),
      .actual = "no limit",
      .held = !parts_.run_groups.empty(),
      .why = parts_.run_groups.empty() ? "no control group can be created here" : ""};
  for (TreeGroup* group : parts_.run_groups) {
    auto limited = group->LimitMemory(wanted);
    if (limited) continue;
    state.held = false;
    state.why = limited.error().message;
  }
  if (state.held) state.actual = state.wanted;
  return wanted != kNoLimit ? std::optional(std::move(state)) : std::nullopt;
}

// ---- the held profile ----

void MachineOwner::Hold(const KnownProfile& known) {
  if (parts_.journal == nullptr || (held_ && held_->name() == known.profile.name)) return;
  notes_ = ReleaseProfile();
  held_.emplace(
      ProfileServices{{parts_.settings, *parts_.journal, boot_id_}, parts_.place, parts_.seat},
      known.profile, known.cpus);
}

std::vector<std::string> MachineOwner::ReleaseProfile() {
  if (!held_) return {};
  std::vector<std::string> notes = held_->Release();
  held_.reset();
  if (notes.empty()) {
    auto cleared = parts_.journal->Clear();
    if (!cleared) notes.push_back(cleared.error().message);
    return notes;
  }
  // Tries again. This drops entries whose settings another program has changed, and keeps those
  // that the kernel refuses for later.
  const auto again = RestoreFrom(*parts_.journal, parts_.settings, boot_id_);
  if (!again) notes.push_back(again.error().message);
  for (const std::string& sentence : again.value_or(std::vector<std::string>())) {
    if (std::find(notes.begin(), notes.end(), sentence) == notes.end()) notes.push_back(sentence);
  }
  return notes;
}

/// Holds the profile that remains after a session: the one that an administrator has applied, or
/// else the one that is held as long as benchd runs.
void MachineOwner::HoldWhatStays() {
  notes_.clear();
  const auto known = Find(applied_);
  const bool stays = known && (!applied_.empty() ||
                               (daemon_here_ && (*known)->profile.hold == HoldSettings::kDaemon));
  if (stays) {
    Hold(**known);
  } else {
    notes_ = ReleaseProfile();
  }
}

void MachineOwner::DaemonCame() {
  daemon_here_ = true;
  HoldWhatStays();
}

void MachineOwner::DaemonGone() {
  daemon_here_ = false;
  applied_.clear();
  Release();
  HoldWhatStays();
}

Result<MachineStatus> MachineOwner::Apply(const std::string& profile) {
  if (session_) {
    return Error{ErrorCode::kFailedPrecondition, "apply: a session is running",
                 "try again when it has ended"};
  }
  TRY(auto known, Find(profile));
  if (parts_.journal == nullptr) {
    return Error{ErrorCode::kFailedPrecondition, "apply: " + parts_.why_nothing,
                 "use the system's benchd; only a system service changes settings"};
  }
  applied_ = known->profile.name;
  HoldWhatStays();
  return StatusOf(*known);
}

Result<MachineStatus> MachineOwner::Restore() {
  if (session_) {
    return Error{ErrorCode::kFailedPrecondition, "restore: a session is running",
                 "wait until it ends, or cancel it with benchctl cancel; its settings are then "
                 "restored"};
  }
  applied_.clear();
  notes_ = ReleaseProfile();
  std::vector<std::string> notes = notes_;
  if (parts_.journal != nullptr) {
    TRY(auto restored, RestoreFrom(*parts_.journal, parts_.settings, boot_id_));
    notes.insert(notes.end(), restored.begin(), restored.end());
  }
  MachineStatus status = StatusOf(**Find(kDefaultProfile));
  status.notes.insert(status.notes.begin(), notes.begin(), notes.end());
  return status;
}

// ---- reports ----

Result<MachineStatus> MachineOwner::Describe(const std::string& profile) const {
  TRY(auto known, Find(profile.empty() && held_ ? held_->name() : profile));
  return StatusOf(*known);
}

std::vector<SettingState> MachineOwner::States(const KnownProfile& known) const {
  const bool holds = held_ && held_->name() == known.profile.name;
  std::vector<SettingState> states =
      holds ? held_->states()
            : DescribeProfile(known.profile, known.cpus, parts_.settings, parts_.place,
                              parts_.why_nothing);
  if (!parts_.overlap.empty()) {
    states.push_back({.setting = kHousekeepingCpus,
                      .wanted = "separate from the benchmark CPUs",
                      .actual = "shared",
                      .held = false,
                      .why = parts_.overlap});
  }
  return states;
}

Environment MachineOwner::DescribeEnvironment() const {
  Environment environment = ReadEnvironment(parts_.settings.files());
  if (!parts_.counters.empty()) environment.facts.emplace_back("counters", parts_.counters);
  return environment;
}

MachineStatus MachineOwner::StatusOf(const KnownProfile& known) const {
  MachineStatus status;
  status.profile = known.profile.name;
  if (held_ && held_->name() == known.profile.name) {
    status.holder = session_ ? "session" : applied_.empty() ? "daemon" : "apply";
  }
  status.environment = DescribeEnvironment();
  status.settings = States(known);
  if (!status.holder.empty()) {
    const std::vector<std::string> present = held_->Present();
    for (std::size_t i = 0; i < present.size(); ++i) status.settings[i].actual = present[i];
  }
  status.benchmark_cpus = known.cpus.benchmark;
  status.housekeeping_cpus = known.cpus.housekeeping;
  if (!parts_.why_nothing.empty()) status.notes.push_back(parts_.why_nothing);
  return status;
}

MachineSample MachineOwner::Sample() const {
  return TakeSample(parts_.settings.files(), (*Find(kDefaultProfile))->cpus.benchmark);
}

std::vector<NoiseSource> MachineOwner::Diagnose(const MachineSample& before) const {
  const KnownProfile& known = **Find(held_ ? held_->name() : kDefaultProfile);
  return benchd::Diagnose(parts_.settings.files(), known.cpus, States(known), before, Sample());
}

}  // namespace benchd
