#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"
#include "core/stats/warmup.h"

namespace benchd {

/// The properties of one arm by itself. Members that do not apply are absent.
struct ArmShape {
  std::size_t n = 0;
  std::optional<RankTrend> trend;           ///< of the values in time order
  std::optional<LevelChange> level_change;  ///< of the values in time order
  std::optional<TukeyFences> fences;        ///< present if shape is judged
  std::optional<double> dip;                ///< present if shape is judged; needs four values

  bool Drifts() const;
  bool SeveralModes() const;
};

/// Describes an arm by its values in time order, which must be finite. At least one is required.
///
/// @param judge_shape  the result of ShapeIsVisible()
ArmShape ShapeOf(std::span<const double> values, bool judge_shape);

/// Checks of two arms against the assumptions of comparing means (docs/statistics.md section 8).
struct Diagnosis {
  ArmShape base;
  ArmShape candidate;
  std::optional<RankTrend> pair_trend;           ///< of the pairs' residuals u_i, if paired
  std::optional<LevelChange> pair_level_change;  ///< of the same residuals
  std::optional<double> same_shape_p;            ///< SameShapeP(), if shape is judged
  std::optional<double> pairing_gain;            ///< se(paired) / se(Welch), if paired

  bool PairsDrift() const;
  /// Returns whether the residuals of neighbouring pairs are alike, beyond kCorrelatedCritical.
  bool PairsCorrelated() const;
  bool ShapesDiffer() const;
};

/// The z of the pairs' rank trend beyond which neighbouring pairs count as alike (0.5 %,
/// one-sided). Only likeness is of interest: it makes intervals too short, while alternation makes
/// them too long. In 100 pairs of arms that are AR(0.3) each by itself, it is exceeded in 60 % of
/// sessions; the test that is best for normal residuals, by the first autocorrelation of normal
/// scores, in 64 % (docs/statistics.md section 8).
inline constexpr double kCorrelatedCritical = 2.576;

struct DiagnosisOptions {
  Contrast contrast = Contrast::kLogRatio;
  bool paired = true;       ///< base[i] and candidate[i] are a pair
  bool judge_shape = true;  ///< the result of ShapeIsVisible()
};

/// Returns whether the shapes of the arms are visible above the metric's steps: both standard
/// deviations are at least 2 steps. Otherwise every arm is a comb, and no two combs match after
/// scaling.
///
/// @param raw_b, raw_c  moments of the values as measured (not their inverses).
/// @param resolution    the metric's step in their unit; 0 if unknown.
bool ShapeIsVisible(const Moments& raw_b, const Moments& raw_c, double resolution);

/// Diagnoses two arms, each in time order. Rates must be given as they are analysed, as 1/x.
///
/// For ratios, SameShapeP() is omitted unless both means are > 0. Diagnose() takes as long as that
/// function: a millisecond for arms of the same shape, and up to 20 ms otherwise. So call it for
/// verdicts and reports, not for every block.
///
/// @errors kInvalidArgument if an arm is empty, a value is not finite, or paired arms differ in
///         length.
Result<Diagnosis> Diagnose(std::span<const double> base, std::span<const double> candidate,
                           const DiagnosisOptions& options);

enum class DataFinding {
  kArmDrifts,        ///< for information: pairing absorbs it
  kPairsDrift,       ///< the guarantee is weakened
  kPairsCorrelated,  ///< neighbouring pairs are alike: the guarantee is weakened
  kShapesDiffer,     ///< p <= 1 %; like those below, may exceed the level (section 3, limitations)
  kOutliers,         ///< values outside the fences
  kSeveralModes,     ///< dip above its threshold
};

enum class WhichArm { kBoth, kBase, kCandidate };

struct DataWarning {
  DataFinding finding;
  WhichArm arm;
  bool operator==(const DataWarning&) const = default;
};

/// Returns the warnings that apply, in the order of DataFinding, base before candidate.
std::vector<DataWarning> WarningsOf(const Diagnosis& diagnosis);

/// Returns Hartigans' dip: the distance of a sample's distribution function from the nearest one
/// with a single mode. It is at least 1/(2n), and 1/4 for two equal point masses. Scaling and
/// shifting the values does not change it.
///
/// As in R's diptest (AS 217 with its later corrections), the mode may be a point mass of equal
/// values, and 1/(2n) is the smallest result.
///
/// @errors kInvalidArgument if there is no value, a value is not finite, or their range exceeds
///         that of a double.
/// Source: J. A. Hartigan, P. M. Hartigan, Annals of Statistics 13 (1985) 70-84; P. M. Hartigan,
///         Applied Statistics 34 (1985) 320-325 (AS 217).
Result<double> Dip(std::span<const double> values);

/// Returns the dip above which n >= 4 values count as having several modes. About 1 % of uniform
/// samples exceed it.
double DipThreshold(std::size_t n);

}  // namespace benchd
