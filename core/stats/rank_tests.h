#pragma once

#include <cstdint>
#include <optional>

namespace benchd {

/// The exact law of Wilcoxon's signed-rank statistic V, the sum of the ranks among 1..n that a fair
/// coin picks. V ranges from 0 to n(n+1)/2. Ties and zeros in the data do not change this law
/// (docs/statistics.md section 5).
///
/// Up to n = 128, the law is computed by the recursion f_n(k) = (f_{n-1}(k) + f_{n-1}(k - n)) / 2.
/// For larger n, where the recursion would take n^3 steps (10^11 at 10 000 pairs), it is computed
/// by inversion of the characteristic function, which gives the same law to about eleven digits. No
/// normal approximation is used. At n = 10 000, this takes about ten milliseconds. Source:
/// F. Wilcoxon, Biometrics Bulletin 1 (1945) 80-83; inversion: rank_tests.cc.

/// Returns P(V <= k) for n >= 1.
double SignedRankLowerTail(std::uint64_t n, std::uint64_t k);

/// Returns the largest q >= 1 with 2 P(V <= q - 1) <= alpha, so that the Walsh averages W_(q) and
/// W_(N+1-q) form an interval of that two-sided level; std::nullopt if there is none.
///
/// @param alpha  in (0, 1).
std::optional<std::uint64_t> SignedRankCut(std::uint64_t n, double alpha);

/// The exact law of the Mann-Whitney statistic U of two samples of m and n values from the same
/// distribution. U is the number of the m n pairs whose second value is larger. Ties in the data do
/// not change this law.
///
/// If m n <= 2500, the law is computed by counting. Otherwise, it is computed by inversion of the
/// characteristic function, which gives the same law to about ten digits. No normal approximation
/// is used. The functions are intended for one look: very unequal sizes such as 5 and 10 000 take
/// up to a second, others milliseconds. Source: H. B. Mann, D. R. Whitney, Annals of Mathematical
/// Statistics 18 (1947) 50-60; inversion: rank_tests.cc.

/// Returns P(U <= u) for m, n >= 1.
double RankSumLowerTail(std::uint64_t m, std::uint64_t n, std::uint64_t u);

/// Returns the largest q >= 1 with 2 P(U <= q - 1) <= alpha, so that the sorted differences D_(q)
/// and D_(mn+1-q) form an interval of that two-sided level; std::nullopt if the samples are too
/// small.
///
/// @param alpha  in (0, 1).
std::optional<std::uint64_t> RankSumCut(std::uint64_t m, std::uint64_t n, double alpha);

}  // namespace benchd
