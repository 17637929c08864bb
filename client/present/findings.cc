#include "client/present/findings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/present/gates.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/analysis/arm_order.h"
#include "core/analysis/geometric_mean.h"
#include "core/base/text.h"
#include "core/model/session_spec.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

std::string Names(const ArmGroup& group) {
  return Join(
      group.arms, ", ", [](const std::string& name) { return Printable(name); }, " and ");
}

// Of those that cannot all be ordered some pairs may be clear.
std::string ClearPairs(const ArmGroup& group) {
  if (group.clear.empty()) return "no clear difference";
  return "clear is only " + Join(group.clear, ", ", [](const auto& pair) {
           return Printable(pair.first) + " before " + Printable(pair.second);
         });
}

std::string OrderText(const ArmOrder& order) {
  if (order.groups.size() == 1) {
    return Names(order.groups.front()) + ": " + ClearPairs(order.groups.front());
  }
  const std::string best =
      order.metric == "wall_time"
          ? "fastest"
          : (order.better == Better::kHigher ? "highest " : "lowest ") + Printable(order.metric);
  return best + ": " + Join(order.groups, ", then ", [](const ArmGroup& group) {
           return Names(group) +
                  (group.arms.size() > 1 ? " (" + ClearPairs(group) + ")" : std::string());
         });
}

}  // namespace

std::string RenderArmOrder(std::span<const ArmPairs> benchmarks) {
  std::string text;
  for (const ArmPairs& pairs : benchmarks) {
    const ArmOrder order = OrderArms(pairs);
    if (order.groups.empty()) continue;
    if (benchmarks.size() > 1) text += Printable(pairs.benchmark) + ": ";
    text += OrderText(order) + "\n";
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
  if (from.has_change_allowance()) gate.change_allowance = from.change_allowance();
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

// The arm as its reader knows it: the builds of --layouts are one.
std::string ArmOf(const v1::Warning& warning, const v1::Update& update) {
  const bool layouts =
      !update.comparisons().empty() && update.comparisons(0).method() == v1::METHOD_LAYOUTS;
  const auto layout = layouts ? LayoutOf(warning.arm()) : std::nullopt;
  return layout ? layout->group : warning.arm();
}

// Which share of an arm's runs failed: "18 of 20 runs of ..." is where a warning says it.
double FailedShare(const v1::Warning& warning) {
  unsigned long long failed = 0;
  unsigned long long runs = 0;
  const bool counts = warning.code() == "failed_runs" &&
                      std::sscanf(warning.message().c_str(), "%llu of %llu", &failed, &runs) == 2;
  return counts && runs > 0 ? static_cast<double>(failed) / static_cast<double>(runs) : 0;
}

bool IsWorse(const v1::Warning& one, const v1::Warning& other) {
  const auto weight = [](const v1::Warning& warning) {
    return std::pair(convert::FromProto(warning).severity, FailedShare(warning));
  };
  return weight(one) > weight(other);
}

// Warnings of one kind and arm, which are shown in one line.
struct Fold {
  const v1::Warning* worst = nullptr;
  int others = 0;
};

// A warning that several benchmarks repeat is shown once: the worst of them, and how many more
// there are. Each arm has a line of its own, so that the reference's failures do not hide the
// candidate's.
std::string OneOfAKind(const v1::Update& update, bool notes, const Style& style) {
  std::vector<Fold> folds;
  std::map<std::pair<std::string_view, std::string>, std::size_t> places;
  for (const v1::Warning& warning : update.warnings()) {
    const bool note = convert::FromProto(warning).severity == Severity::kNote;
    if (note != notes) continue;
    const auto [place, is_new] =
        places.try_emplace({warning.code(), ArmOf(warning, update)}, folds.size());
    if (is_new) {
      folds.push_back({&warning});
      continue;
    }
    Fold& fold = folds[place->second];
    ++fold.others;
    if (IsWorse(warning, *fold.worst)) fold.worst = &warning;
  }
  std::string text;
  for (const auto& [worst, others] : folds) {
    const std::string more =
        others > 0 ? " (and " + std::to_string(others) + " more of this kind)" : "";
    text += WarningLine(*worst, more, update, style);
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
