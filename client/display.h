#pragma once

#include <memory>
#include <string>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Shows a watched session while it goes on: progress on stderr, or JSON lines on stdout.
///
/// Thread-safe: events come from the thread that reads them, notes also from the one that handles
/// signals.
class Display {
 public:
  virtual ~Display() = default;
  virtual void Show(const v1::SessionEvent& event) = 0;
  /// A sentence about the watching itself ("cancelling ..."); an empty one takes it back.
  virtual void Note(const std::string& text) = 0;
  /// Takes away what is drawn and gives the cursor back; nothing is shown afterwards.
  virtual void Close() = 0;
};

enum class DisplayKind { kLive, kPlain, kJson };

/// kJson with `json`; else kLive where stderr can be redrawn.
DisplayKind ChooseDisplay(bool json);

/// @param limits  of the session, for the progress bar; may be empty
std::unique_ptr<Display> MakeDisplay(DisplayKind kind, const std::string& session,
                                     const v1::Limits& limits);

}  // namespace benchd::client
