#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// The maximum number of arms that are compared with each other. The number of pairs grows with its
/// square.
inline constexpr std::size_t kMostPairedArms = 12;

/// Returns the arms of the benchmark that are put into an order. Returns an empty list for fewer
/// than two candidates or too many arms, and for a control, in which an order would be the
/// machine's.
std::vector<std::size_t> ComparedArms(const Benchmark& benchmark);

/// Returns the number of pairs of these arms in all benchmarks, because readers take the orders of
/// all benchmarks as one statement.
std::size_t ComparedPairs(std::span<const Benchmark> benchmarks);

}  // namespace benchd
