#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace benchd::fuzz {

/// Fills a message of the wire from an input, with one or a few bytes per field. It is the third
/// walker of the list of fields, after wire::Writer and wire::Reader. Every kind of record comes
/// out valid, including kinds added later, without seeds that a new version would invalidate.
class FillRecord {
 public:
  explicit FillRecord(std::string_view input) : rest_(input) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Fill(values), ...);
  }

  void Field(const char* /*name*/, auto& value) { Fill(value); }

  /// The next byte of the input; 0 at its end.
  std::uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::uint64_t Integer(std::size_t bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes) value = value << 8 | Byte();
    return value;
  }

 private:
  void Fill(bool& value) { value = (Byte() & 1) != 0; }
  void Fill(double& value) { value = std::bit_cast<double>(Integer(8)); }
  void Fill(std::string& value) {
    value = rest_.substr(0, Byte() % 40);
    rest_.remove_prefix(value.size());
  }
  void Fill(std::array<std::uint8_t, 32>& value) { value.fill(Byte()); }
  template <std::integral T>
  void Fill(T& value) {
    value = static_cast<T>(Integer(sizeof(T)));
  }
  template <typename T>
  requires std::is_enum_v<T>
  void Fill(T& value) { value = static_cast<T>(Byte() % NamesOf(T{}).size()); }
  template <typename T>
  void Fill(std::vector<T>& values) {
    values.resize(Byte() % 4);
    for (T& value : values) Fill(value);
  }
  template <typename A, typename B>
  void Fill(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  void Fill(Nanoseconds& value) { value = Nanoseconds(static_cast<std::int64_t>(Integer(8))); }
  template <typename K, typename V>
  void Fill(std::map<K, V>& values) {
    std::vector<std::pair<K, V>> list;
    Fill(list);
    for (auto& one : list) values.insert(std::move(one));
  }
  template <typename T>
  void Fill(std::optional<T>& value) {
    value.reset();
    if ((Byte() & 1) != 0) Fill(value.emplace());
  }
  template <typename T>
  void Fill(Result<T>& result) {
    Error error;
    if ((Byte() & 1) == 0) {
      Fill(error);
      result = std::move(error);
    } else if constexpr (std::is_void_v<T>) {
      result = {};
    } else {
      T value{};
      Fill(value);
      result = std::move(value);
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void Fill(T& value) { VisitFields(*this, value); }

  std::string_view rest_;
};

}  // namespace benchd::fuzz
