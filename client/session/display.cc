#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/session/follow.h"
#include "client/terminal/terminal.h"
#include "core/base/file.h"

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
};

class QuietDisplay : public Display {
 public:
  void Show(const v1::SessionEvent&) override {}
};

class PlainDisplay : public Display {
 public:
  explicit PlainDisplay(const v1::SessionSpec& spec)
      : narrator_(StyleOf(STDERR_FILENO), spec.has_profile()) {}

  void Show(const v1::SessionEvent& event) override {
    for (const std::string& line : narrator_.Describe(event, SecondsSince(start_))) {
      PrintToStderr(line);
    }
  }

 private:
  const Clock::time_point start_ = Clock::now();
  PlainNarrator narrator_;
};

// A display that redraws with every event and once per second, so that the clock advances during a
// long run. A background job does not write to the terminal.
class LiveDisplay : public Display {
 public:
  explicit LiveDisplay(const v1::Session& session) {
    state_.session = session.session();
    state_.limits = session.spec().limits();
    state_.sampled = session.spec().has_profile();
    ticker_ = std::thread([this] { Run(); });
  }

  ~LiveDisplay() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    eventfd_write(wake_.get(), 1);
    ticker_.join();
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

  void OnDetach(std::function<void()> detach, std::string keys) override {
    const std::lock_guard lock(mutex_);
    detach_ = std::move(detach);
    keys_ = std::move(keys);
  }

  void Close() override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    detach_ = nullptr;
    GiveBack();
  }

  void Suspend() override {
    const std::lock_guard lock(mutex_);
    suspended_ = true;
    GiveBack();
  }

  void Resume() override {
    const std::lock_guard lock(mutex_);
    suspended_ = false;
    screen_.Forget();
    Draw();
  }

  void Resize() override {
    const std::lock_guard lock(mutex_);
    Draw();
  }

 private:
  static constexpr int kTickMilliseconds = 1000;
  static constexpr char kDetachKey = 'd';

  // Runs on the ticker thread.
  void Run() {
    while (true) {
      pollfd waiting[] = {{wake_.get(), POLLIN, 0}, {-1, POLLIN, 0}};
      {
        const std::lock_guard lock(mutex_);
        if (ending_) return;
        waiting[1].fd = keyboard_.fd();
      }
      const int ready = poll(waiting, 2, kTickMilliseconds);
      eventfd_t ignored = 0;
      if (ready > 0 && waiting[0].revents != 0) eventfd_read(wake_.get(), &ignored);
      const std::lock_guard lock(mutex_);
      if (ready > 0 && waiting[1].revents != 0) TakeKeys();
      if (ready == 0) Draw();
    }
  }

  void TakeKeys() {
    while (keyboard_.fd() >= 0) {
      const std::optional<char> key = keyboard_.Read();
      if (!key) return;
      if (*key == kDetachKey && detach_) detach_();
    }
  }

  void Draw() {
    if (closed_ || suspended_) return;
    if (!InForeground(STDERR_FILENO)) {
      screen_.Forget();
      return;
    }
    HoldKeys();
    state_.since_event_seconds = SecondsSince(event_at_);
    const Style style = StyleOf(STDERR_FILENO);
    // The last row is left to the cursor, because writing to it would scroll the area.
    screen_.Draw(RenderLiveView(state_, style, TerminalHeight(STDERR_FILENO) - 1), style.width);
  }

  void HoldKeys() {
    const int before = keyboard_.fd();
    state_.keys = detach_ && keyboard_.Hold() ? keys_ : "";
    if (keyboard_.fd() != before) eventfd_write(wake_.get(), 1);  // to poll the new descriptor
  }

  void GiveBack() {
    keyboard_.Release();
    if (InForeground(STDERR_FILENO)) screen_.Clear();
    screen_.Forget();
  }

  std::mutex mutex_;
  LiveState state_;
  LiveScreen screen_{STDERR_FILENO};
  Keyboard keyboard_{STDIN_FILENO};
  std::function<void()> detach_;
  std::string keys_;
  Clock::time_point event_at_ = Clock::now();
  bool closed_ = false;
  bool suspended_ = false;
  bool ending_ = false;
  UniqueFd wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::thread ticker_;  // last, because it uses the members above
};

}  // namespace

void Display::Note(const std::string& text) {
  if (!text.empty()) PrintToStderr(text);
}

std::unique_ptr<Display> MakeDisplay(const v1::Session& session, Progress progress) {
  if (progress == Progress::kJson) return std::make_unique<JsonDisplay>();
  if (progress == Progress::kQuiet) return std::make_unique<QuietDisplay>();
  if (!CanRedraw(STDERR_FILENO)) return std::make_unique<PlainDisplay>(session.spec());
  return std::make_unique<LiveDisplay>(session);
}

}  // namespace benchd::client
