#include "client/present/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "client/present/gates.h"
#include "client/present/units.h"
#include "core/analysis/profile_plan.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr int kOthersShown = 5;
constexpr int kWidestFunction = 60;
constexpr int kNarrowestFunction = 20;

using Functions = std::vector<const v1::FunctionChange*>;

bool HasEnds(const v1::Effect& effect) { return effect.has_lo() && effect.has_hi(); }

bool ExcludesZero(const v1::Effect& effect) {
  return (effect.has_lo() && effect.lo() > 0) || (effect.has_hi() && effect.hi() < 0);
}

// Returns the functions to list: those that changed come first, as in the message.
Functions ListedOf(const v1::Explanation& explanation, FunctionsShown shown) {
  Functions listed;
  int others = 0;
  for (const v1::FunctionChange& one : explanation.functions()) {
    if (!one.changed() && shown != FunctionsShown::kAll && others++ >= kOthersShown) break;
    listed.push_back(&one);
  }
  return listed;
}

// The format of all seconds of a table, so that they can be compared at a glance. The narrowest
// interval has two digits, unless it is far narrower than the largest value.
ColumnFormat FormatOf(const Functions& functions, const Style& style) {
  constexpr double kMostDigits = 1e4;
  double largest = 0;
  double finest = 0;
  for (const v1::FunctionChange* one : functions) {
    largest = std::max(
        {largest, one->self_reference(), one->self_candidate(), std::abs(one->total().estimate())});
    if (!HasEnds(one->self())) continue;
    const double half = (one->self().hi() - one->self().lo()) / 2;
    if (half > 0 && (finest == 0 || half < finest)) finest = half;
  }
  return {largest, std::max(finest, largest / kMostDigits), "s", style};
}

enum FunctionColumn : std::size_t {
  kFunction,
  kSelfReference,
  kSelfCandidate,
  kSelf,
  kSelfInterval,
  kTotal,
  kTotalInterval,
  kMark,
  kMarkAlone,  // without a note
  kFunctionColumns
};
using FunctionCells = std::array<std::string, kFunctionColumns>;

FunctionCells FunctionHeader(const v1::Explanation& explanation, const Style& style) {
  constexpr int kWidestArm = 16;
  const auto arm = [&style](const std::string& name) {
    return Shorten(Printable(name), kWidestArm, style);
  };
  return {"function",
          arm(explanation.reference()),
          arm(explanation.candidate()),
          "change",
          "interval",
          "with callees",
          "interval",
          "",
          ""};
}

std::string PaintedMark(const v1::FunctionChange& function, const Style& style) {
  const std::string_view mark = ChangeMark(function);
  return mark.empty() ? "" : Paint(mark, mark == "more" ? Tint::kRed : Tint::kGreen, style);
}

std::string MarkCell(const v1::FunctionChange& function, const Style& style) {
  const std::string mark = PaintedMark(function, style);
  const std::string note = FunctionNote(function);
  return mark + (mark.empty() || note.empty() ? "" : ", ") + note;
}

FunctionCells RowOf(const v1::FunctionChange& function, const ColumnFormat& format,
                    const Style& style) {
  const auto interval = [&](const v1::Effect& effect) {
    return HasEnds(effect) ? format.Interval(effect.lo(), effect.hi(), style) : "-";
  };
  const auto seconds = [&format](double value) { return format.WithUnit(format.Format(value)); };
  const auto change = [&format](const v1::Effect& effect) {
    return format.WithUnit(format.Signed(effect.estimate()));
  };
  const bool is_new = function.presence() == v1::PRESENCE_NEW;
  const bool gone = function.presence() == v1::PRESENCE_GONE;
  return {OneLine(function.function()),
          is_new ? "-" : seconds(function.self_reference()),
          gone ? "-" : seconds(function.self_candidate()),
          change(function.self()),
          interval(function.self()),
          change(function.total()),
          interval(function.total()),
          MarkCell(function, style),
          PaintedMark(function, style)};
}

using FunctionColumns = std::vector<FunctionColumn>;

