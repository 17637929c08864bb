#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"

namespace benchd::client {

/// Which warnings a result has.
enum class WarningsShown {
  kToActOn,  ///< those after which the reader should do something, one of a kind
  kAll,
};

/// What a reader of the verdict should know, a line each, wrapped to the width: the daemon's
/// sentence and, where that does not say it, what to do about it. Ends with a newline unless empty.
std::string RenderWarnings(const v1::Update& update, WarningsShown shown, const Style& style);

}  // namespace benchd::client
