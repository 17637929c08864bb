#include "client/render/findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/render/gates.h"
#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "core/analysis/geometric_mean.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// -1: the second of the pair is clearly lower than the first, 1: higher, 0: neither is clear.
int SideOf(const Comparison& pair) {
  const std::optional<Effect>& effect = pair.change ? pair.change : pair.difference;
  if (!effect || !effect->lo || !effect->hi) return 0;
  return *effect->lo > 0 ? 1 : *effect->hi < 0 ? -1 : 0;
}

// Who of the candidates is clearly better than whom.
class Relation {
 public:
  explicit Relation(const ArmPairs& pairs) : pairs_(pairs) {}

  bool IsBetter(const std::string& arm, const std::string& other) const {
    for (const Comparison& pair : pairs_.comparisons) {
      const int good = pair.better == Better::kHigher ? 1 : -1;
      if (pair.candidate == arm && pair.reference == other) return SideOf(pair) == good;
      if (pair.candidate == other && pair.reference == arm) return SideOf(pair) == -good;
    }
    return false;
  }

  std::ptrdiff_t Wins(const std::string& arm) const {
    return std::ranges::count_if(pairs_.candidates,
                                 [&](const std::string& other) { return IsBetter(arm, other); });
  }

 private:
  const ArmPairs& pairs_;
};

using Group = std::vector<std::string>;

// The best first. Groups follow one another where each of one is clearly better than each behind.
std::vector<Group> GroupsOf(const ArmPairs& pairs) {
  const Relation relation(pairs);
  Group sorted = pairs.candidates;
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&relation](const std::string& arm) { return relation.Wins(arm); });
  std::vector<Group> groups(1);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool clear = std::ranges::all_of(
        sorted.begin(), sorted.begin() + static_cast<int>(i), [&](const std::string& before) {
          return std::all_of(
              sorted.begin() + static_cast<int>(i), sorted.end(),
              [&](const std::string& behind) { return relation.IsBetter(before, behind); });
        });
    if (clear && i > 0) groups.emplace_back();
    groups.back().push_back(sorted[i]);
  }
  return groups;
}

std::string Names(const Group& group) {
  return Join(
      group, ", ", [](const std::string& name) { return Printable(name); }, " and ");
}

// Of those that cannot all be ordered some pairs may be clear.
std::string ClearPairs(const Group& group, const Relation& relation) {
  Group clear;
  for (const std::string& arm : group) {
    for (const std::string& other : group) {
      if (relation.IsBetter(arm, other)) {
        clear.push_back(Printable(arm) + " before " + Printable(other));
      }
    }
  }
  return clear.empty() ? "no clear difference" : "clear is only " + Join(clear, ", ");
}

std::string OrderOf(const ArmPairs& pairs) {
  const Relation relation(pairs);
  const std::vector<Group> groups = GroupsOf(pairs);
  if (groups.size() == 1) {
    return Names(groups.front()) + ": " + ClearPairs(groups.front(), relation);
  }
  const Comparison& first = pairs.comparisons.front();
  const std::string best =
      first.metric == "wall_time"
          ? "fastest"
          : (first.better == Better::kHigher ? "highest " : "lowest ") + Printable(first.metric);
  return best + ": " + Join(groups, ", then ", [&relation](const Group& group) {
           return Names(group) +
                  (group.size() > 1 ? " (" + ClearPairs(group, relation) + ")" : std::string());
         });
}

}  // namespace

std::string RenderArmOrder(std::span<const ArmPairs> benchmarks) {
  std::string text;
  for (const ArmPairs& pairs : benchmarks) {
    if (pairs.comparisons.empty()) continue;
    if (benchmarks.size() > 1) text += Printable(pairs.benchmark) + ": ";
    text += OrderOf(pairs) + "\n";
  }
  return text;
}

