#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/function_counts.h"
#include "core/analysis/function_match.h"
#include "core/analysis/pair_explanation.h"
#include "core/model/explanation.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "core/model/warning.h"

namespace benchd {

/// Explains a session whose runs were sampled: what each function costs in each arm, and which
/// functions changed (docs/statistics.md, "Functions").
///
/// The unit is the run. The seconds of a function in a run are its share of the samples of the run,
/// multiplied by the user time of the run; a run without a sample of it has 0 s. The system time is
/// that of kKernelFunction. Pairs are the two arms of a block, with n - 1 degrees of freedom. For
/// Method::kLayouts, the units are builds: the means of their runs are compared as independent
/// values (Welch).
///
/// With confidence 1 - alpha, all intervals of an explanation hold, and all functions that are
/// called changed did change in that direction. Half of alpha is for `self`, and half for `total`.
/// Each of M compared functions has an interval at alpha / (2 M). Which changed is decided by two
/// lists, for increases and for decreases, each by Holm's step-down at alpha / 4
/// (family_decision.h).
///
/// All of this holds for one look at a number of blocks that was chosen beforehand.
///
/// Memory: at most kMostCounts counts of functions, and the names of FunctionTable. No stack is
/// kept. Pure; owned by one session.
class ProfileAnalysis {
 public:
  /// The maximum number of (run, function) pairs, of 12 bytes each. Further blocks are left out.
  static constexpr std::size_t kMostCounts = 16'000'000;

  /// @param spec  with the benchmarks inside its programs; `profile` must be present
  explicit ProfileAnalysis(const SessionSpec& spec);
  ProfileAnalysis(const ProfileAnalysis&) = delete;
  ProfileAnalysis& operator=(const ProfileAnalysis&) = delete;

  /// Adds a complete measured block of one benchmark, with the samples of its profile.
  void Add(std::span<const Run> block);

  /// Returns the explanations in the order of benchmarks, references and candidates. If there are
  /// fewer than two units, no function has an interval.
  std::vector<Explanation> Conclude() const;

  /// Returns what a reader should know about the profiles.
  std::vector<Warning> Warnings() const;

 private:
  /// An arm, or the builds of a group.
  struct Side {
    std::string name;
    ArmRole role = ArmRole::kCandidate;
    std::vector<std::uint32_t> arms;
  };
  /// A sampled run and its arm.
  struct ArmRun {
    std::uint32_t arm = 0;
    RunProfile profile;
  };
  struct Measured {
    std::string name;
    std::vector<Side> sides;
    std::vector<std::vector<ArmRun>> blocks;
    std::uint64_t left_out = 0;  // number of blocks beyond kMostCounts
  };
  /// The sums over the runs of an arm.
  struct SampleSums {
    std::uint64_t runs = 0;
    std::uint64_t without = 0;  ///< number of runs without a sample
    double samples = 0;
    double lost = 0;
    double unkept = 0;
    double unnamed = 0;
    double shallow = 0;
    double expected = 0;  ///< samples in the CPU time that they represent
  };
  ProfileUnits UnitsOf(const Measured& benchmark, const Side& side) const;
  Explanation Explain(const Measured& benchmark, const Side& reference, const Side& candidate,
                      const FunctionMatcher& matcher) const;
  SampleSums SumsOf(const Measured& benchmark, const Side& side) const;
  std::vector<Warning> WarningsOf(const Measured& benchmark, const Side& side) const;

  double alpha_;
  Profile profile_;
  bool paired_;
  std::size_t pairs_ = 0;
  FunctionTable table_;
  FunctionCounter counter_{table_};
  std::vector<Measured> benchmarks_;
  std::size_t counts_ = 0;
};

}  // namespace benchd
