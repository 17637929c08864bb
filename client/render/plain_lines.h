#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"

namespace benchd::client {

/// A session told in single lines, for logs and pipes: a line when something changes and one every
/// five seconds of progress, not one per block.
class PlainNarrator {
 public:
  explicit PlainNarrator(Style style) : style_(style) {}

  /// The lines that `event` is worth, mostly none.
  ///
  /// @param now_seconds  of any steady clock
  std::vector<std::string> Tell(const v1::SessionEvent& event, double now_seconds);

 private:
  std::vector<std::string> TellQueued(const v1::Queued& queued);
  std::vector<std::string> TellStarted(const v1::Started& started);
  std::string StateNews(const v1::Update& update) const;
  std::vector<std::string> TellUpdate(const v1::Update& update, double now_seconds);

  Style style_;
  std::optional<std::uint64_t> position_;
  bool started_ = false;
  std::optional<double> told_at_;
  v1::SessionState state_ = v1::SESSION_STATE_UNSPECIFIED;
  std::map<std::string, bool> decided_;  ///< by label
};

}  // namespace benchd::client
