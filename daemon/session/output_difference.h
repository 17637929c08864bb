#pragma once

#include <string>

#include "core/model/run.h"

namespace benchd {

/// Describes the first difference of `actual` from `expected`, for an error message whose subject
/// is the actual output: "line 3 is 'sum 43' instead of 'sum 42'". The result is one short line,
/// whatever the outputs contain. Their digests must differ, and both must have their heads.
///
/// If the heads are the same, the result contains the two lengths. Pure.
std::string DescribeDifference(const OutputDigest& expected, const OutputDigest& actual);

}  // namespace benchd