// Renders the columns side by side, with numbers on the right of their columns. Names are shortened
// to the room that is left, but to at least kNarrowestFunction columns.
std::string Aligned(std::vector<FunctionCells> cells, const FunctionColumns& columns,
                    const Style& style) {
  constexpr int kGap = 2;
  int others = 0;
  for (const FunctionColumn column : columns) {
    int widest = 0;
    for (const FunctionCells& row : cells) widest = std::max(widest, Width(row[column]));
    if (column == kFunction) continue;
    others += kGap + widest;
    if (column == kMark || column == kMarkAlone) continue;
    for (FunctionCells& row : cells) row[column] = PadLeft(std::move(row[column]), widest);
  }
  const int room =
      style.width > 0 ? std::max(style.width - others, kNarrowestFunction) : kWidestFunction;
  Rows rows;
  for (const FunctionCells& row : cells) {
    std::vector<std::string>& picked = rows.emplace_back();
    for (const FunctionColumn column : columns) {
      picked.push_back(column == kFunction ? Shorten(row[column], room, style) : row[column]);
    }
  }
  return AlignColumns(rows, kGap);
}

std::string FunctionTable(const v1::Explanation& explanation, const Functions& functions,
                          const Style& style) {
  if (functions.empty()) return "";
  const ColumnFormat format = FormatOf(functions, style);
  std::vector<FunctionCells> cells = {FunctionHeader(explanation, style)};
  for (const v1::FunctionChange* one : functions) cells.push_back(RowOf(*one, format, style));
  const std::array<FunctionColumns, 6> choices = {
      FunctionColumns{kFunction, kSelfReference, kSelfCandidate, kSelf, kSelfInterval, kTotal,
                      kTotalInterval, kMark},
      FunctionColumns{kFunction, kSelfReference, kSelfCandidate, kSelf, kSelfInterval, kTotal,
                      kMark},
      FunctionColumns{kFunction, kSelfReference, kSelfCandidate, kSelf, kSelfInterval, kMark},
      FunctionColumns{kFunction, kSelf, kSelfInterval, kMark},
      FunctionColumns{kFunction, kSelf, kMark},
      FunctionColumns{kFunction, kSelf, kMarkAlone}};
  std::string text;
  for (const FunctionColumns& columns : choices) {
    text = Aligned(cells, columns, style);
    if (style.width <= 0 || Widest(Lines(text)) <= style.width) break;
  }
  return text;
}

// Says which functions of the two arms were taken for the same one, although their names differ.
std::string MatchedLines(const v1::Explanation& explanation, const Functions& functions,
                         const Style& style) {
  std::string text;
  for (const v1::FunctionChange* one : functions) {
    if (one->matched().empty()) continue;
    text += WrapSentence("guess: " + OneLine(one->function()) + " is " + OneLine(one->matched()) +
                             " of " + Printable(explanation.reference()),
                         style);
  }
  return text;
}

// Counts the functions that the table omits.
std::string OmittedLine(const v1::Explanation& explanation, const Functions& listed,
                        FunctionsShown shown, const Style& style) {
  const auto all = static_cast<std::size_t>(explanation.functions_size());
  std::string text;
  if (all > listed.size()) {
    text = Counted(all - listed.size(), "more function") + " not shown to have changed";
    if (shown != FunctionsShown::kAll) text += ": --all-functions";
  }
  if (explanation.left_out() > 0) {
    text += text.empty() ? "" : "; ";
    text += Counted(explanation.left_out(), "more function") + " that the daemon does not list";
  }
  const double rest = std::max(explanation.rest_reference(), explanation.rest_candidate());
  if (rest > 0) {
    const auto [reference, candidate] =
        FormatMeans(explanation.rest_reference(), explanation.rest_candidate(), 0, "s", style);
    text += text.empty() ? "" : "; ";
    text += "functions that are not compared: " + reference + " and " + candidate + " a run";
  }
  return text.empty() ? text : WrapSentence(text, style);
}

// Returns what the intervals mean, and from how much data they are.
std::string LevelLine(const v1::Explanation& explanation, bool of_builds) {
  constexpr double kWorthTelling = 0.01;  // of the samples
  std::string text = fmt::format("all intervals of {} hold together with {} confidence",
                                 Counted(explanation.compared(), "function"),
                                 FormatConfidence(explanation.confidence()));
  text += fmt::format("; {}, {} and {} samples",
                      of_builds ? Counted(explanation.blocks(), "build") + " of each arm"
                                : Counted(explanation.blocks(), "block"),
                      explanation.samples_reference(), explanation.samples_candidate());
  if (explanation.lost() > 0) text += fmt::format(", {} lost", explanation.lost());
  if (explanation.unnamed() >= kWorthTelling) {
    text += ", " + FormatShare(explanation.unnamed()) + " in functions without a name";
  }
  return text;
}

