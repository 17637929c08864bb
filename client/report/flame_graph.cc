#include "client/report/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "client/present/explanation.h"
#include "client/present/units.h"
#include "client/report/plot.h"
#include "core/analysis/function_counts.h"
#include "core/analysis/function_names.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kFlameWidth = 1000;
constexpr double kFrameHeight = 17;
constexpr double kFlameMargin = 8;
constexpr double kSmallestText = 22;  // pixels; a narrower frame has no label
constexpr std::size_t kMostDepth = 120;
constexpr std::size_t kMostGone = 8;  // lines below the picture
constexpr int kLevels = 6;            // of each colour
constexpr Style kFlamePlain;

// Red and blue are those of verdicts and candidates, so that they fit light and dark screens.
std::string FlameStyle() {
  std::string rules =
      ".flame-same,.flame-more,.flame-less{stroke:var(--ground);stroke-width:.6}"
      ".flame-same{fill:var(--rule);fill-opacity:.6}.flame-more{fill:var(--regression)}"
      ".flame-less{fill:var(--candidate)}"
      ".flame-gone{fill:none;stroke:var(--candidate)}"
      ".flame-name{font-size:11px;pointer-events:none}";
  for (int level = 1; level <= kLevels; ++level) {
    rules += fmt::format(".flame-{}{{fill-opacity:{:.2f}}}", level, 0.1 + 0.55 * level / kLevels);
  }
  return rules;
}

// A function in the context of its callers.
struct Frame {
  std::string name;
  double candidate = 0;  // seconds of a run, with callees
  double reference = 0;
  std::map<std::string, std::size_t> callees = {};  // indices, by name
  std::size_t depth = 0;

  double Change() const { return candidate - reference; }
};

// All frames of both arms. The first one is the whole run; a caller comes before its callees.
class FrameTree {
 public:
  explicit FrameTree(const FlamePair& pair) {
    frames_.push_back({.name = "all"});
    Add(pair.reference, &Frame::reference, pair.matched);
    Add(pair.candidate, &Frame::candidate, {});
  }

  const std::vector<Frame>& frames() const { return frames_; }
  const Frame& root() const { return frames_.front(); }

 private:
  void Add(const FlameArm& arm, double Frame::*seconds,
           const std::map<std::string, std::string>& renamed) {
    double total = 0;
    for (const auto& [stack, count] : arm.counts) total += count;
    if (!(total > 0)) return;
    for (const auto& [stack, count] : arm.counts) {
      const double share = count / total * (arm.seconds - arm.kernel);
      std::size_t at = 0;
      frames_[at].*seconds += share;
      for (std::size_t begin = 0; begin <= stack.size() && frames_[at].depth < kMostDepth;) {
        const std::size_t end = std::min(stack.find(';', begin), stack.size());
        at = CalleeOf(at, stack.substr(begin, end - begin), renamed);
        frames_[at].*seconds += share;
        begin = end + 1;
      }
    }
    if (!(arm.kernel > 0)) return;
    frames_.front().*seconds += arm.kernel;
    frames_[CalleeOf(0, std::string(kKernelFunction), {})].*seconds += arm.kernel;
  }

  // A function is the same as in the table: inlined or not, and whichever clone of it ran.
  std::size_t CalleeOf(std::size_t caller, const std::string& frame,
                       const std::map<std::string, std::string>& renamed) {
    const std::string name = WithoutCloneSuffixes(FrameOf(frame).name);
    const auto other = renamed.find(name);
    const std::string& own = other == renamed.end() ? name : other->second;
    const auto [place, is_new] = frames_[caller].callees.try_emplace(own, frames_.size());
    const std::size_t callee = place->second;
    if (is_new) frames_.push_back({.name = own, .depth = frames_[caller].depth + 1});
    return callee;
  }

  std::vector<Frame> frames_;
};

// Returns the time of the smallest frame that is drawn.
double SmallestDrawn(const FrameTree& tree) {
  const double least = tree.root().candidate * kSmallestFrame;
  std::vector<double> widths;
  for (const Frame& frame : tree.frames()) {
    if (frame.candidate >= least && frame.candidate > 0) widths.push_back(frame.candidate);
  }
  if (widths.size() <= kMostFrames) return least;
  std::ranges::nth_element(widths, widths.begin() + kMostFrames, std::greater<>());
  return std::nextafter(widths[kMostFrames], std::numeric_limits<double>::max());
}

std::string SecondsText(double seconds) { return FormatQuantity(seconds, "s", kFlamePlain); }

std::string SignedSeconds(double seconds) {
  return (seconds < 0 ? "-" : "+") + SecondsText(std::abs(seconds));
}

