#include "client/session/setting_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <random>
#include <utility>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/link/daemon_link.h"
#include "client/present/calibration.h"
#include "client/present/json.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "client/session/submission.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"
#include "core/model/machine_profile.h"

namespace benchd::client {
namespace {

constexpr double kAlpha = 0.05;
constexpr std::size_t kFewestRounds = 10;
constexpr double kStretchSeconds = 2;
constexpr std::size_t kFewestBlocks = 20;
constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kPilotBlocks = 10;
constexpr double kClockStep = 1e-9;  // resolution of wall_time, in seconds

std::vector<std::string> ListOf(const ParsedArguments& arguments, const char* option) {
  const std::string* const text = LastValue(arguments, option);
  return text == nullptr ? std::vector<std::string>() : SplitNames(*text);
}

Result<v1::Isolation> ReadIsolation(const std::string& word) {
  v1::SessionSpec spec;
  const OptionTarget target{.session = &spec, .benchmark = nullptr, .arms = nullptr, .cwd = {}};
  auto parsed = ParseOption(FindSessionOption("isolation")->field, word, target);
  if (!parsed) return std::move(parsed).error().Within("--isolation " + word);
  return spec.isolation();
}

std::string NameOf(const std::string& isolation, const std::string& profile, bool several_kinds,
                   bool several_profiles) {
  if (!several_profiles || isolation == "off") return isolation;
  return several_kinds ? isolation + "/" + profile : profile;
}

}  // namespace

bool WantsSettingTrial(const ParsedArguments& arguments) {
  return IsGiven(arguments, "each") || ListOf(arguments, "isolation").size() > 1 ||
         ListOf(arguments, "machine-profile").size() > 1;
}

Result<std::vector<TrialSetting>> ReadTrialSettings(const ParsedArguments& arguments) {
  std::vector<std::string> kinds = ListOf(arguments, "isolation");
  std::vector<std::string> profiles = ListOf(arguments, "machine-profile");
  if (kinds.empty()) kinds = {"best-effort"};
  if (profiles.empty()) profiles = {"default"};
  const bool each = IsGiven(arguments, "each");
  if (each && (kinds.size() > 1 || profiles.size() > 1)) {
    return UsageError("--each: takes one profile and one kind of isolation",
                      "leave out the lists of --isolation and --machine-profile");
  }
  std::vector<TrialSetting> settings;
  for (const std::string& kind : kinds) {
    TRY(auto isolation, ReadIsolation(kind));
    const bool off = isolation == v1::ISOLATION_OFF;
    if (each && off) return UsageError("--each: with --isolation off there is no setting to try");
    for (const std::string& profile : profiles) {
      if (profile.empty()) return UsageError("--machine-profile: empty profile name");
      const std::string name = NameOf(kind, profile, kinds.size() > 1, profiles.size() > 1);
      if (std::ranges::find(settings, name, &TrialSetting::name) != settings.end()) {
        return UsageError("--isolation, --machine-profile: duplicate setting '" + name + "'");
      }
      settings.push_back({name, isolation, profile, {}});
      if (off) break;
    }
  }
  return settings;
}

Result<TrialPlan> PlanTrial(std::size_t settings, double block_seconds, double overhead_seconds,
                            double wanted_seconds) {
  const double wanted_blocks = std::round(kStretchSeconds / std::max(block_seconds, 1e-6));
  TrialPlan plan{.rounds = kFewestRounds};
  plan.blocks = static_cast<std::size_t>(std::clamp(
      wanted_blocks, static_cast<double>(kFewestBlocks), static_cast<double>(kMostBlocks)));
  const auto seconds = [&](std::size_t rounds, std::size_t blocks) {
    return static_cast<double>(rounds * settings) *
           (static_cast<double>(blocks) * block_seconds + overhead_seconds);
  };
  if (wanted_seconds > 0) {
    const double fewest = seconds(kFewestRounds, kFewestBlocks);
    if (fewest > wanted_seconds) {
      return UsageError(fmt::format("--for: {} segments of each of {} settings do not fit into {}",
                                    kFewestRounds, settings, FormatRough(wanted_seconds)),
                        "allow " + FormatRough(std::ceil(fewest)) + " or more");
    }
    if (seconds(kFewestRounds, plan.blocks) <= wanted_seconds) {
      plan.rounds = static_cast<std::size_t>(wanted_seconds / seconds(1, plan.blocks));
    } else {
      const double stretch = wanted_seconds / static_cast<double>(kFewestRounds * settings);
      plan.blocks = std::max(
          kFewestBlocks, static_cast<std::size_t>((stretch - overhead_seconds) / block_seconds));
    }
  }
  plan.seconds = seconds(plan.rounds, plan.blocks);
  return plan;
}

namespace {

/// Returns a trial setting with the whole profile, then one for each machine setting of the
/// profile, in which only that machine setting is off.
Result<std::vector<TrialSetting>> EachSetting(DaemonLink& link, const TrialSetting& whole) {
  v1::GetMachineRequest request;
  request.set_profile(whole.profile);
  TRY(auto status, CallDaemon(link, &v1::MachineService::Stub::Get, request));
  std::vector<TrialSetting> settings = {whole};
  settings.front().name = "all settings";
  std::string why;
  for (const v1::Setting& setting : status.settings()) {
    const auto known = MachineSettingNames();
    if (std::ranges::find(known, setting.setting()) == known.end()) continue;
    if (why.empty()) why = setting.why();
    // A setting that is unavailable here is off in any case.
    if (!setting.held() && !setting.why().empty()) continue;
    TrialSetting without = whole;
    without.name = "without " + setting.setting();
    without.settings_off = {setting.setting()};
    settings.push_back(std::move(without));
  }
  if (settings.size() > 1) return settings;
  return Error{ErrorCode::kFailedPrecondition,
               "--each: no setting of profile " + whole.profile + " can be changed here" +
                   (why.empty() ? "" : ": " + why),
               "benchctl machine status lists them; to try the choice of CPUs alone, use "
               "--isolation off,best-effort"};
}

/// The results of one segment.
struct Stretch {
  std::string session;
  StretchFigures figures;
  double interruptions = 0;
  std::optional<double> foreign_switches;
  std::size_t held = 0;
  std::size_t wanted = 0;
  std::string why_not;  ///< why the first missing setting was not applied
  std::optional<double> seen_in_minute;
  double measured_seconds = 0;
};

/// The end of one segment: it has results, the machine refused it, or it ended the whole trial.
struct StretchEnd {
  std::optional<Stretch> stretch;
  std::string refused;
  std::optional<ExitCode> code;  ///< exit code of the trial, if it ends
};

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Runs the sessions of a trial one by one and summarises their results.
class Trial {
 public:
  Trial(const CommandContext& context, DaemonLink& link, Interrupts& interrupts,
        v1::SessionSpec spec, std::vector<TrialSetting> settings, std::uint64_t seed)
      : json_(context.json),
        link_(link),
        interrupts_(interrupts),
        spec_(std::move(spec)),
        settings_(std::move(settings)),
        random_(seed),
        stretches_(settings_.size()) {
    report_.seed = seed;
    report_.confidence = 1 - kAlpha;
    report_.each = IsGiven(context.arguments, "each");
    for (const TrialSetting& setting : settings_) report_.rows.push_back({.name = setting.name});
    (*spec_.mutable_labels())["calibrate"] = std::to_string(seed);
  }

