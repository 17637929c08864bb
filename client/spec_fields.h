#pragma once

#include <map>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/outcome.h"

namespace benchd::client {

// One option's text to the field of the message that it stands for: the list of all options that
// spec_builder.h goes through. Names that belong elsewhere are left alone.

/// What belongs to a benchmark but travels in its arms.
struct ArmSettings {
  std::string cwd;  ///< as it was written; empty: where the caller stands
  bool shell = false;
  std::map<std::string, std::string> env;
};

/// `path`, which starts at `base` unless it is absolute.
std::string Absolute(const std::string& path, const std::string& base);

/// An option that belongs to the session as a whole.
Outcome<void> ApplyToSession(const std::string& name, const std::string& text,
                             v1::SessionSpec* spec);

/// An option that each benchmark may have for itself, except `margin`, which has no single field.
///
/// @param cwd  relative paths start there
Outcome<void> ApplyToBenchmark(const std::string& name, const std::string& text,
                               const std::string& cwd, v1::Benchmark* benchmark, ArmSettings* arm);

}  // namespace benchd::client
