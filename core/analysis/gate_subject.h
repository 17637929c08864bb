#pragma once

#include <string>

#include "core/model/comparison.h"

namespace benchd {

/// The names of a gate.
struct GateSubject {
  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;
  bool operator==(const GateSubject&) const = default;
};

inline GateSubject GateSubjectOf(const Comparison& gate) {
  return {gate.benchmark, gate.reference, gate.candidate, gate.metric};
}

}  // namespace benchd
