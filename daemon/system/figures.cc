#include "daemon/system/figures.h"

#include <cstdio>

#include "core/base/cpu_list.h"

namespace benchd {
namespace {

std::string Fixed(double value, int decimals, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string Percent(double fraction) {
  const double percent = fraction * 100;
  return Fixed(percent, percent >= 9.95 ? 0 : percent >= 0.095 ? 1 : 2, "%");
}

std::string SecondsText(double seconds) {
  return seconds >= 0.9995 ? Fixed(seconds, 2, "s") : Fixed(seconds * 1e3, 0, "ms");
}

std::string FrequencyText(std::uint64_t khz) {
  const auto value = static_cast<double>(khz);
  return value >= 1e6 ? Fixed(value / 1e6, 2, "GHz") : Fixed(value / 1e3, 0, "MHz");
}

std::string RateText(double per_second) {
  char text[64];
  std::snprintf(text, sizeof(text), per_second < 10 ? "%.1f/s" : "%.0f/s", per_second);
  return text;
}

std::string BytesText(std::uint64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  if (kib < 1024) return Fixed(kib, 0, "KiB");
  if (kib < 1024 * 1024) return Fixed(kib / 1024, 0, "MiB");
  return Fixed(kib / (1024 * 1024), 1, "GiB");
}

std::string CpusText(const std::vector<int>& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + FormatCpuList(cpus);
}

}  // namespace benchd
