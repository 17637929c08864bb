#pragma once

#include <cstdint>

namespace benchd {

/// The memory that the contents of a run's files may still take, in bytes. The limits of this
/// process allow for a large file or two; those that no longer fit are read without inlined
/// functions, or not at all.
class ReadBudget {
 public:
  explicit ReadBudget(std::uint64_t bytes) : left_(bytes) {}
  /// Returns half of the address space that this process may use.
  static ReadBudget OfThisProcess();

  /// Returns whether `bytes` more may be read, and if so, subtracts them.
  bool Take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::uint64_t left_;
};

}  // namespace benchd
