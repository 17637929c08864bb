#pragma once

#include <fmt/format.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/model/session.h"
#include "proto/convert/convert.h"

/// Conversion of structs to messages and back by the list of fields beside each struct. A field of
/// the model corresponds to the message's field of the same name (durations end in _seconds), so
/// the mapping need not be written out. Internal to this folder, except for FieldReader.
namespace benchd::convert {

/// A reader of fields that keeps the first error, so that a conversion reads like a list of fields.
class FieldReader {
 public:
  bool ok() const { return !failed_; }
  Error error() && { return std::move(error_); }

  void Fail(const std::string& field, std::string_view why, std::string_view hint = {}) {
    if (failed_) return;
    failed_ = true;
    error_ = InvalidArgument(field, why, hint);
  }

  /// Returns the model's value, or `fallback` for UNSPECIFIED (0).
  template <typename Wire, typename Model>
  Model Enum(const std::string& field, Wire wire, Model fallback) {
    if (static_cast<int>(wire) == 0) return fallback;
    const std::optional<Model> model = ToModel<Model>(wire);
    if (model) return *model;
    Fail(field, fmt::format("this benchd does not know the value {}", static_cast<int>(wire)),
         "use a client and a daemon of the same version");
    return fallback;
  }

  double Finite(const std::string& field, double value) {
    if (!std::isfinite(value)) Fail(field, "is not a finite number");
    return value;
  }

  Nanoseconds Duration(const std::string& field, double seconds) {
    // Nanoseconds in 64 bits reach 292 years; a century is safely below.
    constexpr double kMaxSeconds = 100.0 * 365 * 24 * 3600;
    if (std::isfinite(seconds) && seconds > 0 && seconds <= kMaxSeconds) {
      // Without rounding, 0.29 s would lose a nanosecond, because its double is slightly below.
      const auto rounded = std::chrono::round<Nanoseconds>(std::chrono::duration<double>(seconds));
      return std::max(rounded, Nanoseconds(1));
    }
    Fail(field, "must be between 0 s and 100 years");
    return {};
  }

 private:
  bool failed_ = false;
  Error error_;
};

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// The fields of T that its message lacks or has in another form. The caller converts them.
template <typename T>
inline constexpr std::array<std::string_view, 0> kApart{};
template <>
inline constexpr auto kApart<SessionSpec> =
    std::to_array<std::string_view>({"rule", "default_margin", "schedule", "environment"});
template <>
inline constexpr auto kApart<Benchmark> = std::to_array<std::string_view>({"default_margin",
                                                                           "parse_stderr"});
template <>
inline constexpr auto kApart<Arm> = std::to_array<std::string_view>({"argv", "env"});
template <>
inline constexpr auto kApart<Gate> = std::to_array<std::string_view>({"kind", "margin",
                                                                      "margin_implied"});
template <>
inline constexpr auto kApart<Comparison> = std::to_array<std::string_view>({"margin", "margin_kind",
                                                                            "expected_blocks"});
template <>
inline constexpr auto kApart<Estimate> = std::to_array<std::string_view>({"expected_blocks"});
template <>
inline constexpr auto kApart<FailedRun> = std::to_array<std::string_view>({"phase"});
template <>
inline constexpr auto kApart<MetricInfo> = std::to_array<std::string_view>({"resolution"});

template <typename T>
bool IsApart(std::string_view field) {
  return std::ranges::find(kApart<T>, field) != kApart<T>.end();
}

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;

/// Data that the daemon adds to a request. It is never sent.
template <typename T>
concept Internal = std::same_as<T, std::optional<ProgramIdentity>> || std::same_as<T, Caller>;

/// Returns the message's field of this name. Ends the process if there is none, because the list of
/// fields and the message then disagree. Any test of the conversion detects this.
const FieldDescriptor& FieldOf(const Descriptor& message, const std::string& name);

using MessageFields = std::vector<const FieldDescriptor*>;

/// Collects the message's descriptor for each field of Owner; nullptr for fields that the caller
/// converts.
template <typename Owner>
class FieldFinder {
 public:
  explicit FieldFinder(const Descriptor& message) : message_(message) {}