// Draws the frames of the candidate, callers below their callees.
class FlamePicture {
 public:
  FlamePicture(std::string id, const FrameTree& tree, const FlamePair& pair)
      : tree_(tree), pair_(pair), least_(SmallestDrawn(tree)) {
    for (const Frame& frame : tree.frames()) {
      if (!IsDrawn(frame)) {
        left_out_ += frame.candidate > 0 ? 1 : 0;
        continue;
      }
      deepest_ = std::max(deepest_, frame.depth);
      largest_ = std::max(largest_, std::abs(frame.Change()));
    }
    FindGone();
    const double height = kLegend + kFrameHeight * static_cast<double>(deepest_ + 1) +
                          kFrameHeight * static_cast<double>(GoneLines()) + 2 * kFlameMargin;
    svg_ = std::make_unique<Svg>(std::move(id), kFlameWidth, height);
    svg_->AddStyle(FlameStyle());
  }

  Svg Draw() {
    DrawLegend();
    DrawFrame(0, kFlameMargin);
    DrawGone();
    return *svg_;
  }

  std::size_t left_out() const { return left_out_; }
  std::size_t drawn() const { return drawn_; }

 private:
  static constexpr double kLegend = 26;

  bool IsDrawn(const Frame& frame) const {
    return frame.candidate > 0 && frame.candidate >= least_;
  }

  double Pixels(double seconds) const {
    return seconds / tree_.root().candidate * (kFlameWidth - 2 * kFlameMargin);
  }

  // Returns the class of a change: its colour and one of the levels of the legend.
  std::string StyleOf(double change) const {
    const int level =
        largest_ > 0 ? static_cast<int>(std::lround(std::abs(change) / largest_ * kLevels)) : 0;
    if (level == 0) return "flame-same";
    return fmt::format("flame-{} flame-{}", change > 0 ? "more" : "less", level);
  }

  std::string TitleOf(const Frame& frame) const {
    const double share = frame.candidate / tree_.root().candidate;
    return fmt::format("{}: {} a run ({}), {} against {}", frame.name, SecondsText(frame.candidate),
                       FormatUnsigned(share, 1), SignedSeconds(frame.Change()),
                       pair_.reference.name);
  }

  // The number of nested calls is at most kMostDepth.
  void DrawFrame(std::size_t index, double x) {
    const Frame& frame = tree_.frames()[index];
    const double width = Pixels(frame.candidate);
    const double y =
        kLegend + kFlameMargin + kFrameHeight * static_cast<double>(deepest_ - frame.depth);
    svg_->Rect(x, y, width, kFrameHeight, StyleOf(frame.Change()), TitleOf(frame));
    if (width >= kSmallestText) {
      svg_->ShortText(x + 3, y + 12.5, width - 6, frame.name, "flame-name");
    }
    ++drawn_;
    double at = x;
    for (const auto& [name, callee] : frame.callees) {
      const Frame& next = tree_.frames()[callee];
      if (!IsDrawn(next)) continue;
      DrawFrame(callee, at);
      at += Pixels(next.candidate);
    }
  }

  // The scale is symmetrical: the largest change of any frame at both ends.
  void DrawLegend() {
    constexpr double kBox = 16;
    const std::string end = SecondsText(largest_);
    double x = kFlameMargin;
    svg_->Text(x, 17, "-" + end, "small");
    x += TextWidth("-" + end) + 6;
    for (int level = -kLevels; level <= kLevels; ++level) {
      svg_->Rect(x, 6, kBox, 14, StyleOf(largest_ * level / kLevels));
      x += kBox;
    }
    svg_->Text(x + 6, 17, "+" + end + " a run against " + pair_.reference.name, "small");
  }

  // Finds the outermost frames that only the reference has.
  void FindGone() {
    std::vector<std::size_t> open = {0};
    while (!open.empty()) {
      const Frame& frame = tree_.frames()[open.back()];
      open.pop_back();
      for (const auto& [name, callee] : frame.callees) {
        const Frame& next = tree_.frames()[callee];
        if (next.candidate > 0) {
          open.push_back(callee);
        } else if (next.reference >= tree_.root().reference * kSmallestFrame) {
          gone_.push_back({&next, frame.name});
        }
      }
    }
    std::ranges::stable_sort(gone_, std::greater<>(),
                             [](const Gone& one) { return one.frame->reference; });
  }

  std::size_t GoneLines() const {
    return std::min(gone_.size(), kMostGone) + (gone_.size() > kMostGone ? 1 : 0);
  }

  // Lists them below the picture, each with an outline as wide as its time in the reference.
  void DrawGone() {
    double y = kLegend + 1.5 * kFlameMargin + kFrameHeight * static_cast<double>(deepest_ + 1);
    for (std::size_t i = 0; i < std::min(gone_.size(), kMostGone); ++i) {
      const Gone& gone = gone_[i];
      const std::string text = fmt::format("gone: {}: {} a run, called by {}", gone.frame->name,
                                           SecondsText(gone.frame->reference), gone.caller);
      const double room = kFlameWidth - 2 * kFlameMargin;
      svg_->Rect(kFlameMargin, y + 1, std::min(Pixels(gone.frame->reference), room),
                 kFrameHeight - 3, "flame-gone", text);
      svg_->ShortText(kFlameMargin + 3, y + 12.5, room - 6, text, "flame-name");
      y += kFrameHeight;
    }
    if (gone_.size() > kMostGone) {
      svg_->Text(kFlameMargin + 3, y + 12.5, fmt::format("and {} more", gone_.size() - kMostGone),
                 "small");
    }
  }

