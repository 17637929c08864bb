#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often an interval missed the truth.
struct Misses {
  std::uint64_t repetitions = 0;
  std::uint64_t missed = 0;
  std::uint64_t absent = 0;  ///< no interval at that level: too few values

  Misses& operator+=(const Misses& other);
};

/// A method, estimator or bad habit.
struct CoverageRow {
  std::string name;
  std::string looks;            ///< the looks, in pairs
  bool typical_change = false;  ///< meaningless if the arms' laws differ
  bool bad_habit = false;       ///< its level is not promised
  bool conservative = false;    ///< it errs so rarely that there is no lower bound to check
};

/// One family: [row][level], levels in the order of Options::alphas.
struct CoverageOfFamily {
  const Family* family = nullptr;
  std::vector<std::vector<Misses>> watched;
  std::vector<std::vector<Misses>> one_look;  ///< empty if they were not requested
};

/// One look takes 20 times as long as watching, because of its bootstraps.
enum class CoveragePart { kAll, kWatched };

/// Steady machines whose arms have equal means: CV 5 %, and log-normal values from 0 on with the
/// spread of mmtests' values.
std::span<const Family> CoverageFamilies();

/// The error of every alternative to the default: under watching if it supports that, otherwise at
/// one look, for equal arms. The table names the methods with one look. A bad habit is included for
/// comparison and named as such.
///
/// @errors as Simulate().
Result<std::vector<CoverageOfFamily>> SimulateCoverage(const Options& options, CoveragePart part);

std::span<const CoverageRow> WatchedRows();
std::span<const CoverageRow> OneLookRows();

/// Simulates the rows of OneLookRows() on one family; the index of the family picks the stream.
std::vector<std::vector<Misses>> SimulateOneLooks(const Options& options, const Family& family,
                                                  std::uint64_t stream);

/// @param results  must contain both parts.
std::string CoverageReport(std::span<const CoverageOfFamily> results, const Options& options,
                           Format format);

}  // namespace benchd::validity