  template <typename T>
  void Field(const char* name, const T& /*value*/) {
    constexpr bool kDuration =
        std::same_as<T, Nanoseconds> || std::same_as<T, std::optional<Nanoseconds>>;
    const bool walked = !Internal<T> && !IsApart<Owner>(name);
    found.push_back(walked ? &FieldOf(message_, kDuration ? name + std::string("_seconds") : name)
                           : nullptr);
  }

  MessageFields found;

 private:
  const Descriptor& message_;
};

/// Returns the descriptors for T, which are computed once, because a look-up by name takes longer
/// than the rest of the conversion. Each T must always be used with the same kind of message;
/// otherwise protobuf's reflection ends the process.
template <typename T>
const MessageFields& FieldsOf(const T& value, const Message& message) {
  static const MessageFields fields = [&] {
    FieldFinder<T> finder(*message.GetDescriptor());
    VisitFields(finder, value);
    return std::move(finder.found);
  }();
  return fields;
}

/// Sets a field or adds to it, for integers of all widths. Keeps the sign.
void SetInteger(Message& message, const FieldDescriptor& field, std::int64_t value);
void AddInteger(Message& message, const FieldDescriptor& field, std::int64_t value);
std::int64_t GetInteger(const Message& message, const FieldDescriptor& field);

using TextMap = std::map<std::string, std::string>;
void SetMap(Message& message, const FieldDescriptor& field, const TextMap& map);
TextMap GetMap(const Message& message, const FieldDescriptor& field);

template <typename T>
void WriteFields(const T& value, Message* to);

/// A writer of a message's fields. Absent fields stay absent; invalid UTF-8 is replaced.
class MessageWriter {
 public:
  MessageWriter(const MessageFields& fields, Message& to)
      : next_(fields.begin()), to_(to), set_(*to.GetReflection()) {}

  template <typename T>
  void Field(const char* /*name*/, const T& value) {
    const FieldDescriptor* const field = *next_++;
    if constexpr (!Internal<T>) {
      if (field != nullptr) Put(*field, value);
    }
  }

 private:
  template <typename T>
  void Put(const FieldDescriptor& field, const T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) Put(field, *value);
    } else if constexpr (std::same_as<T, Nanoseconds>) {
      set_.SetDouble(&to_, &field, Seconds(value));
    } else if constexpr (std::same_as<T, Hook>) {
      Put(field, value.command);
    } else if constexpr (std::is_enum_v<T>) {
      set_.SetEnumValue(&to_, &field, ToWire<int>(value));
    } else if constexpr (std::same_as<T, bool>) {
      if (value || field.has_presence()) set_.SetBool(&to_, &field, value);
    } else if constexpr (std::integral<T>) {
      SetInteger(to_, field, static_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<T, double>) {
      set_.SetDouble(&to_, &field, value);
    } else if constexpr (std::same_as<T, std::string>) {
      if (!value.empty() || field.has_presence()) set_.SetString(&to_, &field, Utf8Lossy(value));
    } else if constexpr (std::same_as<T, SessionId>) {
      set_.SetString(&to_, &field, value.value);
    } else if constexpr (std::same_as<T, Timestamp>) {
      using Wire = google::protobuf::Timestamp;
      ToProto(value, static_cast<Wire*>(set_.MutableMessage(&to_, &field)));
    } else if constexpr (std::same_as<T, TextMap>) {
      SetMap(to_, field, value);
    } else if constexpr (std::same_as<T, Environment>) {
      for (const auto& [name, fact] : value.facts) {
        auto* added = static_cast<v1::EnvironmentFact*>(set_.AddMessage(&to_, &field));
        added->set_name(Utf8Lossy(name));
        added->set_value(Utf8Lossy(fact));
      }
    } else if constexpr (kIsList<T>) {
      for (const auto& element : value) Add(field, element);
    } else {
      WriteFields(value, set_.MutableMessage(&to_, &field));
    }
  }

