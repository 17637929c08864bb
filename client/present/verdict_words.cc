#include "client/present/verdict_words.h"

#include <algorithm>

#include "client/present/gates.h"
#include "client/present/units.h"
#include "client/present/words.h"

namespace benchd::client {
namespace {

constexpr char kNotBetter[] = "NOT BETTER";

double MarginIn(const v1::Comparison& gate) {
  const bool absolute = gate.margin_case() == v1::Comparison::kMarginAbsolute;
  return absolute ? gate.margin_absolute() : gate.margin_ratio();
}

// Returns the gates that regressed only because they are not better by their margins.
Comparisons NotBetterIn(const v1::Update& update) {
  Comparisons gates = GatesOf(update);
  std::erase_if(gates, [](const v1::Comparison* gate) { return !IsNotBetter(*gate); });
  return gates;
}

// Returns whether the session regressed, and all of its regressions are of that kind.
bool IsNotBetter(const v1::Update& update) {
  if (update.verdict() != v1::VERDICT_REGRESSION) return false;
  const Comparisons gates = GatesOf(update);
  const auto regressed = std::ranges::count_if(
      gates, [](const v1::Comparison* gate) { return gate->verdict() == v1::VERDICT_REGRESSION; });
  return regressed > 0 && regressed == std::ssize(NotBetterIn(update));
}

}  // namespace

bool RequiresImprovement(const v1::Comparison& gate) { return MarginIn(gate) < 0; }

bool IsNotBetter(const v1::Comparison& gate) {
  return gate.verdict() == v1::VERDICT_REGRESSION && gate.reason().empty() &&
         RequiresImprovement(gate);
}

std::string RequiredWords(const v1::Comparison& gate, const Style& style) {
  const double required = -MarginIn(gate);
  const bool absolute = gate.margin_case() == v1::Comparison::kMarginAbsolute;
  return (absolute ? FormatQuantity(required, gate.unit(), style) : FormatPercent(required)) +
         " better";
}

std::string RequiredWords(const v1::Update& update, const Style& style) {
  std::string common;
  for (const v1::Comparison* gate : NotBetterIn(update)) {
    const std::string own = RequiredWords(*gate, style);
    if (!common.empty() && own != common) return "better by the margin";
    common = own;
  }
  return common;
}

std::string ControlWord(const v1::Comparison& comparison) {
  if (comparison.verdict() == v1::VERDICT_REGRESSION) return "";
  return std::string(Word(comparison.control()));
}

std::string VerdictWords(const v1::Comparison& gate, const Style& style) {
  if (const std::string control = ControlWord(gate); !control.empty()) return "control " + control;
  if (IsNotBetter(gate)) return "not " + RequiredWords(gate, style);
  return std::string(Word(gate.verdict()));
}

std::string VerdictWords(const v1::Update& update, const Style& style) {
  if (IsNotBetter(update)) return "not " + RequiredWords(update, style);
  return std::string(Word(update.verdict()));
}

bool IsImproved(const v1::Comparison& gate) {
  return IsGate(gate) && gate.flag() == v1::FLAG_IMPROVEMENT;
}

std::string ResultWords(const v1::Comparison& gate, const Style& style) {
  return VerdictWords(gate, style) + (IsImproved(gate) ? ", improved" : "");
}

std::string LeadingWord(const v1::Comparison& gate) {
  if (std::string word = ControlWord(gate); !word.empty()) {
    for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
    return "CONTROL " + word;
  }
  return IsNotBetter(gate) ? kNotBetter : VerdictWord(gate.verdict());
}

std::string LeadingWord(const v1::Update& update) {
  return IsNotBetter(update) ? kNotBetter : VerdictWord(update.verdict());
}

}  // namespace benchd::client