  Result<ExitCode> Run(double wanted_seconds) {
    TRY(auto plan, Plan(wanted_seconds));
    if (code_) return *code_;
    report_.runs = 2 * plan.blocks;
    for (std::size_t round = 0; round < plan.rounds && !code_; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      TRY_VOID(RunRound(round, plan.blocks));
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      const std::size_t left = plan.rounds - round - 1;
      if (code_ || left == 0) break;
      PrintToStderr(fmt::format("round {} of {}, about {} left", round + 1, plan.rounds,
                                FormatRough(taken.count() * static_cast<double>(left))));
    }
    Print();
    return code_.value_or(ExitCode::kPass);
  }

 private:
  /// Runs a short session whose results are discarded, to estimate how long the others will take.
  Result<TrialPlan> Plan(double wanted_seconds) {
    const auto begin = std::chrono::steady_clock::now();
    TRY(auto end, RunStretch(settings_.front(), kPilotBlocks));
    code_ = end.code;
    if (code_) return TrialPlan{};
    if (!end.stretch) {
      return Error{ErrorCode::kFailedPrecondition, settings_.front().name + ": " + end.refused,
                   "begin the list with a setting that this machine has, such as off"};
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const double measured = end.stretch->measured_seconds;
    auto plan = PlanTrial(settings_.size(), measured / kPilotBlocks,
                          std::max(0.0, taken.count() - measured), wanted_seconds);
    if (!plan) return plan;
    PrintToStderr(
        fmt::format("{} settings, {} segments of {} runs each, in random order (seed {}): about {}",
                    settings_.size(), plan->rounds, 2 * plan->blocks, report_.seed,
                    FormatRough(plan->seconds)));
    return plan;
  }

  Result<void> RunRound(std::size_t number, std::size_t blocks) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      if (report_.rows[i].refused.empty()) order.push_back(i);
    }
    // Fisher-Yates, because std::shuffle differs between libraries.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    TrialRound round(settings_.size());
    for (const std::size_t i : order) {
      if (interrupts_.interrupted()) code_ = ExitCode::kInterrupted;
      if (code_) break;
      TRY(auto end, RunStretch(settings_[i], blocks));
      code_ = end.code;
      report_.rows[i].refused = end.refused;
      if (!end.stretch) continue;
      round[i] = end.stretch->figures;
      if (json_) PrintStretch(settings_[i].name, number + 1, *end.stretch);
      stretches_[i].push_back(*std::move(end.stretch));
    }
    rounds_.push_back(std::move(round));
    return {};
  }

