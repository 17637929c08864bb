#include "proto/convert/message_fields.h"

#include <cstdio>
#include <cstdlib>

namespace benchd::convert {

const FieldDescriptor& FieldOf(const Descriptor& message, const std::string& name) {
  const FieldDescriptor* const field = message.FindFieldByName(name);
  if (field == nullptr) {
    std::fprintf(stderr, "%s has no field '%s'\n", message.full_name().c_str(), name.c_str());
    std::abort();
  }
  return *field;
}

void SetInteger(Message& message, const FieldDescriptor& field, std::int64_t value) {
  const auto& set = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set.SetInt32(&message, &field, static_cast<std::int32_t>(value));
    case FieldDescriptor::CPPTYPE_UINT32:
      return set.SetUInt32(&message, &field, static_cast<std::uint32_t>(value));
    default:
      return set.SetUInt64(&message, &field, static_cast<std::uint64_t>(value));
  }
}

void AddInteger(Message& message, const FieldDescriptor& field, std::int64_t value) {
  message.GetReflection()->AddInt32(&message, &field, static_cast<std::int32_t>(value));
}

std::int64_t GetInteger(const Message& message, const FieldDescriptor& field) {
  const auto& get = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return get.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return get.GetUInt32(message, &field);
    default:
      return static_cast<std::int64_t>(get.GetUInt64(message, &field));
  }
}

void SetMap(Message& message, const FieldDescriptor& field, const TextMap& map) {
  for (const auto& [key, value] : map) {
    Message* entry = message.GetReflection()->AddMessage(&message, &field);
    const auto& set = *entry->GetReflection();
    set.SetString(entry, field.message_type()->map_key(), Utf8Lossy(key));
    set.SetString(entry, field.message_type()->map_value(), Utf8Lossy(value));
  }
}

TextMap GetMap(const Message& message, const FieldDescriptor& field) {
  TextMap map;
  const auto& get = *message.GetReflection();
  for (int i = 0; i < get.FieldSize(message, &field); ++i) {
    const Message& entry = get.GetRepeatedMessage(message, &field, i);
    const auto& of_entry = *entry.GetReflection();
    map[of_entry.GetString(entry, field.message_type()->map_key())] =
        of_entry.GetString(entry, field.message_type()->map_value());
  }
  return map;
}

}  // namespace benchd::convert