  struct Gone {
    const Frame* frame;
    std::string caller;
  };

  const FrameTree& tree_;
  const FlamePair& pair_;
  double least_;
  double largest_ = 0;
  std::size_t deepest_ = 0;
  std::size_t left_out_ = 0;
  std::size_t drawn_ = 0;
  std::vector<Gone> gone_;
  std::unique_ptr<Svg> svg_;
};

std::string FlameName(const FlamePair& pair) {
  const std::string arms = pair.candidate.name + " against " + pair.reference.name;
  return "CPU time of a run, " + (pair.benchmark.empty() ? "" : pair.benchmark + ": ") + arms;
}

// Returns the functions of the second level of the tree and of its callees, for readers who do not
// see the picture.
Rows FlameTable(const FrameTree& tree, const FlamePair& pair) {
  constexpr std::size_t kMostRows = 40;
  std::map<std::string, std::pair<double, double>> self;
  for (const Frame& frame : tree.frames()) {
    double candidate = frame.candidate;
    double reference = frame.reference;
    for (const auto& [name, callee] : frame.callees) {
      candidate -= tree.frames()[callee].candidate;
      reference -= tree.frames()[callee].reference;
    }
    self[frame.name].first += reference;
    self[frame.name].second += candidate;
  }
  std::vector<std::pair<std::string, std::pair<double, double>>> sorted(self.begin(), self.end());
  std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& one) {
    return std::abs(one.second.second - one.second.first);
  });
  const double least = std::max(tree.root().candidate, tree.root().reference) * kSmallestFrame;
  Rows rows = {{"function", pair.reference.name, pair.candidate.name, "change"}};
  for (const auto& [name, seconds] : sorted) {
    if (rows.size() > kMostRows) break;
    if (std::max(seconds.first, seconds.second) < least) continue;
    rows.push_back({OneLine(name), SecondsText(seconds.first), SecondsText(seconds.second),
                    SignedSeconds(seconds.second - seconds.first)});
  }
  return rows;
}

}  // namespace

Picture DrawFlameGraph(const std::string& id, const FlamePair& pair) {
  const FrameTree tree(pair);
  FlamePicture picture(id, tree, pair);
  if (!(tree.root().candidate > 0)) {
    Svg empty(id, kFlameWidth, 2 * kFrameHeight);
    empty.Text(kFlameMargin, kFrameHeight, "no samples of " + pair.candidate.name, "small");
    return {empty, FlameName(pair), "There are no samples.", "", {}};
  }
  Svg svg = picture.Draw();
  std::string note =
      "Width: time in a run of " + pair.candidate.name +
      ". Colour: how much more (red) or less (blue) than " + pair.reference.name +
      "; these are estimates, and the table of functions tells which of them are shown to have "
      "changed.";
  if (picture.left_out() > 0) {
    note += " " + Counted(picture.left_out(), "narrow frame") + " left out.";
  }
  return {std::move(svg), FlameName(pair),
          fmt::format("Flame graph of {} frames. {} takes {} of CPU time a run, {} against {}.",
                      picture.drawn(), pair.candidate.name, SecondsText(tree.root().candidate),
                      SignedSeconds(tree.root().Change()), pair.reference.name),
          std::move(note), FlameTable(tree, pair)};
}

std::string FlameGraphFile(const FlamePair& pair) {
  const Picture picture = DrawFlameGraph("flame", pair);
  return picture.svg.File(picture.name, picture.description + " " + picture.note);
}

std::vector<FlamePair> FlamePairsOf(const v1::Update& report,
                                    const std::vector<ArmStacks>& stacks) {
  const auto find = [&stacks](const std::string& benchmark, const std::string& arm) {
    return std::ranges::find_if(
        stacks, [&](const ArmStacks& one) { return one.benchmark == benchmark && one.arm == arm; });
  };
  const bool several = ViewOf(report, FunctionsShown::kAll).names_benchmark;
  std::vector<FlamePair> pairs;
  for (const v1::Explanation& one : report.explanations()) {
    const auto reference = find(one.benchmark(), one.reference());
    const auto candidate = find(one.benchmark(), one.candidate());
    if (reference == stacks.end() || candidate == stacks.end()) continue;
    FlamePair& pair = pairs.emplace_back();
    if (several) pair.benchmark = one.benchmark();
    pair.reference = {one.reference(), one.seconds_reference(), one.kernel_reference(),
                      reference->counts};
    pair.candidate = {one.candidate(), one.seconds_candidate(), one.kernel_candidate(),
                      candidate->counts};
    for (const v1::FunctionChange& function : one.functions()) {
      if (function.matched().empty()) continue;
      pair.matched[WithoutCloneSuffixes(function.matched())] =
          WithoutCloneSuffixes(function.function());
    }
  }
  return pairs;
}

}  // namespace benchd::client
