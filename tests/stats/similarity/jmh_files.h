#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace benchd {

using Runs = std::vector<std::vector<double>>;

/// The folder with 40 real JMH benchmarks (s01.f64 to s40.f64 and index.csv); empty if unavailable.
/// Their licence is not stated, so they are not part of this project, and tests that need them are
/// skipped without BENCHD_JMH_DIR.
inline std::filesystem::path JmhFolder() {
  const char* folder = std::getenv("BENCHD_JMH_DIR");
  return folder == nullptr ? "" : folder;
}

inline constexpr const char* kNoJmhFolder =
    "BENCHD_JMH_DIR is not set: the real JMH benchmarks are not at hand";

/// Ten runs of 3000 little-endian doubles, one after the other.
inline Runs ReadJmhFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Runs runs(10, std::vector<double>(3000));
  for (std::vector<double>& run : runs) {
    for (double& value : run) {
      std::uint64_t bits = 0;
      for (unsigned byte = 0; byte < 8; ++byte) {
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(file.get())) << (8 * byte);
      }
      value = std::bit_cast<double>(bits);
    }
  }
  if (!file) return {};
  return runs;
}

}  // namespace benchd
