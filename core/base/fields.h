#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

/// Field lists of structs and name lists of enums, written beside their definitions. Serializers
/// (the wire, the store's JSON) walk these lists, so a new field is added in one place.

#define BENCHD_PARENTHESES ()
#define BENCHD_EXPAND(...) \
  BENCHD_EXPAND_16(BENCHD_EXPAND_16(BENCHD_EXPAND_16(BENCHD_EXPAND_16(__VA_ARGS__))))
#define BENCHD_EXPAND_16(...) \
  BENCHD_EXPAND_4(BENCHD_EXPAND_4(BENCHD_EXPAND_4(BENCHD_EXPAND_4(__VA_ARGS__))))
#define BENCHD_EXPAND_4(...) \
  BENCHD_EXPAND_1(BENCHD_EXPAND_1(BENCHD_EXPAND_1(BENCHD_EXPAND_1(__VA_ARGS__))))
#define BENCHD_EXPAND_1(...) __VA_ARGS__
#define BENCHD_VISIT_EACH(...) __VA_OPT__(BENCHD_EXPAND(BENCHD_VISIT_FIRST(__VA_ARGS__)))
#define BENCHD_VISIT_FIRST(name, ...) \
  visit.Field(#name, value.name);     \
  __VA_OPT__(BENCHD_VISIT_AGAIN BENCHD_PARENTHESES(__VA_ARGS__))
#define BENCHD_VISIT_AGAIN() BENCHD_VISIT_FIRST

/// Follows a struct, in its namespace. Generates VisitFields(), which calls
/// visit.Field(NAME, FIELD) for each field in the order given. At most 64 fields.
#define BENCHD_FIELDS(Type, ...)                                                  \
  template <typename Value>                                                       \
  requires std::same_as<std::remove_const_t<Value>, Type>                         \
  void VisitFields([[maybe_unused]] auto& visit, [[maybe_unused]] Value& value) { \
    BENCHD_VISIT_EACH(__VA_ARGS__)                                                \
  }

/// Follows an enum whose values count from 0, in its namespace: the names in order of value.
#define BENCHD_NAMES(Enum, ...) \
  constexpr auto NamesOf(Enum) { return std::to_array<std::string_view>({__VA_ARGS__}); }

namespace benchd {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// The name of an enum value in messages and the database; empty if out of range.
template <typename Enum>
constexpr std::string_view NameOf(Enum value) {
  constexpr auto names = NamesOf(Enum{});
  const auto index = static_cast<std::size_t>(value);
  return index < names.size() ? names[index] : std::string_view();
}

template <typename Enum>
constexpr std::optional<Enum> ValueOf(std::string_view name) {
  constexpr auto names = NamesOf(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace benchd
