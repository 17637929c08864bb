#include "client/render/machine.h"

#include <algorithm>
#include <vector>

#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

std::string Holder(const v1::MachineStatus& status) {
  if (status.holder() == "session") return "session " + Printable(status.session());
  if (status.holder() == "apply") return "an admin, until `benchctl machine restore`";
  if (status.holder() == "daemon") return "benchd, as long as it lives";
  if (!status.holder().empty()) return Printable(status.holder());
  return status.session().empty()
             ? "nobody"
             : "nobody: session " + Printable(status.session()) + " runs without isolation";
}

Rows MachineFacts(const v1::MachineStatus& status) {
  Rows rows = {{"profile", Printable(status.profile())}, {"held by", Holder(status)}};
  if (!status.benchmark_cpus().empty()) {
    rows.push_back({"benchmark cpus", CpuList(status.benchmark_cpus())});
  }
  if (!status.housekeeping_cpus().empty()) {
    rows.push_back({"housekeeping cpus", CpuList(status.housekeeping_cpus())});
  }
  for (const v1::EnvironmentFact& fact : status.environment()) {
    rows.push_back({OneLine(fact.name()), OneLine(fact.value())});
  }
  return rows;
}

/// `text` wrapped, its first line after `first`, the others below it.
std::string Paragraph(const std::string& first, const std::string& text, const Style& style) {
  const int indent = Width(first);
  std::string paragraph;
  std::string left = first;
  for (const std::string& line :
       WrapWords(OneLine(text), style.width > 0 ? style.width - indent : 0)) {
    paragraph += left + line + "\n";
    left = std::string(static_cast<std::size_t>(indent), ' ');
  }
  return paragraph;
}

}  // namespace

std::string RenderMachine(const v1::MachineStatus& status, const Style& style) {
  std::string text = RenderSettings(status.settings(), style);
  if (!text.empty()) text += "\n";
  text += AlignAndWrap(MachineFacts(status), style.width);
  if (!status.notes().empty()) text += "\n";
  for (const std::string& note : status.notes()) text += Paragraph("note: ", note, style);
  return text;
}

std::string RenderDoctor(const v1::DoctorResponse& response, const Style& style) {
  if (response.sources().empty()) {
    return "nothing found: this machine is as quiet as benchd can tell\n";
  }
  std::string text;
  for (int i = 0; i < response.sources_size(); ++i) {
    const v1::NoiseSource& source = response.sources(i);
    const std::string number = std::to_string(i + 1) + ". ";
    const std::string indent(number.size(), ' ');
    text += number + Paint(OneLine(source.name()), Tint::kBold, style);
    if (source.has_effect()) {
      text += ": " + FormatChange(source.effect(), 2).substr(1) + " of the CPU time, measured";
    }
    text += "\n" + Paragraph(indent, source.finding(), style);
    if (!source.advice().empty()) text += Paragraph(indent + "advice: ", source.advice(), style);
  }
  return text;
}

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
std::string ReasonsBelow(Rows rows, int width) {
  std::vector<std::string> reasons;
  for (Row& row : rows) {
    reasons.push_back(std::move(row.back()));
    row.pop_back();
  }
  reasons.front().clear();  // the heading
  const std::vector<std::string> table = Lines(AlignColumns(rows, kSettingsGap, kIndent));
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += table[i] + "\n";
    if (reasons[i].empty()) continue;
    for (const std::string& line : WrapWords(reasons[i], width - kReasonIndent)) {
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
  Rows rows = {with_end ? Row{"setting", "wanted", "actual", "held", "at end", "why not"}
                        : Row{"setting", "wanted", "actual", "held", "why not"}};
  for (const v1::Setting& setting : settings) rows.push_back(RowOf(setting, with_end));
  const bool has_room = RoomForLastColumn(rows, style.width, kSettingsGap, kIndent) > 0;
  if (style.width > 0 && !has_room) return ReasonsBelow(std::move(rows), style.width);
  return AlignAndWrap(rows, style.width, kSettingsGap, kIndent);
}

}  // namespace benchd::client
