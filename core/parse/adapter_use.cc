#include "core/parse/adapter_use.h"

#include <fmt/format.h>

#include <string_view>

namespace benchd {
namespace {

constexpr std::string_view kNoValue = " leads only to what is empty or listed in absent";

std::string WhyUnreadText(const MetricRule& rule, const MetricRuleUse& use) {
  if (rule.when_line && !use.when_line) return "when matches no line";
  if (rule.under && !use.under) return "under matches no line";
  if (use.found == 0) {
    return rule.under ? "match matches no line after those of under" : "match matches no line";
  }
  return "match" + std::string(kNoValue);
}

}  // namespace

std::string WhyUnread(AdapterInput input, const MetricRule& rule, const MetricRuleUse& use) {
  if (input == AdapterInput::kText) return WhyUnreadText(rule, use);
  const bool each = rule.each || rule.xml_each;
  if (use.elements == 0) return each ? "each leads to nothing" : "the output has no document";
  if (use.held == 0) {
    return each && use.elements > 1
               ? fmt::format("when holds for none of {} elements", use.elements)
               : "when does not hold";
  }
  if (use.found == 0) {
    return "path leads to nothing" + (use.missing.empty() ? std::string() : ": " + use.missing);
  }
  return "path" + std::string(kNoValue);
}

}  // namespace benchd
