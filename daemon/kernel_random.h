#pragma once

#include <sys/random.h>

#include <cstdint>
#include <stdexcept>

#include "daemon/session/ports.h"

namespace benchd {

/// Random numbers from the kernel, because IDs must not be guessable and seeds must differ between
/// sessions.
class KernelRandom : public RandomSource {
 public:
  std::uint64_t Next() override {
    std::uint64_t value = 0;
    // Requests of up to 256 bytes are never interrupted or cut short once the pool is ready.
    if (::getrandom(&value, sizeof(value), 0) != sizeof(value)) {
      throw std::runtime_error("getrandom failed");
    }
    return value;
  }
};

}  // namespace benchd
