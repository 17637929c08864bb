#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/model/metric.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"

/// Lossless conversion of values to and from JSON, based on the field lists of their types.
/// Internal to this folder.
namespace benchd::store {

using Json = nlohmann::json;

/// Converts UTF-8 text to a string, and other bytes to {"hex": "..."}.
Json TextToJson(const std::string& text);
std::optional<std::string> TextFromJson(const Json& json);
std::optional<std::string> FromHex(std::string_view hex);
/// Converts a number. JSON does not have infinities and NaN; they become the strings "inf", "-inf"
/// and "nan".
Json RealToJson(double value);
std::optional<double> RealFromJson(const Json& json);

/// Builds an object from visited fields.
class JsonWriter {
 public:
  template <typename T>
  void Field(const char* name, const T& field) {
    if constexpr (kIsOptional<T>) {
      if (field) object_[name] = From(*field);
    } else {
      object_[name] = From(field);
    }
  }

  template <typename T>
  static Json From(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return NameOf(value);
    } else {
      JsonWriter writer;
      VisitFields(writer, value);
      return std::move(writer.object_);
    }
  }
  template <std::integral T>
  static Json From(const T& value) {
    return value;
  }
  static Json From(double value) { return RealToJson(value); }
  static Json From(const std::string& text) { return TextToJson(text); }
  static Json From(const SessionId& id) { return TextToJson(id.value); }
  static Json From(Nanoseconds duration) { return duration.count(); }
  static Json From(Timestamp time) { return time.time_since_epoch().count(); }
  static Json From(const std::array<std::uint8_t, 32>& digest) { return ToHex(digest); }
  template <typename A, typename B>
  static Json From(const std::pair<A, B>& pair) {
    return Json::array({From(pair.first), From(pair.second)});
  }
  template <typename T>
  static Json From(const std::vector<T>& values) {
    return FromRange(values);
  }
  /// Writes pairs instead of an object, because keys of objects must be UTF-8.
  template <typename K, typename V>
  static Json From(const std::map<K, V>& values) {
    return FromRange(values);
  }

 private:
  static Json FromRange(const auto& range) {
    Json array = Json::array();
    for (const auto& element : range) array.push_back(From(element));
    return array;
  }

  Json object_ = Json::object();
};

/// Reads visited fields from an object; keeps the first failure and its path.
class JsonReader {
 public:
  const std::optional<Error>& error() const { return error_; }

  template <typename T>
  void Field(const char* name, T& field) {
    if (error_) return;
    const std::size_t length = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += name;
    const Json& object = *object_;
    const auto found = object.find(name);
    if constexpr (kIsOptional<T>) {
      field.reset();
      if (found != object.end()) Read(*found, field.emplace());
    } else if (found != object.end()) {
      Read(*found, field);
    }
    // A missing field keeps its default, because an older benchd may have written the record. After
    // a failure, the path is no longer needed.
    path_.resize(length);
  }