  template <typename T>
  void Add(const FieldDescriptor& field, const T& element) {
    if constexpr (std::integral<T>) {
      AddInteger(to_, field, element);
    } else if constexpr (std::same_as<T, std::string>) {
      set_.AddString(&to_, &field, Utf8Lossy(element));
    } else {
      WriteFields(element, set_.AddMessage(&to_, &field));
    }
  }

  MessageFields::const_iterator next_;
  Message& to_;
  const google::protobuf::Reflection& set_;
};

template <typename T>
void WriteFields(const T& value, Message* to) {
  MessageWriter writer(FieldsOf(value, *to), *to);
  VisitFields(writer, value);
}

/// Reads the fields that are set in the message; others keep the struct's default. An empty string
/// and UNSPECIFIED count as not set.
template <typename T>
void ReadFields(FieldReader& reader, const std::string& path, const Message& from, T* value);

class MessageReader {
 public:
  MessageReader(const MessageFields& fields, FieldReader& reader, const std::string& path,
                const Message& from)
      : next_(fields.begin()),
        reader_(reader),
        path_(path),
        from_(from),
        get_(*from.GetReflection()) {}

  template <typename T>
  void Field(const char* /*name*/, T& value) {
    const FieldDescriptor* const field = *next_++;
    if constexpr (!Internal<T>) {
      if (field == nullptr || !(field->is_repeated() || get_.HasField(from_, field))) return;
      if constexpr (kIsOptional<T>) {
        Get(*field, value.emplace());
      } else {
        Get(*field, value);
      }
    }
  }

 private:
  template <typename T>
  void Get(const FieldDescriptor& field, T& value) {
    if constexpr (std::same_as<T, Nanoseconds>) {
      value = reader_.Duration(PathOf(field), get_.GetDouble(from_, &field));
    } else if constexpr (std::same_as<T, Hook>) {
      Get(field, value.command);
    } else if constexpr (std::is_enum_v<T>) {
      value = reader_.Enum(PathOf(field), get_.GetEnumValue(from_, &field), value);
    } else if constexpr (std::same_as<T, bool>) {
      value = get_.GetBool(from_, &field);
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(GetInteger(from_, field));
    } else if constexpr (std::same_as<T, double>) {
      value = reader_.Finite(PathOf(field), get_.GetDouble(from_, &field));
    } else if constexpr (std::same_as<T, std::string>) {
      value = get_.GetString(from_, &field);
    } else if constexpr (std::same_as<T, SessionId>) {
      value.value = get_.GetString(from_, &field);
    } else if constexpr (std::same_as<T, Timestamp>) {
      using Wire = google::protobuf::Timestamp;
      value = FromProto(static_cast<const Wire&>(get_.GetMessage(from_, &field)));
    } else if constexpr (std::same_as<T, TextMap>) {
      value = GetMap(from_, field);
    } else if constexpr (kIsList<T>) {
      for (int i = 0; i < get_.FieldSize(from_, &field) && reader_.ok(); ++i) {
        if constexpr (std::same_as<T, std::vector<std::string>>) {
          value.push_back(get_.GetRepeatedString(from_, &field, i));
        } else if constexpr (std::same_as<T, std::vector<int>>) {
          value.push_back(get_.GetRepeatedInt32(from_, &field, i));
        } else {
          ReadFields(reader_, fmt::format("{}[{}]", PathOf(field), i),
                     get_.GetRepeatedMessage(from_, &field, i), &value.emplace_back());
        }
      }
    } else {
      ReadFields(reader_, PathOf(field), get_.GetMessage(from_, &field), &value);
    }
  }

  std::string PathOf(const FieldDescriptor& field) const {
    return path_.empty() ? field.name() : path_ + "." + field.name();
  }

  MessageFields::const_iterator next_;
  FieldReader& reader_;
  const std::string& path_;
  const Message& from_;
  const google::protobuf::Reflection& get_;
};

template <typename T>
void ReadFields(FieldReader& reader, const std::string& path, const Message& from, T* value) {
  MessageReader fields(FieldsOf(*value, from), reader, path, from);
  VisitFields(fields, *value);
}

}  // namespace benchd::convert
