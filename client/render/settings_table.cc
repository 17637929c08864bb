#include "client/render/settings_table.h"

#include <algorithm>
#include <vector>

#include "client/render/text.h"

namespace benchd::client {
namespace {

constexpr int kSettingsGap = 2;
constexpr int kIndent = 2;
constexpr int kReasonIndent = 6;

using Row = std::vector<std::string>;

bool Changed(const v1::Setting& setting) {
  return !setting.at_end().empty() && setting.at_end() != setting.actual();
}

Row RowOf(const v1::Setting& setting, bool with_end) {
  Row row = {OneLine(setting.setting()), OneLine(setting.wanted()), OneLine(setting.actual()),
             setting.held() ? "yes" : "no"};
  if (with_end) row.push_back(Changed(setting) ? OneLine(setting.at_end()) : "");
  row.push_back(OneLine(setting.why()));
  return row;
}

/// The last column below the others, row by row.
std::string ReasonsBelow(std::vector<Row> rows, int width) {
  std::vector<std::string> reasons;
  for (Row& row : rows) {
    reasons.push_back(std::move(row.back()));
    row.pop_back();
  }
  reasons.front().clear();  // the heading
  const std::string table = AlignColumns(rows, kSettingsGap, kIndent);
  std::string text;
  std::size_t start = 0;
  for (const std::string& reason : reasons) {
    const std::size_t end = table.find('\n', start) + 1;
    text += table.substr(start, end - start);
    start = end;
    if (reason.empty()) continue;
    for (const std::string& line : WrapWords(reason, width - kReasonIndent)) {
      text += std::string(kReasonIndent, ' ') + line + "\n";
    }
  }
  return text;
}

}  // namespace

std::string RenderSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                           const Style& style) {
  if (settings.empty()) return "";
  const bool with_end = std::ranges::any_of(settings, Changed);
  std::vector<Row> rows = {with_end
                               ? Row{"setting", "wanted", "actual", "held", "at end", "why not"}
                               : Row{"setting", "wanted", "actual", "held", "why not"}};
  for (const v1::Setting& setting : settings) rows.push_back(RowOf(setting, with_end));
  const bool has_room = RoomForLastColumn(rows, style.width, kSettingsGap, kIndent) > 0;
  if (style.width > 0 && !has_room) return ReasonsBelow(std::move(rows), style.width);
  return AlignAndWrap(rows, style.width, kSettingsGap, kIndent);
}

}  // namespace benchd::client
