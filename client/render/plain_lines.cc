#include <algorithm>

#include "client/render/live_view.h"
#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

constexpr double kSecondsBetweenLines = 5;

// "candidate +10.2 % (+9.8 % … +10.6 %)"
std::string GateProgress(const v1::Comparison& gate, const v1::Update& update, const Style& style) {
  const Judged judged = JudgedBy(gate);
  std::string line = ComparisonLabel(gate, update) + " ";
  line += judged.estimate ? judged.FormatSigned(*judged.estimate, style) : "?";
  const std::string interval = judged.Interval(style);
  return line + (interval.empty() ? "" : " (" + interval + ")");
}

}  // namespace

std::vector<std::string> PlainNarrator::Tell(const v1::SessionEvent& event, double now_seconds) {
  if (event.has_queued()) return TellQueued(event.queued());
  if (event.has_started()) return TellStarted(event.started());
  if (event.has_update()) return TellUpdate(event.update(), now_seconds);
  return {};
}

std::vector<std::string> PlainNarrator::TellQueued(const v1::Queued& queued) {
  if (queued.position() == 0 || position_ == queued.position()) return {};  // 0: its turn has come
  position_ = queued.position();
  std::string line = "queued: place " + std::to_string(queued.position());
  if (queued.has_eta_seconds()) line += ", starts in about " + FormatRough(queued.eta_seconds());
  return {line};
}

std::vector<std::string> PlainNarrator::TellStarted(const v1::Started& started) {
  if (started_) return {};
  started_ = true;
  std::string line = "started: seed " + std::to_string(started.seed());
  const auto held = std::ranges::count_if(started.isolation(), &v1::Setting::held);
  const bool user_mode = std::ranges::any_of(started.isolation(), [](const v1::Setting& setting) {
    return setting.why().starts_with("user mode");
  });
  if (user_mode) {
    line += "; user mode: machine not tuned";
  } else if (started.isolation_size() > 0) {
    line += "; " + std::to_string(held) + " of " + std::to_string(started.isolation_size()) +
            " machine settings held";
  }
  return {line};
}

// What is worth a line: of the queue and of what runs there are others.
std::string PlainNarrator::StateNews(const v1::Update& update) const {
  switch (update.state()) {
    case v1::SESSION_STATE_QUEUED:
      return "";
    case v1::SESSION_STATE_RUNNING:
      return state_ == v1::SESSION_STATE_PAUSED ? "goes on" : "";
    case v1::SESSION_STATE_PAUSED:
      return PauseSentence(update);
    default:
      return std::string(Word(update.state()));
  }
}

std::vector<std::string> PlainNarrator::TellUpdate(const v1::Update& update, double now_seconds) {
  std::vector<std::string> lines;
  if (update.state() != state_) {
    const std::string news = StateNews(update);
    if (!news.empty()) lines.push_back(news);
    if (state_ == v1::SESSION_STATE_PAUSED) told_at_.reset();
    state_ = update.state();
  }
  // Nothing is measured yet, or not at the moment.
  if (update.comparisons().empty() || state_ != v1::SESSION_STATE_RUNNING) return lines;
  for (const v1::Comparison* of : GatesOf(update)) {
    const v1::Comparison& gate = *of;
    if (!gate.has_decided()) continue;
    bool& told = decided_[gate.benchmark() + "\n" + gate.reference() + "\n" + gate.candidate() +
                          "\n" + gate.metric()];
    if (!told) {
      lines.push_back("decided: " + GateProgress(gate, update, style_) + ": " +
                      std::string(Word(gate.verdict())) + " at " +
                      std::to_string(gate.decided().blocks()) + " blocks");
    }
    told = true;
  }
  if (told_at_ && now_seconds - *told_at_ < kSecondsBetweenLines) return lines;
  told_at_ = now_seconds;
  std::string gates;
  std::size_t open = 0;
  constexpr std::size_t kMostGates = 3;
  for (const v1::Comparison* gate : GatesOf(update)) {
    if (gate->has_decided()) continue;
    if (++open <= kMostGates) gates += ", " + GateProgress(*gate, update, style_);
  }
  if (open > kMostGates) gates += ", " + std::to_string(open - kMostGates) + " more open";
  const std::string decided = DecidedSentence(update);
  std::string line = "running: " + BlocksSentence(update) + (decided.empty() ? "" : ", ") +
                     decided + ", " + FormatClock(update.elapsed_seconds()) + gates;
  if (update.has_eta_seconds()) line += ", verdict in about " + FormatRough(update.eta_seconds());
  lines.push_back(line);
  return lines;
}

}  // namespace benchd::client
