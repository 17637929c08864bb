#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/base/time.h"

/// Conversion of values to bytes and back. Both directions use the same list of fields
/// (core/base/fields.h), so they cannot disagree.
///
/// Integers are little endian in the width of their type, a double is its bits, an enum is one
/// byte; strings, vectors and maps begin with a 32-bit count. Both processes use this code, each on
/// a single thread.
namespace benchd::wire {

/// Appends values to a record.
class Writer {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (Put(values), ...);
  }

  void Field(const char* /*name*/, const auto& value) { Put(value); }

  std::string Take() { return std::move(bytes_); }

 private:
  void Put(bool value) { PutInteger(value ? 1 : 0, 1); }
  void Put(double value);
  void Put(const std::string& value);
  void Put(const std::array<std::uint8_t, 32>& value);
  void Put(Nanoseconds value) { Put(std::int64_t{value.count()}); }

  template <std::integral T>
  void Put(T value) {
    PutInteger(static_cast<std::uint64_t>(value), sizeof(T));
  }
  template <typename T>
  requires std::is_enum_v<T>
  void Put(T value) { PutInteger(static_cast<std::uint64_t>(value), 1); }
  template <typename T>
  void Put(const std::vector<T>& values) {
    PutInteger(values.size(), 4);
    for (const T& value : values) Put(value);
  }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <typename K, typename V>
  void Put(const std::map<K, V>& values) {
    PutInteger(values.size(), 4);
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const Result<T>& result) {
    Put(result.has_value());
    if (!result) return Put(result.error());
    if constexpr (!std::is_void_v<T>) Put(result.value());
  }
  template <typename T>
  requires std::is_class_v<T>
  void Put(const T& value) { VisitFields(*this, value); }

  void PutInteger(std::uint64_t value, std::size_t width);

  std::string bytes_;
};

/// Reads values from a record. After the first error it yields only defaults, and Finish() returns
/// the error. No input makes it read past the end or allocate more than the record can fill.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Get(values), ...);
  }

  void Field(const char* /*name*/, auto& value) { Get(value); }

  /// Marks the record as invalid, for checks that the types of the fields cannot express.
  void Fail() {
    failed_ = true;
    rest_ = {};
  }

  /// Checks that the whole record was read.
  /// @errors kInvalidArgument if a value was invalid, or bytes are left over.
  Result<void> Finish() const;

 private:
  void Get(bool& value);
  void Get(double& value);
  void Get(std::string& value);
  void Get(std::array<std::uint8_t, 32>& value);
  void Get(Nanoseconds& value) { value = Nanoseconds(static_cast<std::int64_t>(GetInteger(8))); }

  template <std::integral T>
  void Get(T& value) {
    value = static_cast<T>(GetInteger(sizeof(T)));
  }
  template <typename T>
  requires std::is_enum_v<T>
  void Get(T& value) {
    const std::uint64_t number = GetInteger(1);
    if (number >= NamesOf(T{}).size()) return Fail();
    value = static_cast<T>(number);
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    std::uint64_t count = GetInteger(4);
    // Every element takes at least one byte, so a larger count is rejected before allocating.
    if (count > rest_.size()) return Fail();
    values.clear();
    for (; count > 0 && !failed_; --count) Get(values.emplace_back());
  }
  template <typename A, typename B>
  void Get(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  /// Accepts only keys in ascending order without repetition, as the writer produces them.
  template <typename K, typename V>
  void Get(std::map<K, V>& values) {
    values.clear();
    std::vector<std::pair<K, V>> list;
    Get(list);
    for (auto& one : list) {
      if (!values.empty() && !(values.rbegin()->first < one.first)) return Fail();
      values.insert(values.end(), std::move(one));
    }
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    bool has_value = false;
    Get(has_value);
    value.reset();
    if (has_value) Get(value.emplace());
  }
  template <typename T>
  void Get(Result<T>& result) {
    bool has_value = false;
    Get(has_value);
    if (!has_value) {
      Error error;
      Get(error);
      result = std::move(error);
    } else if constexpr (std::is_void_v<T>) {
      result = {};
    } else {
      T value{};
      Get(value);
      result = std::move(value);
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void Get(T& value) { VisitFields(*this, value); }

  std::uint64_t GetInteger(std::size_t width);

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace benchd::wire
