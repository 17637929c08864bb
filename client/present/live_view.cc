#include "client/present/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "client/present/measurement.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

struct Glyphs {
  std::string_view zero, margin, line, point, left, right, axis, full, empty;
};

constexpr Glyphs kUnicode{"│", "┊", "━", "●", "◀", "▶", " ", "█", "░"};
constexpr Glyphs kAscii{"|", ":", "=", "O", "<", ">", " ", "#", "."};

const Glyphs& GlyphsFor(const Style& style) { return style.unicode ? kUnicode : kAscii; }

// An effect in units of the margin, whatever its sign. Without a margin other than zero, the larger
// end of the interval is the unit.
struct Scaled {
  double lo = 0;
  double estimate = 0;
  double hi = 0;
};

std::optional<Scaled> InMargins(const Judged& judged) {
  if ((!judged.lo && !judged.hi) || !judged.estimate) return std::nullopt;
  double unit = std::abs(judged.margin.value_or(0));
  if (!(unit > 0)) {
    unit = std::max({std::abs(judged.lo.value_or(0)), std::abs(judged.hi.value_or(0)), 1e-300});
  }
  // The bar of an interval without an end leaves the axis.
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return Scaled{judged.lo.value_or(-kUnbounded) / unit, *judged.estimate / unit,
                judged.hi.value_or(kUnbounded) / unit};
}

// Returns the range of the axis of all gates. It has few possible values, so that the axis does not
// change with every update.
double AxisRange(const std::vector<const v1::Comparison*>& gates) {
  constexpr std::array kRanges = {1.5, 2.0, 3.0, 5.0, 8.0};
  double furthest = 0;
  for (const v1::Comparison* gate : gates) {
    const auto scaled = InMargins(JudgedBy(*gate));
    if (!scaled) continue;
    for (const double end : {scaled->lo, scaled->hi}) {
      if (std::isfinite(end)) furthest = std::max(furthest, std::abs(end));
    }
  }
  for (const double range : kRanges) {
    if (furthest * 1.1 <= range) return range;
  }
  return kRanges.back();
}

// The elapsed time of the session, and a forecast of its end, if there is one.
struct Timing {
  double elapsed = 0;
  std::optional<double> left;
  std::string end;
};

Timing TimingOf(const LiveState& state) {
  const v1::Update& update = *state.update;
  const bool running = update.state() == v1::SESSION_STATE_RUNNING;
  const double ticking = running ? state.since_event_seconds : 0;
  Timing timing;
  timing.elapsed = update.elapsed_seconds() + ticking;
  if (running && update.has_eta_seconds()) {
    timing.left = std::max(0.0, update.eta_seconds() - ticking);
    timing.end = std::string(state.sampled ? "done" : EndWord(update)) + " in about " +
                 FormatRough(*timing.left);
  } else if (running && update.has_time_left_seconds()) {
    timing.left = std::max(0.0, update.time_left_seconds() - ticking);
    timing.end = "at most " + FormatRough(*timing.left) + " left";
  }
  return timing;
}

// Returns the completed fraction of the session; nothing without a forecast of its end. The
// fraction never decreases, although the forecast may change in either direction.
std::optional<double> Progress(const LiveState& state, const Timing& timing) {
  double done = 0;
  if (state.limits.has_runs() && state.limits.runs() > 0) {
    const BlockCount count = CountBlocks(*state.update);
    done = static_cast<double>(count.blocks) /
           (static_cast<double>(state.limits.runs()) * static_cast<double>(count.benchmarks));
  } else if (!timing.left) {
    return std::nullopt;
  } else if (timing.elapsed + *timing.left > 0) {
    done = timing.elapsed / (timing.elapsed + *timing.left);
  }
  return std::min(1.0, std::max(done, state.shown_progress));
}

}  // namespace

std::string ProgressBar(double fraction, int width, const Style& style) {
  const Glyphs& glyphs = GlyphsFor(style);
  const int inner = width - 6;
  if (inner < 5) return "";
  const int filled = static_cast<int>(std::floor(fraction * inner));
  std::string bar;
  for (int i = 0; i < inner; ++i) bar += i < filled ? glyphs.full : glyphs.empty;
  return bar + PadLeft(fmt::format("{} %", static_cast<int>(std::floor(fraction * 100))), 6);
}

