#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

/// Macros that list the fields of a struct or the names of an enum beside its definition. The
/// serializers for the wire and for the store's JSON walk these lists, so a new field is added in
/// one place.

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

/// Defines VisitFields(), which calls visit.Field(NAME, FIELD) for each field of a struct in the
/// listed order. Place it after the struct, in the same namespace. Supports at most 64 fields.
#define BENCHD_FIELDS(Type, ...)                                                  \
  template <typename Value>                                                       \
  requires std::same_as<std::remove_const_t<Value>, Type>                         \
  void VisitFields([[maybe_unused]] auto& visit, [[maybe_unused]] Value& value) { \
    BENCHD_VISIT_EACH(__VA_ARGS__)                                                \
  }

/// Defines the names of an enum, in order of value. Place it after the enum, in the same namespace.
/// The values of the enum must count from 0.
#define BENCHD_NAMES(Enum, ...) \
  constexpr auto NamesOf(Enum) { return std::to_array<std::string_view>({__VA_ARGS__}); }

namespace benchd {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Returns the name of an enum value in messages and the database, or "" if it is out of range.
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
