#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "client/render/units.h"

namespace benchd::client {

/// What the sentences have to know beside the numbers.
struct VerdictContext {
  v1::Limits limits;          ///< of the session: which of them an undecided one can have more of
  bool by_precision = false;  ///< it went on until the intervals were short (--rule precision)
  bool table = false;         ///< nothing can be measured again: it is a file
};

/// "REGRESSION", "PASS", "UNDECIDED": what a reader looks for.
std::string VerdictWord(v1::Verdict verdict);

/// One gate in words, without the verdict's: "candidate is 10.2 % slower (1.102 times, 1.098 …
/// 1.106) than base". A pass names the bound that holds, an undecided gate the whole interval. The
/// interval is the last look's, as everywhere.
std::string GateSentence(const v1::Comparison& gate, const Style& style);

/// The same with its verdict and, where it is undecided, what would decide it.
std::string VerdictSentence(const v1::Comparison& gate, const v1::Update& update,
                            const VerdictContext& context, const Style& style);

/// "decided at 12 pairs" where that was before the last look; else empty.
std::string DecidedEarlier(const v1::Comparison& gate);

/// How many of what a decision took, in words: "12 pairs"; "12 blocks" or "24 runs" where the arms
/// are independent.
std::string DecisionCount(const v1::Comparison& gate, std::uint64_t blocks);

/// The comparisons that gate, in their order.
std::vector<const v1::Comparison*> GatesOf(const v1::Update& update);

/// Green, red or yellow.
Tint VerdictTint(v1::Verdict verdict);

/// Whether the session has several benchmarks.
bool SeveralBenchmarks(const v1::Update& update);

/// Whether some benchmark has several candidates.
bool SeveralCandidates(const v1::Update& update);

/// Blocks measured so far, of all benchmarks together, and how many benchmarks there are.
struct BlockCount {
  std::uint64_t blocks = 0;
  std::uint64_t benchmarks = 0;
};
BlockCount CountBlocks(const v1::Update& update);

/// "12 blocks".
std::string BlocksSentence(const v1::Update& update);
/// Of a suite: "3 of 20 decided", gates; else empty.
std::string DecidedSentence(const v1::Update& update);

/// The session in words: the one gate's sentence, or a count and the sentences of what did not
/// pass; those that did too where several candidates are compared with one reference.
std::vector<std::string> VerdictSentences(const v1::Update& update, const VerdictContext& context,
                                          const Style& style);

/// Why a session stands still: "paused: the disk is full ...", just "paused" where nobody says.
std::string PauseSentence(const v1::Update& update);

/// "candidate vs base", in suites "parse: candidate": names a comparison in a line of its own. The
/// metric is left out where wall_time is the only one, a suite's only reference too.
std::string ComparisonLabel(const v1::Comparison& comparison, const v1::Update& update);

/// What a gate is judged by: the relative change, or the difference where the margin is absolute or
/// the change cannot be had.
struct Judged {
  bool relative = true;
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> margin;
  std::string unit;

  /// One scale and as many decimals for the estimate and the ends of the interval.
  ColumnFormat Scale(const Style& style) const;
  std::string Format(double value, const Style& style) const;        ///< "10.2 %", "1.5 MiB"
  std::string FormatSigned(double value, const Style& style) const;  ///< "+10.2 %"
  std::string Interval(const Style& style) const;  ///< "+9.8 … +10.6 %", "" without one
  std::string Estimate(const Style& style) const;  ///< "+10.2 %", "-" without one

  /// The interval says that there is a change.
  bool ExcludesNoChange() const { return lo && hi && (*lo > 0 || *hi < 0); }
};

Judged JudgedBy(const v1::Comparison& comparison);

}  // namespace benchd::client
