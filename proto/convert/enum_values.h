#pragma once

#include <concepts>
#include <optional>

#include "core/base/fields.h"
#include "core/model/comparison.h"

/// Enums of the wire and of the model agree in their words and their order; a message's begins with
/// UNSPECIFIED, which has a default or a meaning of its own where it is used. A test holds the two
/// against each other (tests/convert/to_proto_test.cc).
namespace benchd::convert {

/// The wire's number of the model's first value. A flag that is none is said by UNSPECIFIED.
template <typename Model>
inline constexpr int kFirstOnWire = std::same_as<Model, Flag> ? 0 : 1;

template <typename Wire, typename Model>
constexpr Wire ToWire(Model value) {
  return static_cast<Wire>(static_cast<int>(value) + kFirstOnWire<Model>);
}

/// Nothing for UNSPECIFIED, and for a value that a newer peer knows.
template <typename Model, typename Wire>
constexpr std::optional<Model> ToModel(Wire wire) {
  const int index = static_cast<int>(wire) - kFirstOnWire<Model>;
  if (index < 0 || index >= static_cast<int>(NamesOf(Model{}).size())) return std::nullopt;
  return static_cast<Model>(index);
}

}  // namespace benchd::convert
