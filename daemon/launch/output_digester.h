#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <string>

#include "core/model/run.h"

namespace benchd {

/// Computes the digest of a stream piece by piece. Besides the digest's state, it keeps only the
/// first kOutputHeadBytes bytes.
class OutputDigester {
 public:
  OutputDigester() { sha256_init(&context_); }

  void Add(const char* bytes, std::size_t count);
  /// Returns the digest of everything that was added. The digester is empty afterwards.
  OutputDigest Take();

 private:
  sha256_ctx context_{};
  OutputDigest digest_;
};

}  // namespace benchd
