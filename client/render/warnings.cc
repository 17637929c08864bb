#include "client/render/warnings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "client/render/gates.h"

namespace benchd::client {
namespace {

// What somebody who reads a result can do about a warning.
struct Reaction {
  std::string_view code;
  std::string_view what;  // behind the daemon's sentence; empty where that says it
};

// A code that is not here is for information: `show` and --verbose have it.
constexpr auto kReactions = std::to_array<Reaction>({
    // The data do not carry the verdict, or there is none for a reason that more runs do not mend.
    {"missing_values", "let every run print it, or gate on another metric"},
    {"resolution", "choose a wider margin, or another metric"},
    {"runs_incomplete", "give it more --max-time"},
    {"last_look", "compare once more to be sure"},
    {"placebo", "`benchctl machine doctor` names what disturbs it"},
    {"warmup", ""},
    {"warmup_inside", ""},
    {"pairs_drift", "compare once more, on a machine that is quieter"},
    {"shapes_differ", ""},
    // The table that was read.
    {"no_classic_interval", "leave --interval out"},
    {"not_compared", "name their reference: --base NAME"},
    {"not_interleaved", ""},
    {"different_days", "measure both on the same day, in turn"},
    {"incomplete_pairs", "look at the column pair"},
    // The machine while it measured.
    {"frequency", ""},
    {"throttling", ""},
    {"steal", ""},
    {"other_process", ""},
    {"contention", ""},
    {"limit_reached", "raise that limit in the machine profile"},
    {"partition_invalid", "compare once more"},
    {"setting_changed", "compare once more while nobody changes it"},
    {"setting_left", "`benchctl machine status` shows it"},
    {"aslr_off", "set aslr = \"on\" in the machine profile"},
    {"nice_inherited", "start benchd without nice"},
    // A session that stands still.
    {"disk_full", ""},
    {"not_stored", ""},
});

// Codes that this benchctl knows to be for information; those of a newer daemon are shown.
constexpr auto kForInformation = std::to_array<std::string_view>(
    {"outliers", "several_modes", "dissimilar_runs", "spikes", "metric_missing", "no_ratio",
     "beyond_max_runs", "failed_runs", "interrupted", "paused", "migrations", "counters_scaled",
     "cgroup_v1"});

std::string_view ReactionTo(const v1::Warning& warning) {
  const auto found = std::ranges::find(kReactions, warning.code(), &Reaction::code);
  return found == kReactions.end() ? std::string_view() : found->what;
}

bool ComparesPairs(const v1::Update& update) {
  return std::ranges::any_of(update.comparisons(), [](const v1::Comparison& c) {
    return c.method() == v1::METHOD_PAIRED || c.method() == v1::METHOD_EXACT_T;
  });
}

bool IsToActOn(const v1::Warning& warning, const v1::Update& update) {
  // Pairs compensate for it.
  if (warning.code() == "drift") return !ComparesPairs(update);
  return std::ranges::find(kForInformation, warning.code()) == kForInformation.end();
}

// Where it belongs, as far as the sentence does not say it and there is a choice.
std::string Place(const v1::Warning& warning, const v1::Update& update) {
  const bool several = std::ranges::any_of(update.comparisons(), [&warning](const auto& c) {
    return c.benchmark() != warning.benchmark();
  });
  std::string place = several ? warning.benchmark() : "";
  if (warning.message().find(warning.arm()) == std::string::npos) {
    place += (place.empty() ? "" : "/") + warning.arm();
  }
  return Printable(place);
}

// CPU time is less affected by what else ran: news for those alone who gate on wall time and not on
// it already.
bool CpuTimeWouldHelp(const v1::Warning& warning, const v1::Update& update) {
  if (warning.code() != "other_process" && warning.code() != "contention") return false;
  const auto gates = GatesOf(update);
  const auto gates_on = [&gates](std::string_view metric) {
    return std::ranges::any_of(
        gates, [metric](const v1::Comparison* gate) { return gate->metric() == metric; });
  };
  return gates_on("wall_time") && !gates_on("cpu_time");
}

std::string WarningLine(const v1::Warning& warning, const std::string& more,
                        const v1::Update& update, const Style& style) {
  const std::string place = Place(warning, update);
  const std::string_view what = ReactionTo(warning);
  std::string text = Paint("warning:", Tint::kYellow, style) + " ";
  if (!place.empty()) text += place + ": ";
  text += OneLine(warning.message());
  if (!what.empty()) text.append("; ").append(what);
  if (CpuTimeWouldHelp(warning, update)) text += ", or gate on cpu_time, which is less affected";
  return WrapSentence(text + more, style);
}

// What every benchmark of a suite says for itself is told once, and how often else.
std::string WarningsToActOn(const v1::Update& update, const Style& style) {
  std::vector<const v1::Warning*> first;
  std::map<std::string_view, int> count;
  for (const v1::Warning& warning : update.warnings()) {
    if (!IsToActOn(warning, update)) continue;
    if (count[warning.code()]++ == 0) first.push_back(&warning);
  }
  std::string text;
  for (const v1::Warning* warning : first) {
    const int others = count[warning->code()] - 1;
    const std::string more =
        others > 0 ? " (and " + std::to_string(others) + " more of this kind)" : "";
    text += WarningLine(*warning, more, update, style);
  }
  return text;
}

}  // namespace

std::string RenderWarnings(const v1::Update& update, WarningsShown shown, const Style& style) {
  if (shown == WarningsShown::kToActOn) return WarningsToActOn(update, style);
  std::string text;
  for (const v1::Warning& warning : update.warnings()) {
    text += WarningLine(warning, "", update, style);
  }
  return text;
}

}  // namespace benchd::client