  template <typename T>
  void Read(const Json& json, T& value) {
    if constexpr (std::is_enum_v<T>) {
      const std::string* const name = json.get_ptr<const std::string*>();
      if (name == nullptr) return Fail("not a name");
      const std::optional<T> known = ValueOf<T>(*name);
      if (!known) return Fail("unknown name '" + *name + "'");
      value = *known;
    } else {
      if (!json.is_object()) return Fail("not an object");
      const Json* const outer = std::exchange(object_, &json);
      VisitFields(*this, value);
      object_ = outer;
      if constexpr (std::same_as<T, Warning>) {
        if (!json.contains("severity")) CompleteWarning(value);
      }
    }
  }
  void Read(const Json& json, bool& value) {
    if (!json.is_boolean()) return Fail("not true or false");
    value = json.get<bool>();
  }
  template <std::integral T>
  void Read(const Json& json, T& value) {
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (std::cmp_greater(number, std::numeric_limits<T>::max())) return Fail("out of range");
      value = static_cast<T>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.get<std::int64_t>();
      if (std::cmp_less(number, std::numeric_limits<T>::min())) return Fail("out of range");
      value = static_cast<T>(number);
    } else {
      Fail("not a whole number");
    }
  }
  void Read(const Json& json, double& value) { Take(RealFromJson(json), value, "not a number"); }
  void Read(const Json& json, std::string& text) { Take(TextFromJson(json), text, "not text"); }
  void Read(const Json& json, SessionId& id) { Read(json, id.value); }
  void Read(const Json& json, Nanoseconds& duration) {
    std::int64_t count = 0;
    Read(json, count);
    duration = Nanoseconds(count);
  }
  void Read(const Json& json, Timestamp& time) {
    Nanoseconds since_epoch{};
    Read(json, since_epoch);
    time = Timestamp(since_epoch);
  }
  void Read(const Json& json, std::array<std::uint8_t, 32>& digest);
  template <typename A, typename B>
  void Read(const Json& json, std::pair<A, B>& pair) {
    if (!json.is_array() || json.size() != 2) return Fail("not a pair");
    Read(json[0], pair.first);
    Read(json[1], pair.second);
  }
  template <typename T>
  void Read(const Json& json, std::vector<T>& values) {
    values.clear();
    ReadArray<T>(json, [&values](T value) { values.push_back(std::move(value)); });
  }
  template <typename K, typename V>
  void Read(const Json& json, std::map<K, V>& values) {
    values.clear();
    const auto insert = [&values](std::pair<K, V> pair) { values.insert(std::move(pair)); };
    ReadArray<std::pair<K, V>>(json, insert);
  }

 private:
  template <typename T>
  void Take(std::optional<T> read, T& value, std::string_view why) {
    if (!read) return Fail(why);
    value = std::move(*read);
  }

  template <typename T>
  void ReadArray(const Json& json, const auto& keep) {
    if (!json.is_array()) return Fail("not a list");
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < json.size() && !error_; ++i) {
      path_.resize(length);
      path_ += fmt::format("[{}]", i);
      T value{};
      Read(json[i], value);
      keep(std::move(value));
    }
    path_.resize(length);
  }

  void Fail(std::string_view why);

  const Json* object_ = nullptr;
  std::string path_;
  std::optional<Error> error_;
};

template <typename T>
std::string ToJsonText(const T& value) {
  return JsonWriter::From(value).dump();
}

/// Parses a value from JSON.
/// @errors kInternal "WHAT: PATH: WHY" for a field of the wrong type, an unknown name, or text that
///         is not JSON.
template <typename T>
Result<T> FromJsonText(std::string_view text, std::string_view what) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Error{ErrorCode::kInternal, std::string(what) + ": not JSON", {}};
  JsonReader reader;
  T value{};
  reader.Read(json, value);
  if (reader.error()) return Error(*reader.error()).Within(what);
  return value;
}

/// Converts a SessionSpec to lossless JSON: doubles in the shortest form that round-trips, enums by
/// name, bytes that are not UTF-8 in hexadecimal. Empty optionals are omitted.
std::string SpecToJson(const SessionSpec& spec);

/// Reverses SpecToJson(). @errors kInternal with the name of the invalid field.
Result<SessionSpec> SpecFromJson(std::string_view json);

/// Converts the state and result of a session by the same rules as SpecToJson().
std::string SnapshotToJson(const SessionSnapshot& snapshot);
std::string MetricsToJson(const std::vector<MetricInfo>& metrics);

/// Converts all fields except the number, which is stored in a separate column.
std::string SummaryToJson(const GateSummary& summary);

/// Reverse the conversions above. @errors kInternal with the name of the invalid field.
Result<GateSummary> SummaryFromJson(std::string_view json);
Result<SessionSnapshot> SnapshotFromJson(std::string_view json);
Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json);

}  // namespace benchd::store
