#include "client/present/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/present/gates.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

std::string Names(const v1::ArmGroup& group) {
  return Join(
      group.arms(), ", ", [](const std::string& name) { return Printable(name); }, " and ");
}

// Formats a factor: "3.7 (3.5 … 3.9) times". Beyond kTellableFactor, the ends add no information.
std::string FactorWords(const v1::Effect& factor, const Style& style) {
  if (factor.estimate() > kTellableFactor) return FormatTimes(factor.estimate(), 0) + " times";
  const bool bounded = factor.has_lo() && factor.has_hi();
  const auto end = [bounded](double value) {
    return bounded ? std::optional(value) : std::nullopt;
  };
  const auto format = ColumnFormat::OfDifferences(factor.estimate(), end(factor.lo()),
                                                  end(factor.hi()), "1", style);
  std::string text = format.Format(factor.estimate());
  if (bounded) {
    text +=
        fmt::format(" ({}{}{})", format.Format(factor.lo()), To(style), format.Format(factor.hi()));
  }
  return text + " times";
}

// Names the arms of a group, each with its factor if it has one.
std::string NamesWithFactors(const v1::ArmGroup& group, const v1::ArmOrder& order,
                             const Style& style) {
  const auto name = [&](const std::string& arm) {
    const auto own = std::ranges::find(order.factors(), arm, &v1::ArmFactor::arm);
    if (own == order.factors().end()) return Printable(arm);
    return Printable(arm) + " " + FactorWords(own->factor(), style);
  };
  return Join(group.arms(), ", ", name, " and ");
}

// Describes which pairs of a group have no interval: "no interval for a and b", or their number if
// they are many.
std::string WithoutInterval(const v1::ArmGroup& group) {
  constexpr int kMostNamed = 2;
  const int pairs = group.arms_size() * (group.arms_size() - 1) / 2;
  const int without = group.without_interval_size();
  if (without == pairs) {
    return pairs == 1 ? "no order, because there is no interval"
                      : "no order, because there are no intervals";
  }
  if (without > kMostNamed) return fmt::format("no interval for {} of {} pairs", without, pairs);
  return "no interval for " + Join(group.without_interval(), ", ", [](const v1::ArmPair& pair) {
           return Printable(pair.first()) + " and " + Printable(pair.second());
         });
}

// Describes a group without a complete order: some pairs in it may still differ clearly.
std::string ClearPairs(const v1::ArmGroup& group) {
  const std::string without =
      group.without_interval().empty() ? std::string() : WithoutInterval(group);
  if (group.clear().empty()) return without.empty() ? "no clear difference" : without;
  return "clear only for " +
         Join(group.clear(), ", ",
              [](const v1::ClearPair& pair) {
                return Printable(pair.better()) + " before " + Printable(pair.worse());
              }) +
         (without.empty() ? "" : "; " + without);
}

std::string OrderText(const v1::ArmOrder& order, const Style& style) {
  if (order.groups_size() == 1) return Names(order.groups(0)) + ": " + ClearPairs(order.groups(0));
  const std::string best = order.metric() == "wall_time"
                               ? "fastest"
                               : (order.better() == v1::BETTER_HIGHER ? "highest " : "lowest ") +
                                     Printable(order.metric());
  return best + ": " + Join(order.groups(), ", then ", [&](const v1::ArmGroup& group) {
           return NamesWithFactors(group, order, style) +
                  (group.arms_size() > 1 ? " (" + ClearPairs(group) + ")" : std::string());
         });
}

}  // namespace

std::string RenderArmOrder(const v1::Update& update, const Style& style) {
  std::string text;
  for (const v1::ArmOrder& order : update.orders()) {
    if (SeveralBenchmarks(update)) text += Printable(order.benchmark()) + ": ";
    text += OrderText(order, style) + "\n";
  }
  return text;
}

std::string EstimatorNote(const v1::Update& update) {
  for (const v1::Comparison* gate : GatesOf(update)) {
    const v1::EstimatorKind kind = gate->estimator().kind();
    if (kind == v1::ESTIMATOR_KIND_UNSPECIFIED || kind == v1::ESTIMATOR_KIND_MEAN) continue;
    const bool fast_end =
        kind == v1::ESTIMATOR_KIND_QUANTILE && gate->better() == v1::BETTER_HIGHER;
    return "the gates compare by --estimator " + EstimatorWord(gate->estimator()) +
           (fast_end ? ", counted from the fast end" : "") + "; the values of the arms are means";
  }
  return "";
}

