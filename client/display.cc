#include "client/display.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include "client/render/json.h"
#include "client/render/live_view.h"
#include "client/render/plain_lines.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class JsonDisplay : public Display {
 public:
  void Show(const v1::SessionEvent& event) override {
    std::cout << EventJson(event) + "\n" << std::flush;
  }
  void Note(const std::string& text) override {
    if (!text.empty()) TellOnStderr(text);
  }
  void Close() override {}
};

class PlainDisplay : public Display {
 public:
  PlainDisplay() : narrator_(StyleOf(STDERR_FILENO)) {}

  void Show(const v1::SessionEvent& event) override {
    for (const std::string& line : narrator_.Tell(event, SecondsSince(start_))) {
      TellOnStderr(line);
    }
  }
  void Note(const std::string& text) override {
    if (!text.empty()) TellOnStderr(text);
  }
  void Close() override {}

 private:
  const Clock::time_point start_ = Clock::now();
  PlainNarrator narrator_;
};

// Redraws with every event and once a second in between, so that the clock goes on in a long run.
class LiveDisplay : public Display {
 public:
  LiveDisplay(const std::string& session, const v1::Limits& limits) {
    state_.session = session;
    state_.limits = limits;
    ticker_ = std::jthread([this](const std::stop_token& stop) { Tick(stop); });
  }

  void Show(const v1::SessionEvent& event) override {
    const std::lock_guard lock(mutex_);
    state_.Apply(event);
    event_at_ = Clock::now();
    Draw();
  }

  void Note(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    state_.note = text;
    Draw();
  }

  void Close() override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    screen_.Clear();
  }

 private:
  void Tick(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
      if (!stop.stop_requested()) Draw();
    }
  }

  void Draw() {
    if (closed_) return;
    state_.since_event_seconds = SecondsSince(event_at_);
    const Style style = StyleOf(STDERR_FILENO);
    // One row stays free for the cursor: writing to the last one would scroll the area away.
    screen_.Draw(RenderLiveView(state_, style, TerminalHeight(STDERR_FILENO) - 1), style.width);
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  LiveState state_;
  LiveScreen screen_{STDERR_FILENO};
  Clock::time_point event_at_ = Clock::now();
  bool closed_ = false;
  std::jthread ticker_;  // last: it uses everything above
};

}  // namespace

DisplayKind ChooseDisplay(bool json) {
  if (json) return DisplayKind::kJson;
  return CanRedraw(STDERR_FILENO) ? DisplayKind::kLive : DisplayKind::kPlain;
}

std::unique_ptr<Display> MakeDisplay(DisplayKind kind, const std::string& session,
                                     const v1::Limits& limits) {
  switch (kind) {
    case DisplayKind::kJson:
      return std::make_unique<JsonDisplay>();
    case DisplayKind::kLive:
      return std::make_unique<LiveDisplay>(session, limits);
    case DisplayKind::kPlain:
      break;
  }
  return std::make_unique<PlainDisplay>();
}

}  // namespace benchd::client
