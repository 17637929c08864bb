#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/time.h"
#include "proto/convert/enum_values.h"

namespace benchd::convert {

/// Collects the first thing that is wrong, so that a conversion reads as a list of fields.
class FieldReader {
 public:
  bool ok() const { return !failed_; }
  Error error() && { return std::move(error_); }

  void Fail(const std::string& field, std::string_view why, std::string_view hint = {}) {
    if (failed_) return;
    failed_ = true;
    error_ = InvalidArgument(field, why, hint);
  }

  /// The model's word, `fallback` for UNSPECIFIED (0).
  template <typename Wire, typename Model>
  Model Enum(const std::string& field, Wire wire, Model fallback) {
    if (static_cast<int>(wire) == 0) return fallback;
    const std::optional<Model> model = ToModel<Model>(wire);
    if (model) return *model;
    Fail(field, "this benchd does not know the value " + std::to_string(static_cast<int>(wire)),
         "is the client newer than the daemon?");
    return fallback;
  }

  double Finite(const std::string& field, double value) {
    if (!std::isfinite(value)) Fail(field, "is no finite number");
    return value;
  }

  Nanoseconds Duration(const std::string& field, double seconds) {
    // 2^63 ns are 292 years; a century is safely below.
    constexpr double kMaxSeconds = 100.0 * 365 * 24 * 3600;
    if (std::isfinite(seconds) && seconds > 0 && seconds <= kMaxSeconds) {
      // To the nearest: 0.29 s is a little less in binary, and loses no nanosecond by it.
      const auto rounded = std::chrono::round<Nanoseconds>(std::chrono::duration<double>(seconds));
      return std::max(rounded, Nanoseconds(1));
    }
    Fail(field, "is no duration of more than 0 seconds and less than a century");
    return {};
  }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace benchd::convert
