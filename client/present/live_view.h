#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/present/pages.h"
#include "client/present/text.h"

namespace benchd::client {

/// The known state of a watched session: the newest event of each kind.
struct LiveState {
  std::string session;
  std::optional<v1::Queued> queued;
  std::optional<v1::Started> started;
  std::optional<v1::Update> update;
  v1::Limits limits;               ///< for the progress bar; empty if unknown
  bool sampled = false;            ///< its runs are sampled, so their values are not shown
  std::string note;                ///< last line: "cancelling ...", "the daemon went away ..."
  std::string keys;                ///< last line if there is no note: "d detaches, ..."
  double since_event_seconds = 0;  ///< time since the newest event; advances the clock
  double shown_progress = 0;       ///< largest fraction that the bar has shown

  /// Applies an event that is not final, and resets since_event_seconds, which must still count
  /// from the previous event.
  void Apply(const v1::SessionEvent& event);
};

/// Renders the live area: state, clock and progress, then for each gate its estimate and a drawing
/// of its interval against the margin. The area fits into style.width columns and `height` rows; a
/// last row counts the gates that do not fit. Pure; terminal.h writes to the screen.
std::vector<std::string> RenderLiveView(const LiveState& state, const Style& style, int height);

/// Draws a bar followed by its percentage, `width` columns in total; empty if there is no room.
std::string ProgressBar(double fraction, int width, const Style& style);

/// Draws an interval on an axis from -range to +range margins, `width` columns wide, with marks at
/// 0 and at both margins. An arrow marks an end beyond the axis.
///
/// @param lo,estimate,hi  changes divided by the margin
std::string DrawInterval(double lo, double estimate, double hi, double range, int width,
                         const Style& style);

/// Describes a session that ended before its verdict: "no verdict: 18 runs each, change
/// -0.4 … +3.1 %".
std::string KnownSoFar(const v1::Update& update, const Style& style);

/// Describes a session in single lines, for logs and pipes: one line per change of its state, and a
/// line of progress at most every five seconds.
class PlainNarrator {
 public:
  /// @param sampled  whether the runs of the session are sampled: their values are not told
  explicit PlainNarrator(Style style, bool sampled = false) : style_(style), sampled_(sampled) {}

  /// Returns the lines to print for `event`, usually none.
  ///
  /// @param now_seconds  the time of any steady clock
  std::vector<std::string> Describe(const v1::SessionEvent& event, double now_seconds);

 private:
  std::vector<std::string> DescribeQueued(const v1::Queued& queued);
  std::vector<std::string> DescribeStarted(const v1::Started& started);
  std::string StateNews(const v1::Update& update) const;
  std::vector<std::string> DescribeUpdate(const v1::Update& update, double now_seconds);
  std::string Progress(const v1::Update& update);

  Style style_;
  bool sampled_;
  std::optional<std::uint64_t> position_;
  bool started_ = false;
  std::optional<double> told_at_;
  v1::SessionState state_ = v1::SESSION_STATE_UNSPECIFIED;
  std::set<std::string> decided_;  ///< keys of the gates that were reported as decided
};

/// The input of `top`: the newest state of queue, machine and sessions.
struct TopState {
  v1::QueueStatus queue;
  v1::MachineStatus machine;
  std::vector<v1::Session> sessions;  ///< sessions that have not ended, in any order
  std::optional<LiveState> running;   ///< the running session, if the caller may watch it
  std::string note;                   ///< a problem: "the daemon went away ..."
};

/// Renders the screen of `top`: the daemon, the machine and its held settings, the running session
/// with its intervals, and the queue. It fits into style.width columns and `height` rows; a last
/// row counts the queued sessions that do not fit.
std::vector<std::string> RenderTop(const TopState& state, const UserNames& users,
                                   const google::protobuf::Timestamp& now, const Style& style,
                                   int height);

/// Renders the state of `top` as one line, for logs and pipes.
std::string TopLine(const TopState& state, const UserNames& users,
                    const google::protobuf::Timestamp& now, const Style& style);

}  // namespace benchd::client
