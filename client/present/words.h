#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Returns the word for an enum value: its name without the enum's prefix, in lower case
/// (`BEST_EFFORT` is best-effort). "" for UNSPECIFIED if it has no word.
std::string EnumWord(const google::protobuf::EnumDescriptor& type, int value);

template <typename Enum>
std::string_view Word(Enum value) {
  static const std::vector<std::string> words = [] {
    const google::protobuf::EnumDescriptor& type = *google::protobuf::GetEnumDescriptor<Enum>();
    std::vector<std::string> made;
    for (int i = 0; i < type.value_count(); ++i) made.push_back(EnumWord(type, i));
    return made;
  }();
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? std::string_view(words[index]) : std::string_view();
}

v1::SessionState StateFromWord(std::string_view word);  ///< UNSPECIFIED for an unknown word
bool HasEnded(v1::SessionState state);                  ///< done, failed or cancelled
std::string EstimatorWord(const v1::Estimator& estimator);

/// Formats a time as RFC 3339 in UTC, with 0, 3, 6 or 9 fractional digits as needed:
/// 2026-01-02T03:04:05.678Z.
std::string Rfc3339(const google::protobuf::Timestamp& time);
google::protobuf::Timestamp Now();

/// Formats a local time: "HH:MM:SS" if it is today, else "YYYY-MM-DD HH:MM".
std::string LocalTime(const google::protobuf::Timestamp& time,
                      const google::protobuf::Timestamp& now);

/// LocalMoment() formats a local time as "YYYY-MM-DD HH:MM:SS"; LocalZone() returns the name of its
/// time zone: "CET (UTC+01:00)".
std::string LocalMoment(const google::protobuf::Timestamp& time);
std::string LocalZone(const google::protobuf::Timestamp& time);

/// Formats a list of CPUs: "1,2,3".
std::string CpuList(const google::protobuf::RepeatedField<std::int32_t>& cpus);

}  // namespace benchd::client
