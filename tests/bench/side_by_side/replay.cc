// Compares decision rules on the same records: how often they are right, and after how many runs.
//
//     replay INTERLEAVED BLOCKED [--replays N] [--seed N] [--block PAIRS]
//     replay --passes RECORD [--replays N] [--seed N] [--block PAIRS]
//
// Each file has the wall times of one program's runs, one per line, in seconds and in order. The
// program is always the same, so runs can be assigned to arms afterwards, and a true change is
// planted by scaling the candidate's. A replay of an interleaving rule consists of segments of
// --block successive pairs each, drawn with replacement from the first record; a random bit assigns
// the runs of a pair. Neighbouring runs thus stay together. A replay of a rule that runs one arm
// after the other is one whole segment of the second record. It prints one line of JSON for each
// rule and true change, with whole counts. With --passes, the rules are the default and
// --pass-confidence 95%.
//
// Source of the resampling: H. R. Kunsch, Annals of Statistics 17 (1989) 1217-1241.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"
#include "daemon/session/schedule.h"
#include "tests/bench/validity/watch.h"

namespace benchd {
namespace {

using validity::Block;
using validity::Level;
using validity::Method;
using validity::Rule;
using validity::Watch;

constexpr double kMargin = 0.02;
constexpr double kAlpha = 0.01;  // benchctl's default
constexpr double kPassConfidence = 0.95;
constexpr double kPeersAlpha = 0.05;  // of hyperfine's welch_ttest.py and of compare.py
constexpr double kPeersSeconds = 3;   // for each arm, hyperfine's default; at least ten runs
constexpr std::uint64_t kPeersRuns = 10;
constexpr std::uint64_t kMostPairs = 5000;  // beyond this there is no verdict
constexpr std::array kChanges{0.0, 0.01, 0.02, 0.05, 0.10};

struct Options {
  std::uint64_t replays = 2000;
  std::uint64_t seed = 1;
  std::size_t block = 50;
};

// The outcomes of the replays of one rule at one true change.
struct Tally {
  std::uint64_t wrong = 0;
  std::uint64_t regressions = 0;
  std::uint64_t open = 0;
  std::uint64_t runs = 0;
  double seconds = 0;

  // At the margin every verdict is wrong; below it a regression is, above it a pass.
  void Add(LookDecision decision, double change) {
    if (decision == LookDecision::kContinue) {
      ++open;
    } else {
      const bool slower = decision == LookDecision::kRegression;
      regressions += slower ? 1U : 0U;
      wrong += change == kMargin || slower != (change > kMargin) ? 1U : 0U;
    }
  }
};

std::vector<double> ReadRecord(const char* path) {
  std::ifstream file(path);
  std::vector<double> values;
  for (double value = 0; file >> value;) values.push_back(value);
  if (!file.eof() || values.size() < 1000 || !CheckPositive(values)) {
    std::fprintf(stderr, "error: %s: not a record of at least 1000 times above 0\n", path);
    std::exit(1);
  }
  return values;
}

// The segments of the interleaved record, one pair after another.
class Pairs {
 public:
  Pairs(std::span<const double> record, const Options& options, std::uint64_t replay)
      : record_(record), block_(options.block), random_(options.seed, replay) {}

  // The times with a planted change, and in `seconds` the duration of the runs.
  Block Next(double change, double& seconds) {
    if (left_ == 0) {
      left_ = block_;
      at_ = 2 * random_.Below(record_.size() / 2 - block_ + 1);
    }
    --left_;
    Block block;
    block.candidate_first = (random_.Next() >> 63U) == 1;
    block.base = record_[at_ + (block.candidate_first ? 1 : 0)];
    block.candidate = record_[at_ + (block.candidate_first ? 0 : 1)] * (1 + change);
    seconds += block.base + block.candidate;
    at_ += 2;
    return block;
  }

