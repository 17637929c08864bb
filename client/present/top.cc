#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "client/present/live_view.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

/// The number of rows that are reserved for the queue before the running session gets the rest.
constexpr int kQueueRows = 4;

std::string ModeOf(const TopState& state, const UserNames& users) {
  std::string mode = state.queue.draining()          ? "draining"
                     : state.queue.paused()          ? "paused"
                     : state.queue.running().empty() ? "idle"
                                                     : "running";
  if (state.queue.has_reserved_by()) {
    mode += ", reserved by " + Printable(users(state.queue.reserved_by()));
  }
  return fmt::format("{}, {} queued", mode, state.queue.queued());
}

std::string FactOf(const v1::MachineStatus& machine, std::string_view name) {
  const auto found = std::ranges::find(machine.environment(), name, &v1::EnvironmentFact::name);
  return found == machine.environment().end() ? "" : OneLine(Printable(found->value()));
}

std::string MachineWords(const v1::MachineStatus& machine) {
  std::vector<std::string> words;
  for (const char* fact : {"cpu", "kernel"}) {
    if (std::string value = FactOf(machine, fact); !value.empty()) words.push_back(value);
  }
  const std::string cpus = CpuList(machine.benchmark_cpus());
  if (!cpus.empty()) words.push_back("benchmark CPUs " + cpus);
  return Join(words, ", ");
}

std::string SettingsWords(const v1::MachineStatus& machine) {
  std::vector<std::string> held;
  std::vector<std::string> missing;
  for (const v1::Setting& setting : machine.settings()) {
    if (setting.held()) {
      held.push_back(Printable(setting.setting()) + "=" + Printable(setting.actual()));
    } else {
      missing.push_back(Printable(setting.setting()));
    }
  }
  if (held.empty()) return "none held";
  std::string words = Join(held, " ");
  if (!missing.empty()) words += "; not held: " + Join(missing, " ");
  return words;
}

std::string Amount(double value) { return Fixed(value, value == std::floor(value) ? 0 : 1); }

/// Formats the used part of each limit, the fullest limit first.
std::string LimitWords(const v1::QueueStatus& queue, const UserNames& users) {
  std::vector<const v1::LimitUse*> taken;
  for (const v1::LimitUse& use : queue.limits()) {
    if (use.used() > 0 && use.most() > 0) taken.push_back(&use);
  }
  std::ranges::stable_sort(taken, std::greater(),
                           [](const v1::LimitUse* use) { return use->used() / use->most(); });
  return Join(taken, ", ", [&users](const v1::LimitUse* use) {
    std::string text = Printable(use->what());
    if (use->has_uid()) text += " of " + Printable(users(use->uid()));
    return text + " " + Amount(use->used()) + "/" + Amount(use->most());
  });
}

const v1::Session* Running(const TopState& state) {
  const auto found =
      std::ranges::find(state.sessions, state.queue.running(), &v1::Session::session);
  return state.queue.running().empty() || found == state.sessions.end() ? nullptr : &*found;
}

std::vector<v1::Session> Queued(const TopState& state) {
  std::vector<v1::Session> queued;
  std::ranges::copy_if(state.sessions, std::back_inserter(queued), [&state](const auto& session) {
    return session.session() != state.queue.running();
  });
  // Places of other users are hidden, so they come last.
  const auto place = [](const v1::Session& session) {
    return session.queued().position() > 0 ? session.queued().position() : UINT64_MAX;
  };
  std::ranges::stable_sort(queued, {}, place);
  return queued;
}

// Describes a session by its owner and, if visible, its commands: "ada: base ./old, candidate
// ./new". For a suite, it has the number of benchmarks instead.
std::string Subject(const v1::Session& session, const UserNames& users) {
  std::string text = Printable(users(session.uid()));
  const auto& benchmarks = session.spec().benchmarks();
  if (benchmarks.empty()) return text;
  if (benchmarks.size() > 1) {
    return text + ": " + Counted(static_cast<std::size_t>(benchmarks.size()), "benchmark") +
           " of " + Join(benchmarks[0].arms(), ", ", [](const v1::Arm& arm) {
             return Printable(arm.name());
           });
  }
  return text + ": " + Join(benchmarks[0].arms(), ", ", [](const v1::Arm& arm) {
           return Printable(arm.name()) + " " + Printable(arm.command());
         });
}