namespace {

bool HasMeasured(const LiveState& state) {
  return state.update && (!state.update->comparisons().empty() || Measures(*state.update));
}

std::string QueuedWords(const LiveState& state) {
  if (!state.queued || state.queued->position() == 0) return "submitted";
  const std::string place = fmt::format("queued, place {}", state.queued->position());
  if (!state.queued->has_eta_seconds()) return place;
  const double left = std::max(0.0, state.queued->eta_seconds() - state.since_event_seconds);
  return place + ", starts in about " + FormatRough(left);
}

std::string WarmUpWords(const LiveState& state) {
  const std::uint32_t found = state.started ? state.started->found_benchmarks() : 0;
  return found == 0 ? "warming up" : "warming up " + Counted(found, "benchmark") + " found";
}

std::string StateWords(const LiveState& state) {
  if (!state.update) return state.started ? WarmUpWords(state) : QueuedWords(state);
  if (state.update->state() == v1::SESSION_STATE_QUEUED) return QueuedWords(state);
  if (state.update->state() == v1::SESSION_STATE_RUNNING && !HasMeasured(state)) {
    return WarmUpWords(state);
  }
  const std::string confirming = ConfirmingSentence(*state.update);
  if (!confirming.empty() && IsAtWork(*state.update)) return confirming;
  return std::string(Word(state.update->state()));
}

// The column widths of the rows of gates.
struct Layout {
  int label = 0;
  int estimate = 0;
  int bar = 0;       // 0 = no room
  int interval = 0;  // 0 = no room
  int status = 0;    // 0 = no room
};

struct LiveRow {
  std::string label, estimate, interval, status;
  std::optional<Scaled> scaled;
  Tint tint = Tint::kNone;
};

LiveRow MakeRow(const v1::Comparison& gate, const LiveState& state, const Style& style) {
  // While a gate is being confirmed, its bar shows how far the second phase is.
  const bool confirming = IsToBeConfirmed(gate) && gate.has_confirmation();
  const Judged judged = JudgedBy(confirming ? OfSecondPhase(gate) : gate);
  LiveRow row;
  row.label = ComparisonLabel(gate, *state.update);
  row.estimate = judged.Estimate(style);
  row.interval = judged.Interval(style);
  row.scaled = InMargins(judged);
  row.tint = VerdictTint(gate.verdict());
  if (gate.has_decided() && !IsToBeConfirmed(gate)) {
    // The axis shows the margin.
    const std::string control = ControlWord(gate);
    row.status = !control.empty()    ? control
                 : IsNotBetter(gate) ? "not better"
                                     : std::string(Word(gate.verdict()));
  } else if (gate.has_eta_seconds()) {
    row.status = "~" + FormatRough(std::max(0.0, gate.eta_seconds() - state.since_event_seconds));
  } else {
    row.status = IsToBeConfirmed(gate) ? "confirming" : "open";
  }
  return row;
}

Layout MakeLayout(const std::vector<LiveRow>& rows, int width) {
  Layout layout;
  for (const LiveRow& row : rows) {
    layout.label = std::max(layout.label, Width(row.label));
    layout.estimate = std::max(layout.estimate, Width(row.estimate));
    layout.interval = std::max(layout.interval, Width(row.interval));
    layout.status = std::max(layout.status, Width(row.status));
  }
  constexpr int kGap = 2;
  constexpr int kSmallestBar = 13;
  constexpr int kLargestBar = 41;
  layout.label = std::min(layout.label, std::max(10, width / 3));
  const auto left = [&layout, width] {
    return width - layout.label - layout.estimate - layout.status - 2 * kGap -
           (layout.interval > 0 ? layout.interval + kGap : 0);
  };
  if (left() < kSmallestBar + kGap) layout.interval = 0;
  layout.bar = left() < kSmallestBar + kGap ? 0 : std::min(left() - kGap, kLargestBar);
  if (layout.bar % 2 == 0 && layout.bar > 0) --layout.bar;  // zero in the middle
  if (layout.bar > 0) return layout;
  constexpr int kSmallestLabel = 4;
  const int numbers = layout.estimate + layout.status + 2 * kGap;
  if (width - numbers < kSmallestLabel) layout.status = 0;
  layout.label =
      std::clamp(width - layout.estimate - kGap - (layout.status > 0 ? layout.status + kGap : 0), 0,
                 layout.label);
  return layout;
}

std::string RowLine(const LiveRow& row, const Layout& layout, double range, const Style& style) {
  std::string line = PadRight(Shorten(row.label, layout.label, style), layout.label) + "  " +
                     PadLeft(row.estimate, layout.estimate);
  if (layout.bar > 0) {
    const std::string bar =
        row.scaled ? DrawInterval(row.scaled->lo, row.scaled->estimate, row.scaled->hi, range,
                                  layout.bar, style)
                   : PadRight(Shorten("no interval yet", layout.bar, style), layout.bar);
    line += "  " + Paint(bar, row.tint, style);
  }
  if (layout.interval > 0) line += "  " + PadRight(row.interval, layout.interval);
  if (layout.status > 0) line += "  " + Paint(row.status, row.tint, style);
  return line;
}

// Labels the marks, above the bars: "-2 %   0   +2 %".
std::string AxisLine(const std::vector<const v1::Comparison*>& gates, const Layout& layout,
                     double range, const Style& style) {
  const Style ascii{style.color, false, style.width};  // one byte per column below
  const Judged first = JudgedBy(*gates.front());

  const bool same = std::ranges::all_of(gates, [&first](const v1::Comparison* gate) {
    const Judged judged = JudgedBy(*gate);
    return judged.margin == first.margin && judged.relative == first.relative;
  });
  std::string margin = same && first.margin ? first.Format(*first.margin, ascii) : "margin";
  if (margin.starts_with('-')) margin.erase(0, 1);  // the labels have signs of their own
  const int half = layout.bar / 2;
  const int offset = static_cast<int>(std::lround(half / range));
  std::string line(static_cast<std::size_t>(layout.bar), ' ');
  line[static_cast<std::size_t>(half)] = '0';
  const auto label = [&line](int left_end, int right_start, const std::string& text) {
    const int length = static_cast<int>(text.size());
    if (left_end - length + 1 < 0) return;
    line.replace(static_cast<std::size_t>(left_end - length + 1), text.size(),
                 "-" + text.substr(1));
    line.replace(static_cast<std::size_t>(right_start), text.size(), text);
  };
  constexpr int kRoomForZero = 3;
  if (offset >= kRoomForZero) {
    // The left label ends at its mark, and the right one begins at its mark.
    label(half - offset, half + offset, "+" + margin);
  } else if (same && first.margin && first.relative) {
    // The marks are too close to zero, so the labels are at the ends of the axis.
    const std::string end = "+" + FormatPercent(std::abs(*first.margin) * range);
    label(static_cast<int>(end.size()) - 1, layout.bar - static_cast<int>(end.size()), end);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return Paint(PadRight("", layout.label + layout.estimate + 4) + line, Tint::kDim, style);
}

std::vector<std::string> GateLines(const LiveState& state, const Style& style, int height) {
  std::vector<const v1::Comparison*> gates = GatesOf(*state.update);
  if (gates.empty() || height < 1) return {};
  // If not all gates fit, open gates are more useful than decided ones.
  const auto room = static_cast<std::size_t>(height);
  const bool all_fit = gates.size() + 1 <= room;
  if (!all_fit) {
    std::stable_partition(gates.begin(), gates.end(),
                          [](const v1::Comparison* g) { return !g->has_decided(); });
  }
  const std::size_t shown = all_fit ? gates.size() : room > 2 ? room - 2 : 1;
  std::vector<LiveRow> rows;
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(MakeRow(*gates[i], state, style));
  const Layout layout = MakeLayout(rows, style.width);
  const double range = AxisRange(gates);
  std::vector<std::string> lines;
  if (layout.bar > 0 && (all_fit || room > 2))
    lines.push_back(AxisLine(gates, layout, range, style));
  for (const LiveRow& row : rows) lines.push_back(RowLine(row, layout, range, style));
  if (!all_fit && room > 1) {
    lines.push_back(fmt::format("and {} more", gates.size() - shown));
  }
  return lines;
}

// Explains why the session is paused. Empty if it is not paused.
std::vector<std::string> PauseLines(const LiveState& state, const Style& style, int height) {
  if (!state.update || state.update->state() != v1::SESSION_STATE_PAUSED || height < 1) return {};
  constexpr int kMostLines = 3;
  std::vector<std::string> lines = WrapWords(PauseSentence(*state.update), style.width);
  const auto most = static_cast<std::size_t>(std::min(height, kMostLines));
  lines.resize(std::min(lines.size(), most));
  for (std::string& line : lines) line = Shorten(line, style.width, style);
  return lines;
}

}  // namespace

void LiveState::Apply(const v1::SessionEvent& event) {
  if (HasMeasured(*this)) {
    shown_progress = Progress(*this, TimingOf(*this)).value_or(shown_progress);
  }
  if (event.has_queued()) {
    queued = event.queued();
    // The session is queued again because benchd was restarted.
    if (update && queued->position() > 0) update->set_state(v1::SESSION_STATE_QUEUED);
  }
  if (event.has_started()) started = event.started();
  if (event.has_update()) update = event.update();
  since_event_seconds = 0;
}

std::string DrawInterval(double lo, double estimate, double hi, double range, int width,
                         const Style& style) {
  const Glyphs& glyphs = GlyphsFor(style);
  const int half = width / 2;
  const auto column = [half, range](double value) {
    return half + static_cast<int>(std::lround(std::clamp(value / range, -2.0, 2.0) * half));
  };
  const int from = column(lo);
  const int to = column(hi);
  const int margin = static_cast<int>(std::lround(half / range));
  std::string bar;
  for (int i = 0; i < width; ++i) {
    if (i == 0 && from < 0) {
      bar += glyphs.left;
    } else if (i == width - 1 && to > width - 1) {
      bar += glyphs.right;
    } else if (i == column(estimate)) {
      bar += glyphs.point;
    } else if (i >= from && i <= to) {
      bar += glyphs.line;
    } else if (i == half) {
      bar += glyphs.zero;
    } else if (i == half - margin || i == half + margin) {
      bar += glyphs.margin;
    } else {
      bar += glyphs.axis;
    }
  }
  return bar;
}

namespace {

// Joins the parts. If they do not fit, removes the `dispensable` ones, in that order.
std::string Fitting(std::vector<std::string> parts, std::initializer_list<std::size_t> dispensable,
                    const Style& style) {
  const auto line = [&parts] {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() || part.empty() ? "" : "  ") + part;
    return text;
  };
  for (const std::size_t part : dispensable) {
    if (Width(line()) <= style.width) break;
    parts[part].clear();
  }
  return Shorten(line(), style.width, style);
}

// Renders the line with state, clock and forecast, and the progress bar below it.
std::vector<std::string> HeadLines(const LiveState& state, const Style& style, int height) {
  const v1::Update& update = *state.update;
  const Timing timing = TimingOf(state);
  std::vector<std::string> lines = {Fitting(
      {Printable(state.session), StateWords(state), BlocksSentence(update),
       state.sampled ? "" : DecidedSentence(update), FormatClock(timing.elapsed), timing.end},
      {3, 2, 0}, style)};
  const auto progress = Progress(state, timing);
  const std::string bar = progress ? ProgressBar(*progress, std::min(style.width, 60), style) : "";
  if (!bar.empty() && height > 3) lines.push_back(bar);
  return lines;
}

}  // namespace