namespace {

// As far as the mean is made of it.
Comparison GateOf(const v1::Comparison& from) {
  Comparison gate;
  gate.benchmark = from.benchmark();
  gate.reference = from.reference();
  gate.candidate = from.candidate();
  gate.metric = from.metric();
  gate.role = ComparisonRole::kGate;
  gate.confidence = from.confidence();
  gate.method = convert::ToModel<benchd::Method>(from.method()).value_or(benchd::Method::kPaired);
  gate.estimator.kind =
      convert::ToModel<EstimatorKind>(from.estimator().kind()).value_or(EstimatorKind::kMean);
  gate.n_reference = from.n_reference();
  gate.n_candidate = from.n_candidate();
  if (from.has_mean_reference()) gate.mean_reference = from.mean_reference();
  if (from.has_mean_candidate()) gate.mean_candidate = from.mean_candidate();
  if (from.has_sd_reference()) gate.sd_reference = from.sd_reference();
  if (from.has_sd_candidate()) gate.sd_candidate = from.sd_candidate();
  if (from.has_pairing_gain()) gate.pairing_gain = from.pairing_gain();
  if (!from.has_change()) return gate;
  gate.change = Effect{from.change().estimate(), {}, {}};
  if (from.change().has_lo()) gate.change->lo = from.change().lo();
  if (from.change().has_hi()) gate.change->hi = from.change().hi();
  return gate;
}

std::vector<SuiteChange> SuiteChangesOf(const v1::Update& update) {
  std::vector<Comparison> gates;
  for (const v1::Comparison* gate : GatesOf(update)) gates.push_back(GateOf(*gate));
  return ChangesOverBenchmarks(gates);
}

}  // namespace

std::string RenderGeometricMeans(const v1::Update& update, const Style& style) {
  const std::vector<SuiteChange> changes = SuiteChangesOf(update);
  std::string text;
  for (const SuiteChange& one : changes) {
    const auto format = ColumnFormat::OfChanges(one.change.lo, one.change.hi);
    text += "geometric mean of " + Printable(one.metric);
    if (changes.size() > 1) {
      text += ", " + Printable(one.candidate) + " vs " + Printable(one.reference);
    }
    text += ": " + format.WithUnit(format.Signed(one.change.estimate));
    if (one.change.lo && one.change.hi) {
      text += " (" + format.Interval(*one.change.lo, *one.change.hi, style) + ")";
    }
    text += " over " + Counted(one.benchmarks, "benchmark") + "\n";
  }
  return text;
}

void AddGeometricMeans(Json& json, const v1::Update& update) {
  for (const SuiteChange& one : SuiteChangesOf(update)) {
    Json mean;
    mean["reference"] = one.reference;
    mean["candidate"] = one.candidate;
    mean["metric"] = one.metric;
    mean["benchmarks"] = one.benchmarks;
    Put(mean, "confidence", one.confidence);
    Json& change = mean["change"];
    Put(change, "estimate", one.change.estimate);
    if (one.change.lo) Put(change, "lo", *one.change.lo);
    if (one.change.hi) Put(change, "hi", *one.change.hi);
    json["geometric_means"].push_back(std::move(mean));
  }
}

namespace {

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

std::string WarningLine(const v1::Warning& warning, const std::string& more,
                        const v1::Update& update, const Style& style) {
  const std::string place = Place(warning, update);
  std::string text = Paint("warning:", Tint::kYellow, style) + " ";
  if (!place.empty()) text += place + ": ";
  return WrapSentence(text + WarningText(convert::FromProto(warning)) + more, style);
}

// What every benchmark of a suite says for itself is told once, and how often else.
std::string OneOfAKind(const v1::Update& update, bool notes, const Style& style) {
  std::vector<const v1::Warning*> first;
  std::map<std::string_view, int> count;
  for (const v1::Warning& warning : update.warnings()) {
    const bool note = convert::FromProto(warning).severity == Severity::kNote;
    if (note != notes) continue;
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

std::string WarningText(const Warning& warning) {
  std::string text = OneLine(warning.message);
  if (!warning.hint.empty()) text += "; " + OneLine(warning.hint);
  return text;
}

std::string RenderWarnings(const v1::Update& update, WarningsShown shown, const Style& style) {
  if (shown != WarningsShown::kAll) {
    return OneOfAKind(update, shown == WarningsShown::kNotes, style);
  }
  std::string text;
  for (const v1::Warning& warning : update.warnings()) {
    text += WarningLine(warning, "", update, style);
  }
  return text;
}

}  // namespace benchd::client
