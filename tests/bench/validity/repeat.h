#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace benchd::validity {

/// Calls body(repetition, tally) for every repetition, in several threads, and adds their tallies:
/// vectors of values with an integer `+=`, so that `thread_count` does not change a figure.
///
/// @param empty  an empty tally of the same length as those that `body` receives.
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
