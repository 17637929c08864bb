#include "tests/bench/validity/confirmation.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/try.h"
#include "core/stats/tails.h"
#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"
#include "tests/bench/validity/watch.h"

namespace benchd::validity {
namespace {

// The pairs after which the time limit of a phase is reached.
constexpr std::uint64_t kMostPairs = 2000;
// Runs vary less than the effects of sessions, so that few sessions end without a verdict.
constexpr Family kQuietRuns{.name = "normal",
                            .base = Shape::kNormal,
                            .candidate = Shape::kNormal,
                            .machine = Machine::kSteady,
                            .base_variation = 0.01,
                            .candidate_variation = 0.01};
// Separate from the streams of the other tables.
constexpr std::uint64_t kConfirmationStream = 0x7dU;
constexpr std::array kSessionEffects{0.0, 0.005, 0.01, 0.02};
constexpr std::array kTrueChanges{0.0, 2 * kMargin};

enum CountOf : std::size_t { kPassed, kFirstPhase, kDrawnAnew, kPersisting, kFirstPairs, kPairs };

// Whole numbers, so that threads may add them in any order.
struct ConfirmationCounts {
  std::array<std::uint64_t, kPairs + 1> counts{};
  ConfirmationCounts& operator+=(const ConfirmationCounts& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    return *this;
  }
};

double NormalOf(RandomStream& random) {
  const double uniform = (static_cast<double>(random.Next() >> 11U) + 0.5) * 0x1p-53;
  return NormalUpperQuantile(uniform);
}

Outcome PhaseOf(const Level& level, double change, std::uint64_t seed, std::uint64_t stream) {
  const std::array rules{Rule{.method = Method::kPaired, .level = &level}};
  Watch watch(rules, kMargin);
  BlockSource source(kQuietRuns, seed, stream, change);
  while (watch.open() && watch.pairs() < kMostPairs) watch.Add(source.Next());
  Outcome outcome = watch.outcomes().front();
  outcome.pairs = watch.pairs();
  return outcome;
}

/// One session with a change of its programs, and the effect of each of its phases.
void SimulateSession(const Options& options, const Level& level, double change, double spread,
                     std::uint64_t stream, ConfirmationCounts& sum) {
  RandomStream random(options.seed, stream);
  const auto with_effect = [&] { return (1 + change) * std::exp(spread * NormalOf(random)) - 1; };
  const double first = with_effect();
  const double other = with_effect();
  auto& counts = sum.counts;
  const Outcome outcome = PhaseOf(level, first, options.seed, stream + 1);
  counts[kPassed] += outcome.decision == LookDecision::kPass;
  counts[kFirstPairs] += outcome.pairs;
  counts[kPairs] += outcome.pairs;
  if (outcome.decision != LookDecision::kRegression) return;
  ++counts[kFirstPhase];
  // One gate enters the second phase, so its level is that of the session.
  const Outcome anew = PhaseOf(level, other, options.seed, stream + 2);
  const Outcome kept = PhaseOf(level, first, options.seed, stream + 3);
  counts[kDrawnAnew] += anew.decision == LookDecision::kRegression;
  counts[kPersisting] += kept.decision == LookDecision::kRegression;
  counts[kPairs] += anew.pairs;
}

std::string PairsPerSession(std::uint64_t pairs, const Options& options) {
  return Number(static_cast<double>(pairs) / static_cast<double>(options.repetitions), 0);
}

}  // namespace

Result<std::string> ConfirmationReport(const Options& options, Format format) {
  std::string text = "confirmation: " + std::to_string(options.repetitions) + " sessions, seed " +
                     std::to_string(options.seed) + "\n\n";
  std::uint64_t row = 0;
  for (const double alpha : options.alphas) {
    TRY(const Level level, Level::Make(alpha, kFirstLook));
    Table table("Regressions in % of sessions, runs vary by 1 %, margin " + Percent(kMargin) +
                    ", alpha " + Percent(alpha),
                {"true change", "sd of a session's effect", "passed", "one phase",
                 "confirmed, effect drawn anew", "confirmed, effect persists", "pairs, one phase",
                 "pairs, with --confirm"});
    for (const double change : kTrueChanges) {
      for (const double spread : kSessionEffects) {
        const std::uint64_t base = kConfirmationStream << 48U | ++row << 40U;
        const auto body = [&](std::uint64_t i, std::vector<ConfirmationCounts>& sums) {
          SimulateSession(options, level, change, spread, base | i << 2U, sums[0]);
        };
        const auto counts = Repeat(options.repetitions, options.threads,
                                   std::vector<ConfirmationCounts>(1), body)[0]
                                .counts;
        const auto share = [&](CountOf of) { return Share(counts[of], options.repetitions); };
        table.AddRow({Percent(change), Percent(spread), share(kPassed), share(kFirstPhase),
                      share(kDrawnAnew), share(kPersisting),
                      PairsPerSession(counts[kFirstPairs], options),
                      PairsPerSession(counts[kPairs], options)});
      }
    }
    text += table.Print(format);
  }
  return text;
}

}  // namespace benchd::validity
