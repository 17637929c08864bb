#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/style.h"

namespace benchd::client {

/// One table for a whole suite: a row for each gate, in the order of the suite, and below it the
/// other metrics that surely changed. On a terminal too narrow for it the arms' means are left out.
/// Ends with a newline.
std::string RenderSuite(const v1::Update& update, const Style& style);

}  // namespace benchd::client