std::string RenderGeometricMeans(const v1::Update& update, const Style& style) {
  std::string text;
  for (const v1::GeometricMean& one : update.geometric_means()) {
    const v1::Effect& change = one.change();
    const bool has_interval = change.has_lo() && change.has_hi();
    const auto lo = change.has_lo() ? std::optional(change.lo()) : std::nullopt;
    const auto hi = change.has_hi() ? std::optional(change.hi()) : std::nullopt;
    const auto format = ColumnFormat::OfChanges(lo, hi);
    text += "geometric mean of " + Printable(one.metric());
    if (update.geometric_means_size() > 1) {
      text += ", " + Printable(one.candidate()) + " vs " + Printable(one.reference());
    }
    text += ": " + format.WithUnit(format.Signed(change.estimate()));
    if (has_interval) text += " (" + format.Interval(change.lo(), change.hi(), style) + ")";
    text += " over " + Counted(one.benchmarks(), "benchmark") + "\n";
  }
  return text;
}

namespace {

// Returns the place of a warning: its benchmark if there are several, and its arm unless the
// message names the arm.
std::string Place(const v1::Warning& warning, const v1::Update& update) {
  const bool several = std::ranges::any_of(update.comparisons(), [&warning](const auto& c) {
    return c.benchmark() != warning.benchmark();
  });
  std::string place = several ? warning.benchmark() : "";
  const std::string& message = warning.message();  // affects only the presentation
  if (message.find(warning.arm()) == std::string::npos) {
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

// Returns the name of the arm as the user gave it: the builds of --layouts count as one arm.
std::string ArmOf(const v1::Warning& warning, const v1::Update& update) {
  const bool layouts =
      !update.comparisons().empty() && update.comparisons(0).method() == v1::METHOD_LAYOUTS;
  const auto layout = layouts ? LayoutOf(warning.arm()) : std::nullopt;
  return layout ? layout->group : warning.arm();
}

bool IsWorse(const v1::Warning& one, const v1::Warning& other) {
  const auto weight = [](const v1::Warning& warning) {
    return std::pair(convert::FromProto(warning).severity, warning.share());
  };
  return weight(one) > weight(other);
}

// Warnings of one kind and arm, which are shown in one line.
struct Fold {
  const v1::Warning* worst = nullptr;
  int others = 0;
};

// Shows a warning that several benchmarks share once, with the worst case and the number of the
// others. Each arm has a separate line, so that the reference's failures do not hide the
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
    const std::string more = others > 0 ? fmt::format(" (and {} more of this kind)", others) : "";
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

namespace {

std::string CauseText(const v1::RunCause& cause, const Style& style) {
  const auto count = static_cast<std::uint64_t>(std::max(cause.value(), 0.0));
  if (cause.metric() == "interrupts") return Counted(count, "interrupt");
  if (cause.metric() == "stolen_time") return FormatQuantity(cause.value(), "s", style) + " stolen";
  if (cause.metric() == "foreign_switches") {
    return Counted(count, "foreign switch", "foreign switches");
  }
  if (cause.metric() == "migrations") return Counted(count, "migration");
  if (cause.metric() == "involuntary_switches") return "lost its CPU " + Counted(count, "time");
  // A metric of a newer release.
  return Printable(cause.metric()) + " " + FormatQuantity(cause.value(), "", style);
}

}  // namespace

std::string RenderWorstRuns(const v1::Update& update, const Style& style) {
  std::string text;
  for (const v1::WorstRun& run : update.worst_runs()) {
    std::string where = Printable(run.arm());
    if (SeveralBenchmarks(update)) where = Printable(run.benchmark()) + ", " + where;
    const std::string causes =
        Join(run.causes(), ", ", [&style](const auto& cause) { return CauseText(cause, style); });
    text += WrapSentence(
        fmt::format("run {} ({}): {}, {} times the median; {}", run.number(), where,
                    FormatQuantity(run.value(), run.unit(), style), Fixed(run.ratio(), 1),
                    causes.empty() ? "no cause among the kernel's counters" : causes),
        style);
  }
  return text;
}

}  // namespace benchd::client
