#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// A file with numbers that a run has written.
struct HarnessResult {
  std::string name;  ///< for messages; one line of UTF-8
  std::string_view text;
};

/// Converts the files of one run to its samples, as ParseHarnessOutput() converts its output. Pure.
///
/// Each file is an output of its own, except that Criterion's files belong together. A metric that
/// several files have has the samples of all, in the order of the files. An adapter may find
/// nothing in some of the files.
///
/// @param files  at least one
/// @errors those of ParseHarnessOutput(), preceded by the name of the file; kInvalidArgument for a
///         metric with two units or directions, or more samples than a run may have
Result<HarnessOutput> ParseHarnessFiles(std::string_view format,
                                        std::span<const HarnessResult> files,
                                        std::string_view adapter = {});

}  // namespace benchd
