#include "core/base/time.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace benchd {

std::string FormatRfc3339(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto nanos = std::chrono::duration_cast<Nanoseconds>(time - seconds).count();
  const std::time_t t = seconds.time_since_epoch().count();
  std::tm utc{};
  gmtime_r(&t, &utc);
  std::array<char, 64> buffer{};
  const int length =
      std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09lldZ",
                    utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                    utc.tm_sec, static_cast<long long>(nanos));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace benchd
