#pragma once

#include <cstdint>

namespace benchd {

/// When an estimator whose look costs more than O(1) looks at its data: at n = ceil(n0 * 1.05^j),
/// j = 0, 1, 2, ... (docs/statistics.md section 5). In exact arithmetic on whole numbers, so that
/// every machine looks at the same n. While steps of 5 % are shorter than one, every n is a look.

/// The smallest look > n; `first_look` (n0 >= 1) for any n below it. Takes microseconds, so a
/// session keeps the answer until it is reached.
std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Whether there is a look at n.
bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look);

}  // namespace benchd