  Result<StretchEnd> RunStretch(const TrialSetting& setting, std::size_t blocks) {
    v1::SessionSpec spec = spec_;
    spec.set_isolation(setting.isolation);
    spec.set_machine_profile(setting.profile);
    for (const std::string& one : setting.settings_off) spec.add_settings_off(one);
    spec.set_seed(random_());
    spec.mutable_limits()->set_runs(blocks);
    v1::Session session = SessionToFollow(spec);
    interrupts_.Defer();
    auto submitted = SubmitSession(link_, std::move(spec), {.follows = true});
    if (!submitted) {
      // The machine refuses strict isolation or lacks the profile; other settings may work.
      if (submitted.error().code != ErrorCode::kFailedPrecondition) return submitted.error();
      return StretchEnd{{}, submitted.error().message, {}};
    }
    session.set_session(submitted->session());
    TRY(auto followed,
        FollowSession(link_, session, {.progress = Progress::kQuiet, .may_detach = false},
                      interrupts_));
    const v1::Session& ended = followed.session;
    if (ended.state() == v1::SESSION_STATE_FAILED && ended.failed().refused()) {
      return StretchEnd{{}, ended.failed().error(), {}};
    }
    if (ended.state() != v1::SESSION_STATE_DONE || followed.interrupted) {
      return StretchEnd{{}, {}, ReportEnd(followed, /*json=*/true)};
    }
    return ReadStretch(ended);
  }

  Result<StretchEnd> ReadStretch(const v1::Session& session) {
    TRY(auto runs, ReadRunsOf(link_, session, {.measured = true}));
    std::vector<double> times;
    std::vector<double> interruptions;
    std::vector<double> foreign;
    for (const v1::Run& run : runs.measured) {
      for (const v1::Sample& sample : run.samples()) {
        if (!sample.inner_benchmark().empty()) continue;
        if (sample.metric() == "wall_time") times.push_back(sample.value());
        if (sample.metric() == "involuntary_switches") interruptions.push_back(sample.value());
        if (sample.metric() == "foreign_switches") foreign.push_back(sample.value());
      }
    }
    TRY(auto figures, SummarizeStretch(times, kClockStep));
    Stretch stretch{.session = session.session(), .figures = figures};
    stretch.interruptions = MeanOf(interruptions);
    if (!foreign.empty()) stretch.foreign_switches = MeanOf(foreign);
    stretch.measured_seconds = session.report().elapsed_seconds();
    for (const v1::Setting& setting : session.started().isolation()) {
      ++stretch.wanted;
      stretch.held += setting.held() ? 1 : 0;
      if (!setting.held() && stretch.why_not.empty()) stretch.why_not = setting.why();
    }
    for (const NoiseFloor& floor : CalibrationOf(session.report()).metrics) {
      if (floor.metric == "wall_time") stretch.seen_in_minute = floor.seen_in_minute;
    }
    return StretchEnd{std::move(stretch), {}, {}};
  }

