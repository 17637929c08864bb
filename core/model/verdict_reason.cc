#include "core/model/verdict_reason.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace benchd {

std::string CodeInWords(std::string_view code) {
  std::string words(code);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string SentenceOf(std::string_view code, const GateNames& names) {
  const VerdictReason* const reason = FindVerdictReason(code);
  if (reason == nullptr) return CodeInWords(code);
  const std::pair<std::string_view, std::string_view> fields[] = {{"{reference}", names.reference},
                                                                  {"{candidate}", names.candidate},
                                                                  {"{metric}", names.metric}};
  std::string text;
  for (std::string_view rest = reason->sentence; !rest.empty();) {
    const auto field = std::ranges::find_if(
        fields, [rest](const auto& one) { return rest.starts_with(one.first); });
    if (field == std::end(fields)) {
      text += rest.front();
      rest.remove_prefix(1);
    } else {
      text += field->second;
      rest.remove_prefix(field->first.size());
    }
  }
  return text;
}

}  // namespace benchd
