#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/descriptive.h"
#include "core/stats/nonparametric.h"
#include "core/stats/paired.h"
#include "core/stats/warmup.h"

namespace benchd {

/// One arm by itself. Members that do not apply are absent.
struct ArmShape {
  std::size_t n = 0;
  std::optional<RankTrend> trend;           ///< of the values in time order
  std::optional<LevelChange> level_change;  ///< likewise
  std::optional<TukeyFences> fences;        ///< if shape is judged
  std::optional<double> dip;                ///< likewise, from four values

  bool Drifts() const;
  bool SeveralModes() const;
};

/// Checks of two arms against the assumptions of comparing means (docs/statistics.md section 8).
struct Diagnosis {
  ArmShape base;
  ArmShape candidate;
  std::optional<RankTrend> pair_trend;           ///< of the pairs' residuals u_i, if paired
  std::optional<LevelChange> pair_level_change;  ///< likewise
  std::optional<KolmogorovSmirnov> shapes;       ///< after scaling, if shape is judged
  std::optional<double> pairing_gain;            ///< se(paired) / se(Welch), if paired

  bool PairsDrift() const;
  bool ShapesDiffer() const;
};

struct DiagnosisOptions {
  Contrast contrast = Contrast::kLogRatio;
  bool paired = true;       ///< base[i] and candidate[i] are a pair
  bool judge_shape = true;  ///< ShapeIsVisible()
};

/// Whether an arm's shape is visible above the metric's steps: both standard deviations are >= 2
/// steps. Otherwise every arm is a comb, and no two combs match after scaling.
///
/// @param raw_b, raw_c  of the values as measured (not their inverses).
/// @param resolution    the metric's step in their unit; 0 if unknown.
bool ShapeIsVisible(const Moments& raw_b, const Moments& raw_c, double resolution);

/// Diagnoses two arms, each in time order; rates as they are analysed, as 1/x.
///
/// For CompareDistributions(), the arms are aligned by their means: divided by them for ratios
/// (omitted unless both are > 0), or shifted by them for differences. As expensive as
/// CompareDistributions(), so call it for verdicts and reports, not for every block.
///
/// @errors kInvalidArgument if an arm is empty, a value is not finite, or paired arms differ in
///         length.
Result<Diagnosis> Diagnose(std::span<const double> base, std::span<const double> candidate,
                           const DiagnosisOptions& options);

enum class DataFinding {
  kArmDrifts,     ///< for information: pairing absorbs it
  kPairsDrift,    ///< the guarantee is weakened
  kShapesDiffer,  ///< KS, p < 1 %; the level may be exceeded (section 3, limitations), as below
  kOutliers,      ///< values outside the fences
  kSeveralModes,  ///< dip above its threshold
};

enum class WhichArm { kBoth, kBase, kCandidate };

struct DataWarning {
  DataFinding finding;
  WhichArm arm;
  bool operator==(const DataWarning&) const = default;
};

/// The warnings that apply, in the order of DataFinding, base before candidate.
std::vector<DataWarning> WarningsOf(const Diagnosis& diagnosis);

/// Hartigans' dip: the distance of a sample's distribution function from the nearest one with a
/// single mode; at least 1/(2n), 1/4 for two equal point masses. Dimensionless; invariant under
/// scaling and shifting.
///
/// As in R's diptest (AS 217 with its later corrections): the mode may be a point mass of equal
/// values, and 1/(2n) is the smallest result.
///
/// @errors kInvalidArgument if there is no value, one is not finite, or their range exceeds that of
///         a double.
/// Source: J. A. Hartigan, P. M. Hartigan, Annals of Statistics 13 (1985) 70-84; P. M. Hartigan,
///         Applied Statistics 34 (1985) 320-325 (AS 217).
Result<double> Dip(std::span<const double> values);

/// Above this dip, n values (at least 4) count as having several modes; about 1 % of uniform
/// samples do.
double DipThreshold(std::size_t n);

}  // namespace benchd
