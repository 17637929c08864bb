#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/stacks.h"
#include "client/report/pictures.h"

namespace benchd::client {

/// The stacks of one arm, and what a run of it takes.
struct FlameArm {
  std::string name;
  double seconds = 0;                    ///< CPU time of a run
  double kernel = 0;                     ///< the part of it in the kernel, without samples
  std::map<std::string, double> counts;  ///< as in ArmStacks
};

/// Two arms whose stacks are compared.
struct FlamePair {
  std::string benchmark;  ///< empty: not told
  FlameArm reference;
  FlameArm candidate;
  /// Functions of the reference that are the same in the candidate by another name, by their name
  /// in the reference.
  std::map<std::string, std::string> matched = {};
};

/// The maximum number of frames in a picture, and the smallest share of the candidate's CPU time
/// that a frame has.
inline constexpr std::size_t kMostFrames = 2000;
inline constexpr double kSmallestFrame = 0.001;

/// Draws a differential flame graph: each frame is a function with its callers below it. Its width
/// is its time in a run of the candidate with everything that it calls, and its colour is how much
/// more (red) or less (blue) that is than in the reference. Stacks that only the reference has are
/// listed below the picture.
///
/// Pure; draws the same bytes for the same pair.
Picture DrawFlameGraph(const std::string& id, const FlamePair& pair);

/// Returns the picture as an SVG file.
std::string FlameGraphFile(const FlamePair& pair);

/// Returns one pair for each explanation of the session whose arms have stacks.
std::vector<FlamePair> FlamePairsOf(const v1::Update& report, const std::vector<ArmStacks>& stacks);

}  // namespace benchd::client
