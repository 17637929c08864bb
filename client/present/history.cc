#include "client/present/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "benchd/v1/history.pb.h"
#include "client/present/json.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

constexpr std::size_t kShortCommit = 10;

}  // namespace

std::optional<double> ChangeOf(const HistoryStep& step) {
  if (step.before == 0) return std::nullopt;
  return step.after / step.before - 1;
}

NewestStep NewestStepOf(const HistorySeries& series) {
  for (auto segment = series.segments.rbegin(); segment != series.segments.rend(); ++segment) {
    if (segment->steps.empty()) continue;
    const HistoryStep& step = segment->steps.back();
    return {&step, &segment->entries[step.point.index]};
  }
  return {};
}

std::string EntryName(const GateSummary& entry) {
  if (!entry.candidate_commit) return Printable(entry.candidate);
  const Commit& commit = *entry.candidate_commit;
  return Printable(commit.description.empty() ? commit.id.substr(0, kShortCommit)
                                              : commit.description);
}

std::string EntryVerdict(const GateSummary& entry) {
  if (entry.control_changed) return "control changed";
  const bool measured = entry.value.has_value() && entry.verdict == Verdict::kPass;
  return std::string(measured ? "measured" : NameOf(entry.verdict));
}

std::string EntryChange(const GateSummary& entry, const Style& style) {
  if (entry.value && entry.value->lo && entry.value->hi) {
    const Effect& value = *entry.value;
    const ColumnFormat format =
        ColumnFormat::OfDifferences(value.estimate, value.lo, value.hi, entry.unit, style);
    return format.WithUnit(format.Format(*value.lo).append(To(style)) + format.Format(*value.hi));
  }
  if (!entry.change) return "";
  const Effect& change = *entry.change;
  const ColumnFormat format = ColumnFormat::OfChanges(change.lo, change.hi);
  const std::string estimate = format.WithUnit(format.Signed(change.estimate));
  if (!change.lo || !change.hi) return estimate;
  return estimate + " (" + format.Interval(*change.lo, *change.hi, style) + ")";
}

ColumnFormat ValuesOf(const HistorySeries& series, const Style& style) {
  constexpr double kToBeTold = 0.002;  // fraction of the largest value
  double largest = 0;
  for (const HistorySegment& segment : series.segments) {
    for (const GateSummary& entry : segment.entries) {
      largest = std::max(largest, std::abs(*entry.mean_candidate));
    }
  }
  return {largest, kToBeTold * largest, series.last().unit, style};
}

std::string StepSize(const HistoryStep& step, std::string_view unit, const Style& style) {
  const std::optional<double> change = ChangeOf(step);
  const auto [before, after] =
      FormatMeans(step.before, step.after, std::abs(change.value_or(1)), unit, style);
  const std::string arrow = style.unicode ? " → " : " -> ";
  const std::string means = before + arrow + after;
  return change ? FormatChange(*change, 1) + "  " + means : means;
}

std::string SeriesName(const GateSummary& entry) {
  const std::string name = Printable(entry.benchmark);
  if (entry.series.empty()) return name;
  return name + ": " + Printable(entry.command.empty() ? "command " + entry.series : entry.command);
}

std::string SeriesTitle(const HistorySeries& series) {
  const GateSummary& last = series.last();
  std::string title = SeriesName(last);
  if (!last.candidate_commit) title += ", " + Printable(last.candidate);
  return title;
}

// Lists the recorded facts that differ between the two entries.
std::string EdgeBetween(const GateSummary& before, const GateSummary& after, const Style& style) {
  const std::string arrow = style.unicode ? " → " : " -> ";
  std::vector<std::string> changes;
  const auto add = [&](const char* what, const std::string& from, const std::string& to) {
    if (from == to) return;
    changes.push_back(std::string(what) + (from.empty() ? "none" : Printable(from)) + arrow +
                      (to.empty() ? "none" : Printable(to)));
  };
  add("kernel ", before.kernel, after.kernel);
  add("settings ", before.settings, after.settings);
  return "machine changed: " + Join(changes, "; ");
}