// Returns the lines below the table.
std::string NotesOn(const v1::Explanation& explanation, const Functions& listed,
                    const ExplanationView& view, const Style& style) {
  return MatchedLines(explanation, listed, style) +
         OmittedLine(explanation, listed, view.shown, style) +
         WrapSentence(LevelLine(explanation, view.of_builds), style);
}

bool AnyChanged(const v1::Explanation& explanation) {
  return std::ranges::any_of(explanation.functions(), &v1::FunctionChange::changed);
}

// Returns how much of the change the functions that changed explain, or that there is none.
std::string ExplainedWords(const v1::Explanation& explanation, const ExplanationView& view,
                           const Style& style) {
  if (!AnyChanged(explanation)) {
    const auto seen = SeenInAny(explanation);
    std::string words = "no function is shown to have changed";
    if (explanation.blocks() < kLeastUnits) {
      return words + ": that takes at least " +
             Counted(kLeastUnits, view.of_builds ? "build of each arm" : "block",
                     view.of_builds ? "builds of each arm" : "blocks");
    }
    if (!seen) return words;
    return words + "; a change of " + FormatQuantity(*seen, "s", style) +
           " a run would have been seen in any of those that are compared";
  }
  if (explanation.has_explained()) {
    return "the functions that changed explain " + Fixed(100 * explanation.explained(), 0) +
           " % of it";
  }
  const ColumnFormat format(std::abs(explanation.explained_seconds()), 0, "s", style);
  return "the functions that changed add " +
         format.WithUnit(format.Signed(explanation.explained_seconds()));
}

// Returns how the CPU time of a run changed.
std::string ChangeWords(const v1::Explanation& explanation, const Style& style) {
  const v1::Effect& change = explanation.change();
  const std::string candidate = Printable(explanation.candidate());
  const std::string reference = Printable(explanation.reference());
  const auto format = ColumnFormat::OfDifferences(
      change.estimate(), change.has_lo() ? std::optional(change.lo()) : std::nullopt,
      change.has_hi() ? std::optional(change.hi()) : std::nullopt, "s", style);
  const std::string interval =
      HasEnds(change) ? " (" + format.Interval(change.lo(), change.hi(), style) + ")" : "";
  std::string text;
  if (ExcludesZero(change)) {
    text = candidate + " takes " + format.WithUnit(format.Format(std::abs(change.estimate())));
    if (explanation.seconds_reference() > 0) {
      const double share = std::abs(change.estimate()) / explanation.seconds_reference();
      text += " (" + FormatUnsigned(share, 1) + ")";
    }
    text += change.estimate() > 0 ? " more" : " less";
    text += " CPU time a run than " + reference + interval;
  } else {
    text = "the CPU time of " + candidate + " is not shown to differ from that of " + reference +
           interval;
  }
  return text;
}

}  // namespace

std::string PlanSentence(const ExplainingPlan& plan, const Style& style) {
  std::string text = Counted(plan.blocks, "block");
  if (plan.seconds > 0) text += ", about " + FormatRough(plan.seconds);
  if (plan.blocks < kLeastUnits) {
    return text + fmt::format(
                      ": too few to call a function changed, which takes {}; use more time "
                      "(--max-time) or blocks (--runs)",
                      kLeastUnits);
  }
  if (plan.samples > 0 && plan.samples < 1) {
    return text +
           ": most runs are too short for a sample; sample more often (--frequency), or let "
           "the program run longer";
  }
  if (!(plan.shown > 0)) return text;
  text += ": in a function of " + Fixed(100 * kUsualShare, 0) + " % of a run, " +
          (plan.enough ? "" : "only ") + "a change of " + FormatQuantity(plan.shown, "s", style);
  if (plan.change > 0) {
    text += " (" + Fixed(100 * plan.shown / plan.change, 0) + " % of the change of a run)";
  }
  return text + " will be seen" +
         (plan.enough ? "" : "; more time (--max-time) or blocks (--runs) show less");
}

std::string FunctionNote(const v1::FunctionChange& function) {
  constexpr int kDecimals = 1;
  std::vector<std::string> notes;
  if (function.presence() == v1::PRESENCE_NEW) notes.emplace_back("new");
  if (function.presence() == v1::PRESENCE_GONE) notes.emplace_back("gone");
  if (function.presence() == v1::PRESENCE_INLINED) notes.emplace_back("now inlined");
  if (function.presence() == v1::PRESENCE_OUTLINED) notes.emplace_back("no longer inlined");
  if (function.has_instructions_reference() && function.has_instructions_candidate() &&
      function.instructions_reference() > 0) {
    notes.push_back(
        "instructions " +
        FormatChange(function.instructions_candidate() / function.instructions_reference() - 1,
                     kDecimals));
  }
  if (function.has_cache_misses_reference() && function.has_cache_misses_candidate() &&
      function.cache_misses_reference() > 0) {
    notes.push_back(
        "cache misses " +
        FormatChange(function.cache_misses_candidate() / function.cache_misses_reference() - 1,
                     kDecimals));
  }
  return Join(notes, ", ");
}