std::vector<std::string> RenderLiveView(const LiveState& state, const Style& style, int height) {
  Style fitted = style;
  if (fitted.width <= 0) fitted.width = 80;
  constexpr int kRoomForKeys = 5;
  const bool keys = state.note.empty() && !state.keys.empty() && height >= kRoomForKeys;
  const std::string& last = keys ? state.keys : state.note;
  const bool measured = HasMeasured(state);
  std::vector<std::string> lines =
      measured ? HeadLines(state, fitted, height)
               : std::vector<std::string>{
                     Fitting({Printable(state.session), StateWords(state)}, {0}, fitted)};
  const auto room = [&] {
    return height - static_cast<int>(lines.size()) - (last.empty() ? 0 : 1);
  };
  for (std::string& line : PauseLines(state, fitted, room())) lines.push_back(std::move(line));
  if (measured && Measures(*state.update)) {
    for (std::string& line :
         MeasuredLines(*state.update, state.since_event_seconds, fitted, room())) {
      lines.push_back(std::move(line));
    }
  } else if (measured && !state.sampled) {
    for (std::string& line : GateLines(state, fitted, room())) lines.push_back(std::move(line));
  }
  if (last.empty()) return lines;
  const std::string shortened = Shorten(last, fitted.width, fitted);
  lines.push_back(keys ? Paint(shortened, Tint::kDim, fitted) : shortened);
  return lines;
}

}  // namespace benchd::client