std::string StepSentence(const HistoryStep& step, std::string_view unit, const Style& style) {
  return "step: " + StepSize(step, unit, style) + "  (p = " + FormatRoundTrip(step.point.p_value) +
         ")";
}

const HistoryStep* StepAt(const HistorySegment& segment, std::size_t index) {
  const auto found = std::ranges::find(segment.steps, index,
                                       [](const HistoryStep& step) { return step.point.index; });
  return found == segment.steps.end() ? nullptr : &*found;
}

std::string SearchSentence(const ChangePointSearch& search) {
  return fmt::format("steps: E-divisive means, alpha {}, {} permutations, seed {}",
                     FormatPercent(search.alpha), search.permutations, search.seed);
}

namespace {

std::string TimeOf(const GateSummary& entry, const google::protobuf::Timestamp& now) {
  google::protobuf::Timestamp time;
  convert::ToProto(entry.ended_at, &time);
  return LocalTime(time, now);
}

Tint TintOf(Verdict verdict) {
  return verdict == Verdict::kPass         ? Tint::kGreen
         : verdict == Verdict::kRegression ? Tint::kRed
                                           : Tint::kYellow;
}

Tint TintOf(const HistoryStep& step, std::optional<Better> better) {
  if (!better) return Tint::kBold;
  return (step.after > step.before) == (*better == Better::kLower) ? Tint::kRed : Tint::kGreen;
}

std::string MarkLine(std::string text, Tint tint, const Style& style) {
  text = (style.unicode ? "  ── " : "  -- ") + text;
  if (style.width > 0) text = Shorten(text, style.width, style);
  return Paint(text, tint, style) + "\n";
}

// Renders one line per entry, with columns that are aligned over the whole series.
std::vector<std::string> EntryLines(const HistorySeries& series,
                                    const google::protobuf::Timestamp& now, const Style& style) {
  const ColumnFormat values = ValuesOf(series, style);
  Rows rows;
  std::vector<const GateSummary*> verdicts;
  for (const HistorySegment& segment : series.segments) {
    for (const GateSummary& entry : segment.entries) {
      rows.push_back({"", TimeOf(entry, now), EntryName(entry), Printable(entry.session.value),
                      values.WithUnit(values.Format(*entry.mean_candidate)),
                      EntryChange(entry, style), EntryVerdict(entry)});
      verdicts.push_back(&entry);
    }
  }
  std::vector<std::string> lines = Lines(AlignColumns(rows));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (style.width > 0) lines[i] = Shorten(lines[i], style.width, style);
    const std::string word = EntryVerdict(*verdicts[i]);
    if (lines[i].ends_with(word)) {
      lines[i].resize(lines[i].size() - word.size());
      lines[i] += Paint(word, TintOf(verdicts[i]->verdict), style);
    }
    lines[i] += "\n";
  }
  return lines;
}

std::string RenderSeries(const HistorySeries& series, const google::protobuf::Timestamp& now,
                         const Style& style) {
  const GateSummary& last = series.last();
  std::string text =
      WrapSentence(SeriesTitle(series) + "  " + Printable(last.metric) +
                       (last.machine.empty() ? "" : "  on " + Printable(last.machine)),
                   style);
  const std::vector<std::string> lines = EntryLines(series, now, style);
  std::size_t line = 0;
  const GateSummary* before = nullptr;
  for (const HistorySegment& segment : series.segments) {
    if (before != nullptr) {
      text += MarkLine(EdgeBetween(*before, segment.entries.front(), style), Tint::kDim, style);
    }
    for (std::size_t i = 0; i < segment.entries.size(); ++i) {
      if (const HistoryStep* const step = StepAt(segment, i)) {
        text += MarkLine(StepSentence(*step, last.unit, style), TintOf(*step, last.better), style);
      }
      text += lines[line++];
    }
    before = &segment.entries.back();
  }
  return text;
}

std::string WhereStepped(const NewestStep& newest, const google::protobuf::Timestamp& now) {
  if (newest.step == nullptr) return "";
  const std::optional<double> change = ChangeOf(*newest.step);
  return (change ? FormatChange(*change, 1) + " " : "") + "at " + EntryName(*newest.entry) + ", " +
         TimeOf(*newest.entry, now);
}

