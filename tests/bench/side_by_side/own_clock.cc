// A program that measures itself: `own_clock MICROSECONDS` is busy until that much wall time has
// passed since its first statement, and prints the readings of its clocks in seconds:
//
//     own_wall S    from the first statement to the last but one
//     own_cpu S     CPU time between the same two

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

std::int64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t begin = Now(CLOCK_MONOTONIC);
  const std::int64_t cpu_begin = Now(CLOCK_PROCESS_CPUTIME_ID);
  const std::int64_t length = argc > 1 ? std::strtoll(argv[1], nullptr, 10) * 1000 : 0;
  while (Now(CLOCK_MONOTONIC) - begin < length) {
  }
  const std::int64_t cpu_end = Now(CLOCK_PROCESS_CPUTIME_ID);
  const std::int64_t end = Now(CLOCK_MONOTONIC);
  std::printf("own_wall %.9f\nown_cpu %.9f\n", static_cast<double>(end - begin) * 1e-9,
              static_cast<double>(cpu_end - cpu_begin) * 1e-9);
  return 0;
}
