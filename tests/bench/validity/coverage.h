#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often an interval left the truth out.
struct Misses {
  std::uint64_t repetitions = 0;
  std::uint64_t missed = 0;
  std::uint64_t absent = 0;  ///< no interval at that level: too few values

  Misses& operator+=(const Misses& other);
};

/// A method, estimator or bad habit.
struct CoverageRow {
  std::string name;
  std::string looks;            ///< when, in pairs
  bool typical_change = false;  ///< without meaning where the arms' laws differ
  bool bad_habit = false;       ///< nobody promises its level
};

/// One family: [row][level], levels in the order of Options::alphas.
struct CoverageOfFamily {
  const Family* family = nullptr;
  std::vector<std::vector<Misses>> watched;
  std::vector<std::vector<Misses>> one_look;  ///< empty where they were left out
};

/// One look costs what its bootstraps cost: 20 times as much as being watched.
enum class CoveragePart { kAll, kWatched };

/// Whether the arms differ in more than their place.
bool LawsDiffer(const Family& family);

/// Steady machines whose arms are equal in their means: CV 5 %, and log-normal values from 0 on,
/// which spread as far as mmtests' do.
std::span<const Family> CoverageFamilies();

/// The error of everything that a user may choose instead of the default: under watching where it
/// may be watched, at one look else, for equal arms. One look takes a method where the table names
/// it; a bad habit is there for comparison and says so in its name.
///
/// @errors as Simulate().
Result<std::vector<CoverageOfFamily>> SimulateCoverage(const Options& options, CoveragePart part);

std::span<const CoverageRow> WatchedRows();
std::span<const CoverageRow> OneLookRows();

/// Simulates the rows of OneLookRows() on one family; the index of the family picks the stream.
std::vector<std::vector<Misses>> SimulateOneLooks(const Options& options, const Family& family,
                                                  std::uint64_t stream);

/// @param results  with both parts.
std::string CoverageReport(std::span<const CoverageOfFamily> results, const Options& options,
                           Format format);

}  // namespace benchd::validity