// Explains why a benchmark without a name has several histories, and how to get a single one. Empty
// if there is only one.
std::string CommandsSentence(std::span<const HistorySeries> history, const Style& style) {
  std::set<std::string_view> commands;
  for (const HistorySeries& series : history) {
    if (!series.last().series.empty()) commands.insert(series.last().series);
  }
  if (commands.size() < 2) return "";
  return WrapSentence(
      "each command without a benchmark name has its own history, and a changed argument starts "
      "a "
      "new one; to keep one history, use compare --benchmark NAME",
      style);
}

}  // namespace

std::string RenderHistoryList(std::span<const HistorySeries> history,
                              const google::protobuf::Timestamp& now, const Style& style) {
  Rows rows = {{"BENCHMARK", "METRIC", "ENTRIES", "LAST", "VALUE", "VERDICT", "NEWEST STEP"}};
  for (const HistorySeries& series : history) {
    const GateSummary& last = series.last();
    rows.push_back({SeriesTitle(series), Printable(last.metric), std::to_string(series.size()),
                    TimeOf(last, now), FormatQuantity(*last.mean_candidate, last.unit, style),
                    EntryVerdict(last), WhereStepped(NewestStepOf(series), now)});
  }
  const std::string text = AlignColumns(rows);
  const std::string commands = CommandsSentence(history, style);
  if (style.width <= 0) return text + commands;
  return Join(Lines(text), "",
              [&style](const std::string& line) {
                return Shorten(line, style.width, style) + "\n";
              }) +
         commands;
}

std::string RenderHistory(std::span<const HistorySeries> history, const ChangePointSearch& search,
                          const google::protobuf::Timestamp& now, const Style& style) {
  std::string text;
  for (const HistorySeries& series : history) text += RenderSeries(series, now, style) + "\n";
  return text + CommandsSentence(history, style) + WrapSentence(SearchSentence(search), style);
}

namespace {

std::string StepJson(const HistorySegment& segment, const HistoryStep& step,
                     const ChangePointSearch& search, const google::protobuf::Timestamp& now) {
  const GateSummary& entry = segment.entries[step.point.index];
  Json json = Named("change_point", entry.session.value, now);
  PutText(json, "benchmark", entry.benchmark);
  PutText(json, "metric", entry.metric);
  PutText(json, "unit", entry.unit);
  PutText(json, "candidate", entry.candidate);
  if (entry.candidate_commit) PutText(json, "commit", entry.candidate_commit->id);
  std::size_t previous = step.point.index - 1;
  while (previous > 0 && segment.entries[previous].control_changed) --previous;
  PutText(json, "previous_session", segment.entries[previous].session.value);
  Put(json, "mean_before", step.before);
  Put(json, "mean_after", step.after);
  if (const auto change = ChangeOf(step)) Put(json, "change", *change);
  Put(json, "q", step.point.q);
  Put(json, "p_value", step.point.p_value);
  Put(json, "alpha", search.alpha);
  json["permutations"] = search.permutations;
  json["seed"] = std::to_string(search.seed);
  return Line(json);
}

}  // namespace

std::vector<std::string> HistoryJson(std::span<const HistorySeries> history,
                                     const ChangePointSearch& search,
                                     const google::protobuf::Timestamp& now) {
  std::vector<std::string> lines;
  for (const HistorySeries& series : history) {
    for (std::size_t number = 0; number < series.segments.size(); ++number) {
      const HistorySegment& segment = series.segments[number];
      for (std::size_t i = 0; i < segment.entries.size(); ++i) {
        if (const HistoryStep* const step = StepAt(segment, i)) {
          lines.push_back(StepJson(segment, *step, search, now));
        }
        Json json = Named("summary", segment.entries[i].session.value, now);
        v1::Summary message;
        convert::ToProto(segment.entries[i], &message);
        AddFields(json, message);
        json["segment"] = number;
        lines.push_back(Line(json));
      }
    }
  }
  return lines;
}

}  // namespace benchd::client
