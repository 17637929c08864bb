#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Returns one comparison per candidate and metric, because the candidate's mean is the same
/// against every reference. Empty for a session without a verdict. Placebos are left out.
///
/// The pointers are into `session`.
std::vector<const v1::Comparison*> MeansOf(const v1::Session& session);

/// Returns the estimates that a measurement was asked for and that have a value. Empty for a
/// session without a result. The pointers are into `session`.
std::vector<const v1::Estimate*> MeasuredOf(const v1::Session& session);
/// Returns the name of the series of an estimate: BENCHMARK/ARM.
std::string SeriesNameOf(const v1::Estimate& estimate);

/// The names of the series, which stay the same from commit to commit. They omit the name of a
/// single candidate, because with --git this is the commit, and every commit would start a new
/// series.
class SeriesNames {
 public:
  /// @param means  must outlive this object
  explicit SeriesNames(const std::vector<const v1::Comparison*>& means);

  std::string Of(const v1::Comparison& c) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> candidates_;
};

}  // namespace benchd::client