 private:
  std::span<const double> record_;
  std::size_t block_;
  RandomStream random_;
  std::size_t left_ = 0;
  std::size_t at_ = 0;
};

Tally ReplayPairs(std::span<const double> record, const Options& options, const Rule& rule,
                  double change) {
  Tally tally;
  for (std::uint64_t replay = 0; replay < options.replays; ++replay) {
    Pairs pairs(record, options, replay);
    Watch watch(std::span(&rule, 1), kMargin);
    double seconds = 0;
    while (watch.open() && watch.pairs() < kMostPairs) watch.Add(pairs.Next(change, seconds));
    const validity::Outcome& outcome = watch.outcomes()[0];
    tally.Add(outcome.open ? LookDecision::kContinue : outcome.decision, change);
    tally.runs += 2 * watch.pairs();
    tally.seconds += seconds;
  }
  return tally;
}

Tally ReplayOracle(std::span<const double> record, const Options& options, const Level& level,
                   double change, std::uint64_t pairs) {
  Rule oracle{Method::kOracle, &level};
  oracle.oracle_pairs = pairs;
  return ReplayPairs(record, options, oracle, change);
}

// One look, at the number of pairs that leaves at most `open` of the replays without a verdict. The
// number is taken from the record itself, because formulas for it assume independent and normal
// pairs, unlike those of a record.
Tally BestOracle(std::span<const double> record, const Options& options, const Level& level,
                 double change, std::uint64_t open) {
  std::uint64_t too_few = 1;
  std::uint64_t enough = 2;
  Tally best = ReplayOracle(record, options, level, change, enough);
  while (best.open > open && enough < kMostPairs) {
    too_few = enough;
    enough = std::min(2 * enough, kMostPairs);
    best = ReplayOracle(record, options, level, change, enough);
  }
  while (enough - too_few > 1) {
    const std::uint64_t middle = (too_few + enough) / 2;
    const Tally tally = ReplayOracle(record, options, level, change, middle);
    (tally.open > open ? too_few : enough) = middle;
    if (tally.open <= open) best = tally;
  }
  return best;
}

// Two-sided p of the Mann-Whitney test by the normal law with the correction for continuity, as
// scipy.stats.mannwhitneyu computes it for samples of more than eight values. Ties are as rare as
// equal nanoseconds, so there is no correction for them.
double MannWhitneyP(std::span<const double> base, std::span<const double> candidate) {
  std::vector<double> sorted(base.begin(), base.end());
  std::sort(sorted.begin(), sorted.end());
  double u = 0;
  for (const double value : candidate) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    u += static_cast<double>(low - sorted.begin()) + static_cast<double>(high - low) / 2;
  }
  const auto m = static_cast<double>(base.size());
  const auto n = static_cast<double>(candidate.size());
  const double away = std::max(0.0, std::abs(u - m * n / 2) - 0.5);
  return std::min(1.0, 2 * NormalUpperTail(away / std::sqrt(m * n * (m + n + 1) / 12)));
}

enum class Peer { kWelch, kRanks };

// The usual interpretation: a result is a change if the test calls it significant, and a regression
// if the estimate is above the margin; otherwise it passes. This is more lenient than treating
// every significant slowdown as a regression.
LookDecision PeerDecides(Peer peer, std::span<const double> base,
                         std::span<const double> candidate) {
  if (peer == Peer::kRanks) {
    const auto median = [](std::span<const double> values) {
      return QuantileType7(*SortedSample(values), 0.5).value();
    };
    const bool significant = MannWhitneyP(base, candidate) < kPeersAlpha;
    const bool above = median(candidate) > (1 + kMargin) * median(base);
    return significant && above ? LookDecision::kRegression : LookDecision::kPass;
  }
  const Moments b = MomentsOf(base);
  const Moments c = MomentsOf(candidate);
  const WelchEstimate estimate = EstimateWelchDifference(b, c);
  const Interval interval = PlainInterval(estimate, FixedCriticalT(kPeersAlpha, estimate));
  const bool significant = interval.lo > 0 || interval.hi < 0;
  const bool above = c.mean() > (1 + kMargin) * b.mean();
  return significant && above ? LookDecision::kRegression : LookDecision::kPass;
}

Tally ReplayBlocked(std::span<const double> record, const Options& options, Peer peer,
                    double change) {
  const double mean =
      std::accumulate(record.begin(), record.end(), 0.0) / static_cast<double>(record.size());
  const std::uint64_t runs = std::min<std::uint64_t>(
      std::max(kPeersRuns, static_cast<std::uint64_t>(kPeersSeconds / mean)), record.size() / 4);
  Tally tally;
  for (std::uint64_t replay = 0; replay < options.replays; ++replay) {
    RandomStream random(options.seed, replay);
    const std::size_t at = random.Below(record.size() - 2 * runs + 1);
    std::vector<double> candidate(record.begin() + static_cast<std::ptrdiff_t>(at + runs),
                                  record.begin() + static_cast<std::ptrdiff_t>(at + 2 * runs));
    for (double& value : candidate) value *= 1 + change;
    const std::span<const double> base = record.subspan(at, runs);
    tally.Add(PeerDecides(peer, base, candidate), change);
    tally.runs += 2 * runs;
    tally.seconds += std::accumulate(base.begin(), base.end(), 0.0) +
                     std::accumulate(candidate.begin(), candidate.end(), 0.0);
  }
  return tally;
}

void Print(const char* rule, double alpha, double change, const Options& options,
           const Tally& tally) {
  const auto replays = static_cast<double>(options.replays);
  std::printf(
      "{\"rule\": \"%s\", \"alpha\": %g, \"change\": %g, \"replays\": %llu, \"wrong\": %llu, "
      "\"regressions\": %llu, \"open\": %llu, \"runs\": %.1f, \"seconds\": %.4f}\n",
      rule, alpha, change, static_cast<unsigned long long>(options.replays),
      static_cast<unsigned long long>(tally.wrong),
      static_cast<unsigned long long>(tally.regressions),
      static_cast<unsigned long long>(tally.open), static_cast<double>(tally.runs) / replays,
      tally.seconds / replays);
}

void Replay(std::span<const double> interleaved, std::span<const double> blocked,
            const Options& options) {
  const Level level = Level::Make(kAlpha, validity::kFirstLook).value();
  for (const double change : kChanges) {
    const Rule paired{Method::kPaired, &level};
    const Tally own = ReplayPairs(interleaved, options, paired, change);
    Print("benchctl", kAlpha, change, options, own);
    const Rule peeking{Method::kClassic, &level};
    Print("peeking loop", kAlpha, change, options,
          ReplayPairs(interleaved, options, peeking, change));
    if (change != kMargin) {
      Print("oracle", kAlpha, change, options,
            BestOracle(interleaved, options, level, change, options.replays / 10));
      Print("oracle, as often", kAlpha, change, options,
            BestOracle(interleaved, options, level, change, own.open));
    }
    Print("hyperfine + Welch", kPeersAlpha, change, options,
          ReplayBlocked(blocked, options, Peer::kWelch, change));
    Print("compare.py", kPeersAlpha, change, options,
          ReplayBlocked(blocked, options, Peer::kRanks, change));
  }
}

void ReplayPasses(std::span<const double> record, const Options& options) {
  const Level level = Level::Make(kAlpha, validity::kFirstLook).value();
  const Level pass_level = Level::Make(2 * (1 - kPassConfidence), validity::kFirstLook).value();
  for (const double change : kChanges) {
    Rule rule{Method::kPaired, &level};
    Print("benchctl", kAlpha, change, options, ReplayPairs(record, options, rule, change));
    rule.pass_level = &pass_level;
    Print("--pass-confidence 95%", kAlpha, change, options,
          ReplayPairs(record, options, rule, change));
  }
}

std::optional<Options> ReadOptions(std::span<char* const> words) {
  Options options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string_view name = words[i];
    const std::uint64_t value = std::strtoull(words[i + 1], nullptr, 10);
    if (name == "--replays" && value > 0) {
      options.replays = value;
    } else if (name == "--seed") {
      options.seed = value;
    } else if (name == "--block" && value > 0 && value <= 250) {
      options.block = value;
    } else {
      return std::nullopt;
    }
  }
  return words.size() % 2 == 0 ? std::optional(options) : std::nullopt;
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  const auto options = argc < 3 ? std::nullopt : benchd::ReadOptions(words.subspan(3));
  if (!options) {
    std::fputs(
        "usage: replay INTERLEAVED BLOCKED [--replays N] [--seed N] [--block PAIRS]\n"
        "       replay --passes RECORD [--replays N] [--seed N] [--block PAIRS]\n",
        stderr);
    return 2;
  }
  if (std::string_view(argv[1]) == "--passes") {
    benchd::ReplayPasses(benchd::ReadRecord(argv[2]), *options);
    return 0;
  }
  benchd::Replay(benchd::ReadRecord(argv[1]), benchd::ReadRecord(argv[2]), *options);
  return 0;
}