std::string_view ChangeMark(const v1::FunctionChange& function) {
  if (!function.changed()) return "";
  return function.self().estimate() > 0 ? "more" : "less";
}

std::optional<double> SeenInAny(const v1::Explanation& explanation) {
  double widest = 0;
  for (const v1::FunctionChange& one : explanation.functions()) {
    if (!HasEnds(one.self())) continue;
    widest = std::max(widest, one.self().hi() - one.self().lo());
  }
  return widest > 0 ? std::optional(widest) : std::nullopt;
}

std::string ExplanationHeadline(const v1::Explanation& explanation, const ExplanationView& view,
                                const Style& style) {
  const std::string place = view.names_benchmark ? Printable(explanation.benchmark()) + ": " : "";
  return place + ChangeWords(explanation, style) + "; " + ExplainedWords(explanation, view, style);
}

std::string ExplanationHeadlines(const v1::Update& update, const Style& style) {
  const ExplanationView view = ViewOf(update, FunctionsShown::kWhatMatters);
  return Join(update.explanations(), "", [&](const v1::Explanation& one) {
    return WrapSentence(ExplanationHeadline(one, view, style), style);
  });
}

std::string MeasuredBeside(const v1::Explanation& explanation, const v1::Session& explained,
                           const Style& style) {
  std::vector<std::string> changes;
  for (const v1::Comparison* gate : GatesOf(explained.report())) {
    if (gate->benchmark() != explanation.benchmark() ||
        gate->reference() != explanation.reference() ||
        gate->candidate() != explanation.candidate()) {
      continue;
    }
    const Judged judged = JudgedBy(*gate);
    if (!judged.estimate) continue;
    const std::string interval = judged.Interval(style);
    changes.push_back(Printable(gate->metric()) + " of " + Printable(gate->candidate()) + " " +
                      judged.FormatSigned(*judged.estimate, style) +
                      (interval.empty() ? "" : " (" + interval + ")"));
  }
  if (changes.empty()) return "";
  const std::string place =
      SeveralBenchmarks(explained.report()) ? Printable(explanation.benchmark()) + ": " : "";
  return place + "session " + Printable(explained.session()) + " measured " + SomeOf(changes) +
         ", in runs of its own";
}

Rows FunctionRows(const v1::Explanation& explanation, FunctionsShown shown, const Style& style) {
  const Functions listed = ListedOf(explanation, shown);
  const ColumnFormat format = FormatOf(listed, style);
  Rows rows;
  const auto add = [&rows](const FunctionCells& cells) {
    rows.emplace_back(cells.begin(), cells.end());
  };
  add(FunctionHeader(explanation, style));
  for (const v1::FunctionChange* one : listed) add(RowOf(*one, format, style));
  return rows;
}

std::string ExplanationNotes(const v1::Explanation& explanation, const ExplanationView& view,
                             const Style& style) {
  return NotesOn(explanation, ListedOf(explanation, view.shown), view, style);
}

std::string RenderExplanation(const v1::Explanation& explanation, const ExplanationView& view,
                              const Style& style) {
  const Functions listed = ListedOf(explanation, view.shown);
  return WrapSentence(ExplanationHeadline(explanation, view, style), style) +
         FunctionTable(explanation, listed, style) + NotesOn(explanation, listed, view, style);
}

ExplanationView ViewOf(const v1::Update& update, FunctionsShown shown) {
  ExplanationView view{.shown = shown};
  for (const v1::Explanation& one : update.explanations()) {
    if (one.benchmark() != update.explanations(0).benchmark()) view.names_benchmark = true;
  }
  for (const v1::Comparison& one : update.comparisons()) {
    if (one.method() == v1::METHOD_LAYOUTS) view.of_builds = true;
  }
  return view;
}

std::string RenderExplanations(const v1::Update& update, FunctionsShown shown, const Style& style) {
  const ExplanationView view = ViewOf(update, shown);
  return Join(update.explanations(), "\n",
              [&](const v1::Explanation& one) { return RenderExplanation(one, view, style); });
}

}  // namespace benchd::client
