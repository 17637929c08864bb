#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <string>
#include <vector>

#include "client/present/text.h"
#include "core/parse/adapter.h"

namespace benchd::client {

/// Renders the output of `benchctl parse`: a table with a line for each metric, and the failures
/// that the adapter found.
std::string RenderParsed(const AdapterReading& reading, const Style& style);

/// Renders a sentence for each [[metric]] of an adapter that read no value.
std::string RenderUnread(const AdapterReading& reading, const Style& style);

/// Renders the output of `parse --json`: one line, event "parsed".
/// @param format  as given: a name or a file
std::string ParsedJson(const AdapterReading& reading, const std::string& format,
                       const google::protobuf::Timestamp& now);

}  // namespace benchd::client
