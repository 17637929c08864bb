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

/// What is known about a watched session: the newest of each kind of event.
struct LiveState {
  std::string session;
  std::optional<v1::Queued> queued;
  std::optional<v1::Started> started;
  std::optional<v1::Update> update;
  v1::Limits limits;               ///< for the progress bar; empty when unknown
  std::string note;                ///< a line below: "cancelling ...", "the daemon went away ..."
  std::string keys;                ///< the same while there is no note: "d detaches, ..."
  double since_event_seconds = 0;  ///< since the newest event came: keeps the clock going
  double shown_progress = 0;       ///< how far the bar was at most: it never goes back

  /// Takes an event that is not final; since_event_seconds is still that of the event before.
  void Apply(const v1::SessionEvent& event);
};

/// The live area: state, clock and progress, then for each gate its estimate and its interval drawn
/// against the margin. Fits style.width columns and `height` rows; gates that find no room are
/// counted. Pure: the screen is terminal.h's business.
std::vector<std::string> RenderLiveView(const LiveState& state, const Style& style, int height);

/// A bar of `width` columns with its percentage behind; empty where it finds no room.
std::string ProgressBar(double fraction, int width, const Style& style);

/// The interval on an axis of -range ... +range margins, `width` columns wide: marks at 0 and at
/// both margins, arrows where the interval leaves the axis.
///
/// @param lo,estimate,hi  in margins (the change divided by the margin)
std::string DrawInterval(double lo, double estimate, double hi, double range, int width,
                         const Style& style);

/// What is known about a session that was ended before its verdict: "no verdict: 18 runs each,
/// change -0.4 … +3.1 %".
std::string KnownSoFar(const v1::Update& update, const Style& style);

/// A session told in single lines, for logs and pipes: a line when its state changes and one every
/// five seconds of progress, not one per block or gate.
class PlainNarrator {
 public:
  explicit PlainNarrator(Style style) : style_(style) {}

  /// The lines that `event` is worth, mostly none.
  ///
  /// @param now_seconds  of any steady clock
  std::vector<std::string> Describe(const v1::SessionEvent& event, double now_seconds);

 private:
  std::vector<std::string> DescribeQueued(const v1::Queued& queued);
  std::vector<std::string> DescribeStarted(const v1::Started& started);
  std::string StateNews(const v1::Update& update) const;
  std::vector<std::string> DescribeUpdate(const v1::Update& update, double now_seconds);
  std::string Progress(const v1::Update& update);

  Style style_;
  std::optional<std::uint64_t> position_;
  bool started_ = false;
  std::optional<double> told_at_;
  v1::SessionState state_ = v1::SESSION_STATE_UNSPECIFIED;
  std::set<std::string> decided_;  ///< labels of the gates that were told to be
};

/// What `top` shows: the newest that is known of each.
struct TopState {
  v1::QueueStatus queue;
  v1::MachineStatus machine;
  std::vector<v1::Session> sessions;  ///< those that have not ended, in any order
  std::optional<LiveState> running;   ///< the session that runs, where the caller may watch it
  std::string note;                   ///< what stands in the way: "the daemon went away ..."
};

/// The board: daemon, machine and settings held, the running session with its intervals, the
/// queue. Fits style.width columns and `height` rows; queued sessions that find no room are
/// counted.
std::vector<std::string> RenderTop(const TopState& state, const UserNames& users,
                                   const google::protobuf::Timestamp& now, const Style& style,
                                   int height);

/// The same in one line, for logs and pipes.
std::string TopLine(const TopState& state, const UserNames& users,
                    const google::protobuf::Timestamp& now, const Style& style);

}  // namespace benchd::client
