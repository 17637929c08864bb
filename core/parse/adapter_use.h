#pragma once

#include <cstddef>
#include <string>

#include "core/parse/adapter_rules.h"

namespace benchd {

/// How far an output got through the keys of one [[metric]].
struct MetricRuleUse {
  bool when_line = false;    ///< `when` matched a line of text
  bool under = false;        ///< `under` matched a line
  std::size_t elements = 0;  ///< to which `each` led
  std::size_t held = 0;      ///< elements for which `when` held
  std::size_t found = 0;     ///< matches of `match`, or places to which `path` led
  std::size_t values = 0;    ///< what became values
  std::string missing = {};  ///< why `path` led to nothing, at the first such element
};

/// Returns the key of a [[metric]] without values that excluded all of them: "match matches no
/// line", "path leads to nothing: @ has no 'men': it has 'mean', 'name'".
std::string WhyUnread(AdapterInput input, const MetricRule& rule, const MetricRuleUse& use);

}  // namespace benchd
