#include <google/protobuf/descriptor.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/present/json.h"
#include "client/present/words.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

Error Unexpected(std::string_view key, std::string_view what) {
  return InvalidArgument(key, "expected " + std::string(what));
}

std::optional<int> EnumValue(const EnumDescriptor& type, std::string_view word) {
  // Search from the end, because the word for UNSPECIFIED may also be the word of a later value.
  for (int i = type.value_count() - 1; i >= 0; --i) {
    if (EnumWord(type, type.value(i)->number()) == word) return type.value(i)->number();
  }
  return std::nullopt;
}

Result<void> ReadTime(const Json& json, std::string_view key, Message* to) {
  if (!json.is_string()) return Unexpected(key, "a time");
  const Result<Timestamp> time = ParseRfc3339(json.get_ref<const std::string&>());
  if (!time) return InvalidArgument(key, time.error().message);
  convert::ToProto(*time, static_cast<google::protobuf::Timestamp*>(to));
  return {};
}

Result<void> ReadInto(const Json& json, std::string_view key, Message* to) {
  if (to->GetDescriptor() == google::protobuf::Timestamp::descriptor()) {
    return ReadTime(json, key, to);
  }
  if (!json.is_object()) return Unexpected(key, "an object");
  return ReadMessage(json, to);
}

Result<void> ReadNumber(const Json& json, const FieldDescriptor& field, Message* to) {
  const auto& reflection = *to->GetReflection();
  const std::string& key = field.name();
  // Seeds are written as strings.
  std::uint64_t whole = 0;
  if (json.is_string() && field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
    const std::string& text = json.get_ref<const std::string&>();
    const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!number.is_number_unsigned()) return Unexpected(key, "a whole number");
    whole = number.get<std::uint64_t>();
  } else if (!json.is_number()) {
    return Unexpected(key, "a number");
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    reflection.SetDouble(to, &field, json.get<double>());
    return {};
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    if (!json.is_number_integer()) return Unexpected(key, "a whole number");
    reflection.SetInt32(to, &field, static_cast<std::int32_t>(json.get<std::int64_t>()));
    return {};
  } else if (!json.is_number_unsigned()) {
    return Unexpected(key, "a whole number");
  } else {
    whole = json.get<std::uint64_t>();
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
    reflection.SetUInt64(to, &field, whole);
  } else {
    reflection.SetUInt32(to, &field, static_cast<std::uint32_t>(whole));
  }
  return {};
}

Result<void> ReadOne(const Json& json, const FieldDescriptor& field, Message* to) {
  const auto& reflection = *to->GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      if (!json.is_boolean()) return Unexpected(field.name(), "true or false");
      reflection.SetBool(to, &field, json.get<bool>());
      return {};
    case FieldDescriptor::CPPTYPE_STRING:
      if (!json.is_string()) return Unexpected(field.name(), "a string");
      reflection.SetString(to, &field, json.get<std::string>());
      return {};
    case FieldDescriptor::CPPTYPE_ENUM: {
      if (!json.is_string()) return Unexpected(field.name(), "a string");
      // An unknown value, as from a newer release, becomes UNSPECIFIED.
      const auto value = EnumValue(*field.enum_type(), json.get_ref<const std::string&>());
      if (value) reflection.SetEnumValue(to, &field, *value);
      return {};
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ReadInto(json, field.name(), reflection.MutableMessage(to, &field));
    default:
      return ReadNumber(json, field, to);
  }
}

Result<void> ReadPair(const std::string& key, const Json& value, const FieldDescriptor& field,
                      Message* to) {
  if (!value.is_string()) return Unexpected(field.name(), "an object of strings");
  Message* const entry = to->GetReflection()->AddMessage(to, &field);
  const auto& type = *entry->GetDescriptor();
  entry->GetReflection()->SetString(entry, type.field(0), key);
  entry->GetReflection()->SetString(entry, type.field(1), value.get<std::string>());
  return {};
}

// Reads a list, or an object in the case of maps and the facts of the machine.
Result<void> ReadMany(const Json& json, const FieldDescriptor& field, Message* to) {
  const bool by_name = field.is_map() || field.message_type() == v1::EnvironmentFact::descriptor();
  if (by_name) {
    if (!json.is_object()) return Unexpected(field.name(), "an object");
    for (const auto& [key, value] : json.items()) {
      TRY_VOID(ReadPair(key, value, field, to));
    }
    return {};
  }
  if (!json.is_array()) return Unexpected(field.name(), "a list");
  for (const Json& one : json) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      auto read = ReadInto(one, field.name(), to->GetReflection()->AddMessage(to, &field));
      if (!read) return read;
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && one.is_string()) {
      to->GetReflection()->AddString(to, &field, one.get<std::string>());
    }
  }
  return {};
}

double NumberAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::string TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void ReadEstimator(const Json& json, v1::Estimator* to) {
  const std::string word = TextAt(json, "estimator");
  const std::size_t colon = word.find(':');
  const auto kind = EnumValue(*v1::EstimatorKind_descriptor(), word.substr(0, colon));
  if (kind) to->set_kind(static_cast<v1::EstimatorKind>(*kind));
  if (colon == std::string::npos) return;
  const Json quantile = Json::parse(word.substr(colon + 1), nullptr, /*allow_exceptions=*/false);
  if (quantile.is_number()) to->set_quantile(quantile.get<double>());
}

Result<void> ReadLastLook(const Json& json, v1::Comparison* to) {
  const auto last = json.find("last");
  if (last == json.end()) return {};
  if (!last->is_object()) return Unexpected("last", "an object");
  for (const auto& [key, effect] :
       {std::pair("change", &v1::Comparison::mutable_last_change),
        std::pair("difference", &v1::Comparison::mutable_last_difference)}) {
    const auto found = last->find(key);
    if (found == last->end()) continue;
    TRY_VOID(ReadInto(*found, key, (to->*effect)()));
  }
  return {};
}

// Restores fields that MessageJson() writes in another form, as far as possible.
Result<void> ReadToldOtherwise(const Json& json, Message* to) {
  const std::string kind = TextAt(json, json.contains("kind") ? "kind" : "margin_kind");
  const bool exact = kind == "exact";
  const bool absolute = exact || kind == "absolute";
  const bool has_margin = json.contains("margin");
  const double margin = NumberAt(json, "margin");
  if (auto* const gate = dynamic_cast<v1::Gate*>(to)) {
    gate->set_exact(exact);
    if (has_margin) absolute ? gate->set_absolute(margin) : gate->set_ratio(margin);
  }
  if (auto* const comparison = dynamic_cast<v1::Comparison*>(to)) {
    ReadEstimator(json, comparison->mutable_estimator());
    comparison->set_exact(exact);
    if (has_margin && absolute) comparison->set_margin_absolute(margin);
    if (has_margin && !absolute) comparison->set_margin_ratio(margin);
    TRY_VOID(ReadLastLook(json, comparison));
  }
  if (auto* const estimate = dynamic_cast<v1::Estimate*>(to)) {
    ReadEstimator(json, estimate->mutable_estimator());
  }
  if (auto* const spec = dynamic_cast<v1::SessionSpec*>(to)) {
    ReadEstimator(json, spec->mutable_estimator());
    spec->mutable_rule()->set_precision_width(NumberAt(json, "precision_width"));
  }
  return {};
}

bool IsToldOtherwise(const FieldDescriptor& field) {
  static constexpr std::string_view kNames[] = {"benchd.v1.Arm.env",
                                                "benchd.v1.Benchmark.output",
                                                "benchd.v1.Update.runs",
                                                "benchd.v1.SessionSpec.rule",
                                                "benchd.v1.SessionSpec.estimator",
                                                "benchd.v1.Gate.exact",
                                                "benchd.v1.Comparison.exact",
                                                "benchd.v1.Comparison.estimator",
                                                "benchd.v1.Estimate.estimator"};
  return std::ranges::find(kNames, field.full_name()) != std::end(kNames);
}

}  // namespace

std::string JsonKey(const FieldDescriptor& field) {
  const std::string& name = field.name();
  static constexpr std::string_view kSeconds = "_seconds";
  if (!name.ends_with(kSeconds)) return name;
  return name.substr(0, name.size() - kSeconds.size()) + "_s";
}

Result<void> ReadMessage(const Json& json, Message* message) {
  const google::protobuf::Descriptor& type = *message->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const auto found = json.find(JsonKey(field));
    if (found == json.end() || IsToldOtherwise(field)) continue;
    auto read =
        field.is_repeated() ? ReadMany(*found, field, message) : ReadOne(*found, field, message);
    if (!read) return read;
  }
  return ReadToldOtherwise(json, message);
}

}  // namespace benchd::client