std::vector<std::string> RunningLines(const TopState& state, const UserNames& users,
                                      const Style& style, int height) {
  const v1::Session* const session = Running(state);
  constexpr int kRoomForSubject = 4;  // in fewer rows, the state and one gate are more useful
  if (state.running) {
    const bool subject = session != nullptr && height >= kRoomForSubject;
    std::vector<std::string> lines =
        RenderLiveView(*state.running, style, subject ? height - 1 : height);
    if (!subject) return lines;
    lines.insert(lines.begin(), Shorten(Subject(*session, users), style.width, style));
    return lines;
  }
  if (state.queue.running().empty()) return {};
  const std::string who = session == nullptr ? "" : " of " + Subject(*session, users);
  return {Shorten(Printable(state.queue.running()) + who + " runs", style.width, style)};
}

std::vector<std::string> QueueLines(const TopState& state, const UserNames& users,
                                    const google::protobuf::Timestamp& now, const Style& style,
                                    int height) {
  const std::vector<v1::Session> queued = Queued(state);
  if (queued.empty() || height < 2) return {};
  std::vector<std::string> lines = Lines(RenderList(queued, users, now, style));
  if (static_cast<int>(lines.size()) <= height) return lines;
  const auto shown = static_cast<std::size_t>(height) - 1;  // including the header
  const std::size_t more = lines.size() - shown;
  lines.resize(shown);
  lines.push_back(Shorten(fmt::format("and {} more", more), style.width, style));
  return lines;
}

}  // namespace

std::vector<std::string> RenderTop(const TopState& state, const UserNames& users,
                                   const google::protobuf::Timestamp& now, const Style& style,
                                   int height) {
  const Style unpainted{false, style.unicode, style.width};
  std::vector<std::string> lines;
  const auto add = [&](const std::string& text, Tint tint) {
    if (!text.empty()) lines.push_back(Paint(Shorten(text, style.width, unpainted), tint, style));
  };
  add("benchd " + Printable(state.queue.version()) + "  " + LocalTime(now, now) + "  " +
          ModeOf(state, users),
      Tint::kBold);
  add(MachineWords(state.machine), Tint::kNone);
  if (state.machine.settings_size() > 0) {
    add("settings: " + SettingsWords(state.machine), Tint::kNone);
  }
  if (const std::string taken = LimitWords(state.queue, users); !taken.empty()) {
    add("limits: " + taken, Tint::kNone);
  }
  add(state.note, Tint::kYellow);
  add("q quits", Tint::kDim);
  if (static_cast<int>(lines.size()) > height) lines.resize(static_cast<std::size_t>(height));
  const auto room = [&lines, height] { return height - static_cast<int>(lines.size()); };
  const auto append = [&lines](std::vector<std::string> more) {
    if (more.empty()) return;
    lines.emplace_back();
    std::ranges::move(more, std::back_inserter(lines));
  };
  const int for_queue = state.sessions.size() > 1
                            ? std::min(kQueueRows, static_cast<int>(state.sessions.size()) + 1) + 1
                            : 0;
  if (room() - for_queue > 2) {
    append(RunningLines(state, users, style, room() - for_queue - 1));
  }
  if (room() > 2) append(QueueLines(state, users, now, style, room() - 1));
  return lines;
}

std::string TopLine(const TopState& state, const UserNames& users,
                    const google::protobuf::Timestamp& now, const Style& style) {
  std::string line = LocalTime(now, now) + "  " + ModeOf(state, users);
  if (!state.queue.running().empty()) {
    const v1::Session* const session = Running(state);
    line += "; " + Printable(state.queue.running()) +
            (session == nullptr ? "" : " of " + Subject(*session, users)) + " runs";
  }
  if (state.running && state.running->update) {
    const std::string known = KnownSoFar(*state.running->update, style);
    const std::size_t colon = known.find(": ");
    if (colon != std::string::npos) line += ": " + known.substr(colon + 2);
  }
  if (state.machine.settings_size() > 0) line += "; settings: " + SettingsWords(state.machine);
  return state.note.empty() ? line : line + "; " + state.note;
}

}  // namespace benchd::client
