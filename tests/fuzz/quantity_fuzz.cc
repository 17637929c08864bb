#include <cmath>
#include <optional>
#include <string>

#include "client/request/quantity.h"
#include "client/request/table_options.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// Returns the value after checking its error, which must fit behind the option's name.
template <typename T>
std::optional<T> Valid(const Result<T>& outcome) {
  if (outcome) return *outcome;
  FUZZ_CHECK(!outcome.error().message.empty());
  FUZZ_CHECK(client::ExitFor(outcome.error()) == client::ExitCode::kUsage);
  return std::nullopt;
}

void CheckNumbers(std::string_view text) {
  if (const auto number = Valid(client::ParseNumber(text))) FUZZ_CHECK(std::isfinite(*number));
  if (const auto part = Valid(client::ParseFraction(text))) FUZZ_CHECK(std::isfinite(*part));
  if (const auto margin = Valid(client::ParseMargin(text))) {
    FUZZ_CHECK(std::isfinite(*margin) && *margin != 0);
  }
  if (const auto chance = Valid(client::ParseProbability(text, "99%"))) {
    FUZZ_CHECK(*chance > 0 && *chance < 1);
    const double alpha = client::AlphaFromConfidence(*chance);
    FUZZ_CHECK(alpha >= 0 && alpha <= 1);
  }
  if (const auto seconds = Valid(client::ParseDuration(text))) {
    FUZZ_CHECK(std::isfinite(*seconds) && *seconds > 0);
  }
  if (const auto count = Valid(client::ParseCount(text))) {
    FUZZ_CHECK(client::ParseCount(std::to_string(*count)));
  }
  Valid(client::ParseInteger(text));
}

void CheckGate(std::string_view text) {
  const auto gate = Valid(client::ParseMetricGate(text));
  if (!gate) return;
  FUZZ_CHECK(!gate->name.empty() && !(gate->ratio && gate->absolute));
  if (gate->ratio) FUZZ_CHECK(std::isfinite(*gate->ratio) && *gate->ratio != 0);
  if (gate->absolute) FUZZ_CHECK(std::isfinite(*gate->absolute) && *gate->absolute != 0);
}

/// A parsed column is written so that it parses again, except for a unit with a comma or a colon.
void CheckColumn(std::string_view text) {
  const auto column = Valid(client::ParseColumn(text));
  if (!column) return;
  FUZZ_CHECK(!column->metric.empty());
  if (column->unit.find_first_of(",:") != std::string::npos) return;
  const auto again = client::ParseColumn(client::FormatColumn(*column));
  FUZZ_CHECK(again && *again == *column);
}

}  // namespace

void FuzzQuantity(std::string_view input) {
  CheckNumbers(input);
  CheckGate(input);
  if (client::IsSendableText(input)) CheckColumn(input);
  if (const auto pair = Valid(client::ParseAssignment(input))) FUZZ_CHECK(!pair->first.empty());
}

}  // namespace benchd::fuzz
