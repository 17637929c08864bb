#include "daemon/store/sample_codec.h"

#include <bit>
#include <concepts>
#include <cstddef>
#include <utility>

#include "core/base/error.h"

namespace benchd::store {
namespace {

constexpr std::size_t kBytes = 16;

template <std::unsigned_integral T>
void Put(T value, std::string& bytes) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

/// Takes a number off the front of `bytes`, which is long enough.
template <std::unsigned_integral T>
T Take(std::string_view& bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(sizeof(T));
  return value;
}

}  // namespace

void PackSample(const PackedSample& sample, std::string& bytes) {
  Put(sample.metric, bytes);
  Put(sample.iteration, bytes);
  Put(std::bit_cast<std::uint64_t>(sample.value), bytes);
}

Result<std::vector<PackedSample>> UnpackSamples(std::string_view bytes) {
  if (bytes.size() % kBytes != 0) {
    return Error{ErrorCode::kInternal,
                 "runs.samples: " + std::to_string(bytes.size()) + " bytes are not whole samples",
                 {}};
  }
  std::vector<PackedSample> samples;
  samples.reserve(bytes.size() / kBytes);
  while (!bytes.empty()) {
    PackedSample sample;
    sample.metric = Take<std::uint32_t>(bytes);
    sample.iteration = Take<std::uint32_t>(bytes);
    sample.value = std::bit_cast<double>(Take<std::uint64_t>(bytes));
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace benchd::store
