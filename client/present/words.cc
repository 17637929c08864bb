#include "client/present/words.h"

#include <array>
#include <chrono>
#include <ctime>
#include <map>

#include "client/present/units.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "proto/convert/convert.h"

namespace benchd::client {

namespace {

// The words of values whose word differs from their name, and the words for UNSPECIFIED.
const std::map<std::string_view, std::string_view> kWords{
    {"ESTIMATOR_KIND_HODGES_LEHMANN", "hl"},
    {"ESTIMATOR_KIND_UNSPECIFIED", "mean"},
    {"OUTPUT_KIND_DISCARD", "null"},
    {"OUTPUT_KIND_UNSPECIFIED", "null"},
    {"METHOD_UNSPECIFIED", "paired"},
    {"FLAG_UNSPECIFIED", "none"},
    {"SIDED_UNSPECIFIED", "two"},
    {"AT_LIMIT_UNSPECIFIED", "undecided"},
    {"SCHEDULE_KIND_UNSPECIFIED", "pairs"},
    {"ISOLATION_UNSPECIFIED", "best-effort"},
    {"CALL_GRAPH_FRAME_POINTERS", "fp"},
    {"CALL_GRAPH_UNSPECIFIED", "fp"},
    {"ERROR_RATE_FAMILY", "family"},
    {"ERROR_RATE_FDR", "fdr"},
};

}  // namespace

std::string EnumWord(const google::protobuf::EnumDescriptor& type, int value) {
  static constexpr std::string_view kUnspecified = "UNSPECIFIED";
  const google::protobuf::EnumValueDescriptor* const found = type.FindValueByNumber(value);
  if (found == nullptr) return "";
  if (const auto own = kWords.find(found->name()); own != kWords.end()) {
    return std::string(own->second);
  }
  // The prefix is that of the enum's first value, which ends in UNSPECIFIED. Enums without such a
  // value are listed in kWords.
  std::string word = found->name().substr(type.value(0)->name().size() - kUnspecified.size());
  if (word == kUnspecified) return "";
  for (char& c : word) c = c == '_' ? '-' : static_cast<char>(c - 'A' + 'a');
  return word;
}

v1::SessionState StateFromWord(std::string_view word) {
  for (int value = v1::SessionState_MIN; value <= v1::SessionState_MAX; ++value) {
    const auto state = static_cast<v1::SessionState>(value);
    if (!word.empty() && Word(state) == word) return state;
  }
  return v1::SESSION_STATE_UNSPECIFIED;
}

bool HasEnded(v1::SessionState state) {
  return state == v1::SESSION_STATE_DONE || state == v1::SESSION_STATE_FAILED ||
         state == v1::SESSION_STATE_CANCELLED;
}

std::string EstimatorWord(const v1::Estimator& estimator) {
  std::string word(Word(estimator.kind()));
  if (estimator.kind() == v1::ESTIMATOR_KIND_QUANTILE) {
    word += ":" + FormatRoundTrip(estimator.quantile());
  }
  return word;
}

std::string Rfc3339(const google::protobuf::Timestamp& time) {
  std::string text = FormatRfc3339(convert::FromProto(time));
  text.pop_back();
  while (text.ends_with("000")) text.resize(text.size() - 3);
  if (text.ends_with('.')) text.pop_back();
  return text + "Z";
}

google::protobuf::Timestamp Now() {
  google::protobuf::Timestamp time;
  convert::ToProto(std::chrono::system_clock::now(), &time);
  return time;
}

namespace {

std::string FormatLocally(const google::protobuf::Timestamp& time, const char* format) {
  const std::time_t seconds = time.seconds();
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 80> text{};
  std::strftime(text.data(), text.size(), format, &local);
  return text.data();
}

}  // namespace

std::string LocalTime(const google::protobuf::Timestamp& time,
                      const google::protobuf::Timestamp& now) {
  const bool today = FormatLocally(time, "%F") == FormatLocally(now, "%F");
  return FormatLocally(time, today ? "%H:%M:%S" : "%Y-%m-%d %H:%M");
}

std::string LocalMoment(const google::protobuf::Timestamp& time) {
  return FormatLocally(time, "%Y-%m-%d %H:%M:%S");
}

std::string LocalZone(const google::protobuf::Timestamp& time) {
  const std::string name = FormatLocally(time, "%Z");
  if (name == "UTC") return name;
  std::string offset = FormatLocally(time, "%z");
  if (offset.size() == 5) offset.insert(3, ":");
  return name + " (UTC" + offset + ")";
}

std::string CpuList(const google::protobuf::RepeatedField<std::int32_t>& cpus) {
  return Join(cpus, ",", [](std::int32_t cpu) { return std::to_string(cpu); });
}

}  // namespace benchd::client