  void SumUp(TrialRow& row, const std::vector<Stretch>& stretches) {
    const auto median = [&stretches](auto of) {
      std::vector<double> values;
      for (const Stretch& one : stretches) {
        if (const std::optional<double> value = of(one)) values.push_back(*value);
      }
      const auto quartiles = QuartilesOf(values);
      return quartiles ? std::optional(quartiles->median) : std::nullopt;
    };
    using Value = std::optional<double>;
    row.stretches = stretches.size();
    if (stretches.empty()) return;
    row.median_s = *median([](const Stretch& one) { return Value(one.figures.median); });
    row.spread = *median([](const Stretch& one) { return Value(one.figures.spread); });
    row.tail = std::exp(*median([](const Stretch& one) { return Value(one.figures.log_tail); }));
    row.interruptions = *median([](const Stretch& one) { return Value(one.interruptions); });
    row.foreign_switches = median([](const Stretch& one) { return one.foreign_switches; });
    row.seen_in_minute = median([](const Stretch& one) { return one.seen_in_minute; });
    row.held = stretches.back().held;
    row.wanted = stretches.back().wanted;
    if (row.held > 0) any_held_ = true;
    if (row.wanted > 0 && row.held == 0) report_.nothing_held = stretches.back().why_not;
  }

  void Print() {
    for (std::size_t i = 0; i < settings_.size(); ++i) SumUp(report_.rows[i], stretches_[i]);
    if (any_held_) report_.nothing_held.clear();
    report_.trial = CompareSettings(rounds_, kAlpha);
    std::cout << (json_ ? SettingTrialJson(report_, Now()) + "\n"
                        : RenderSettingTrial(report_, StyleOf(STDOUT_FILENO)))
              << std::flush;
  }

  static void PrintStretch(const std::string& setting, std::size_t round, const Stretch& stretch) {
    Json json = Named("stretch", stretch.session, Now());
    json["setting"] = setting;
    json["round"] = round;
    json["runs"] = stretch.figures.runs;
    Put(json, "median_s", stretch.figures.median);
    Put(json, "spread", stretch.figures.spread);
    Put(json, "p95_over_median", std::exp(stretch.figures.log_tail));
    Put(json, "involuntary_switches", stretch.interruptions);
    std::cout << Line(json) << std::endl;
  }

  const bool json_;
  DaemonLink& link_;
  Interrupts& interrupts_;
  v1::SessionSpec spec_;
  const std::vector<TrialSetting> settings_;
  std::mt19937_64 random_;
  std::vector<TrialRound> rounds_;
  std::vector<std::vector<Stretch>> stretches_;
  bool any_held_ = false;
  TrialReport report_;
  std::optional<ExitCode> code_;  ///< set if the trial ends early
};

}  // namespace

Result<ExitCode> RunSettingTrial(const CommandContext& context, DaemonLink& link,
                                 Interrupts& interrupts, v1::SessionSpec spec,
                                 std::vector<TrialSetting> settings, double seconds) {
  spec.clear_rule();
  spec.mutable_limits()->clear_max_time_seconds();
  if (IsGiven(context.arguments, "each")) {
    TRY(auto each, EachSetting(link, settings.front()));
    settings = std::move(each);
  }
  std::uint64_t seed = spec.has_seed() ? spec.seed() : std::random_device{}();
  Trial trial(context, link, interrupts, std::move(spec), std::move(settings), seed);
  return trial.Run(seconds);
}

}  // namespace benchd::client
