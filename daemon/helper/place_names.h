#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/helper/folded_stacks.h"
#include "daemon/helper/sampled_places.h"

namespace benchd {

/// Where the names of functions are, besides the files that ran.
struct SymbolSources {
  std::string debug_folder = "/usr/lib/debug";  ///< debug information of packages
  std::string map_folder = "/tmp";              ///< perf-PID.map of programs with own code
  uid_t owner = 0;                              ///< the user to whom these maps must belong
};

/// The maximum number of places for which inlined functions are looked up: the most frequent ones.
inline constexpr std::size_t kMostInlineLookups = 20'000;

/// Finds the functions at all places of a run, in one file after the other, so that no two large
/// files are in memory together.
///
/// @return the functions at each place, the outermost first, as indices into `names`
std::vector<NamedStack> NamePlaces(const SampledPlaces& sampled, const SymbolSources& sources,
                                   NamePool& names);

}  // namespace benchd
