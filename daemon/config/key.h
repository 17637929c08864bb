#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/model/child.h"
#include "core/model/machine_profile.h"

namespace benchd {

struct Config;
struct PushConfig;
struct RunnerConfig;

/// What the keys of a configuration fill in: the values of each program, the limits of [children],
/// and the profile that is being read.
using ConfigValues = std::tuple<Config, PushConfig, RunnerConfig, ChildLimits, MachineProfile>;

/// A value in the file. Tables and dates, which no key takes, are std::monostate.
struct ConfigValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<ConfigValue>>
      held;

  /// Returns the value if it has exactly this type, or else nullptr.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&held);
  }
  /// Returns whether the value is this text.
  bool Is(std::string_view text) const {
    return As<std::string>() != nullptr && *As<std::string>() == text;
  }
};

struct ConfigKey;

/// The type of a key: the values that it takes, and where they are stored.
///
/// The allowed values are one of `words`, or what `allowed` describes, or a whole number from
/// `least` to `most`; in all three cases also the word `also`. Members that do not apply are empty.
struct ConfigType {
  /// Stores the value. Returns false if it is not allowed.
  bool (*take)(const ConfigValue& value, const ConfigKey& key, ConfigValues& into);
  std::string_view words = {};    ///< separated by spaces
  std::string_view allowed = {};  ///< for messages, such as "a string in quotes"
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view unit = {};  ///< for messages, such as "days"
  std::string_view also = {};  ///< "leave" or "none"
};

/// The programs that read a key, as bits.
inline constexpr unsigned kForBenchd = 1;
inline constexpr unsigned kForRunner = 2;  ///< by benchd-helper, which passes the values on
inline constexpr unsigned kForPush = 4;

/// A key of benchd.toml.
struct ConfigKey {
  std::string_view table;  ///< "machine_profile" for [machine_profile.NAME]
  std::string_view name;
  unsigned readers;
  ConfigType type;
  std::string_view standard;  ///< the default, as in the file; empty if the key has none
  std::string_view help;      ///< for the manual, on one line
};

/// Returns "should be on, off or leave" for the values that a key takes.
std::string ShouldBe(const ConfigKey& key);

/// The types of keys. `field` is a pointer to a member of one of ConfigValues.
namespace config_types {

template <typename Member>
struct OwnerOf;
template <typename Owner, typename Value>
struct OwnerOf<Value Owner::*> {
  using Type = Owner;
};

/// Returns the field that a path of pointers to members names.
template <auto first, auto... rest>
auto& FieldIn(ConfigValues& values) {
  auto& field = std::get<typename OwnerOf<decltype(first)>::Type>(values).*first;
  if constexpr (sizeof...(rest) == 0) {
    return field;
  } else {
    return (field.*....*rest);
  }
}

template <auto... fields>
bool TakeText(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& into) {
  const auto* text = value.As<std::string>();
  if (text == nullptr || text->empty()) return false;
  ((FieldIn<fields>(into) = *text), ...);
  return true;
}
/// A text that is not empty. It is stored in each of the fields.
template <auto... fields>
inline constexpr ConfigType kText{.take = TakeText<fields...>, .allowed = "a string in quotes"};

template <auto... fields>
bool TakeFlag(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& into) {
  const auto* flag = value.As<bool>();
  if (flag != nullptr) ((FieldIn<fields>(into) = *flag), ...);
  return flag != nullptr;
}
/// A boolean. It is stored in each of the fields.
template <auto... fields>
inline constexpr ConfigType kFlag{.take = TakeFlag<fields...>, .allowed = "true or false"};

/// Returns a text, or a whole number as text.
std::optional<std::string> TextOrNumber(const ConfigValue& value);

template <auto field>
bool TakeTextOrNumber(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& into) {
  const auto text = TextOrNumber(value);
  if (text) FieldIn<field>(into) = *text;
  return text.has_value();
}
/// A user or a list of CPUs, which may be a number without quotes. It is stored as text.
template <auto field>
inline constexpr ConfigType kTextOrNumber{.take = TakeTextOrNumber<field>,
                                          .allowed = "a string in quotes or a number"};

/// Returns the elements of a list of texts and, if `numbers` is true, of whole numbers. Returns
/// nothing for other values, and if an element is empty.
std::optional<std::vector<std::string>> TextsOf(const ConfigValue& value, bool numbers);

template <auto field, bool numbers>
bool TakeList(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& into) {
  auto texts = TextsOf(value, numbers);
  if (!texts) return false;
  FieldIn<field>(into) = *std::move(texts);
  return true;
}
template <auto field>
inline constexpr ConfigType kUsers{.take = TakeList<field, true>,
                                   .allowed = "a list of names and numbers, such as [\"jenkins\"]"};
template <auto field>
inline constexpr ConfigType kPatterns{.take = TakeList<field, false>,
                                      .allowed = "a list of patterns, such as [\"parse*\"]"};

/// Returns the value if it is a whole number in the range of the type.
std::optional<std::int64_t> NumberOf(const ConfigValue& value, const ConfigType& type);

template <typename T>
struct Unwrapped {
  using Type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <std::int64_t scale, auto... path>
bool TakeWhole(const ConfigValue& value, const ConfigKey& key, ConfigValues& into) {
  auto& field = FieldIn<path...>(into);
  using Field = std::remove_reference_t<decltype(field)>;
  const auto number = NumberOf(value, key.type);
  if (number) {
    field = static_cast<typename Unwrapped<Field>::Type>(*number * scale);
  } else if (key.type.also == "none" && value.Is("none")) {
    field = static_cast<typename Unwrapped<Field>::Type>(kNoLimit);
  } else if (key.type.also == "leave" && value.Is("leave")) {
    field = Field{};
  } else {
    return false;
  }
  return true;
}
/// A whole number, which is multiplied by `scale`. The word "none" is stored as kNoLimit, and
/// "leave" as an absent value.
template <std::int64_t scale, auto... path>
constexpr ConfigType Whole(std::int64_t least, std::int64_t most, std::string_view unit = {},
                           std::string_view also = {}) {
  return {
      .take = TakeWhole<scale, path...>, .least = least, .most = most, .unit = unit, .also = also};
}

/// Returns the value if it is one of the words, and "" for the word `also`. A boolean stands for
/// "on" and "off" or for "0" and "1", and a whole number for its digits.
std::optional<std::string> WordOf(const ConfigValue& value, const ConfigType& type);

template <auto field>
bool TakeWord(const ConfigValue& value, const ConfigKey& key, ConfigValues& into) {
  const auto word = WordOf(value, key.type);
  if (!word) return false;
  auto& to = FieldIn<field>(into);
  using Field = std::remove_reference_t<decltype(to)>;
  if constexpr (std::is_enum_v<Field>) {
    to = ValueOf<Field>(*word).value();
  } else if constexpr (std::same_as<Field, bool>) {
    to = key.type.words.starts_with(*word);
  } else {
    to = *word;
  }
  return true;
}
/// One of several words. A bool is true for the first word and false for the second.
template <auto field>
constexpr ConfigType Word(std::string_view words, std::string_view also = {}) {
  return {.take = TakeWord<field>, .words = words, .also = also};
}

// Of single keys; the name is that of the key.
bool TakeBase(const ConfigValue& value, const ConfigKey& key, ConfigValues& into);
bool TakeBenchmarkCpus(const ConfigValue& value, const ConfigKey& key, ConfigValues& into);
bool TakeMemoryLimit(const ConfigValue& value, const ConfigKey& key, ConfigValues& into);

}  // namespace config_types

}  // namespace benchd
