#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace benchd::validity {

/// Calls body(repetition, tally) for every repetition, in several threads, and adds their tallies:
/// a vector of whatever has `+=` on whole numbers, so that `thread_count` changes no figure.
///
/// @param empty  a tally of nothing, as long as those that `body` is given.
template <typename T, typename Body>
T Repeat(std::uint64_t repetitions, unsigned thread_count, const T& empty, const Body& body) {
  std::vector<T> parts(thread_count, empty);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([repetitions, thread_count, &body, &part = parts[thread], thread] {
      T own = part;
      for (std::uint64_t i = thread; i < repetitions; i += thread_count) body(i, own);
      part = std::move(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  T sum = empty;
  for (const T& part : parts) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  return sum;
}

}  // namespace benchd::validity
