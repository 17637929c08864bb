// A program whose numbers carry no machine noise: prints seeded values for `--parse lines`.
//
//   seeded_values COUNTER_FILE SEED [#LINE | METRIC:MEAN:SD[:DECIMALS]]...
//
// The k-th start that shares a COUNTER_FILE prints, for its i-th metric, MEAN + SD * z with z a
// standard normal variable drawn from (SEED, k, i): every run is independent of every other, and a
// session with a given --seed prints the same numbers each time.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), as one step of a hash.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Uniform in (0, 1]: never 0, whose logarithm would be infinite.
double Uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 1) * 0x1p-53; }

/// Box and Muller, Ann. Math. Statist. 29 (1958) 610-611.
double StandardNormal(std::uint64_t key) {
  const double radius = std::sqrt(-2 * std::log(Uniform(Mix(key))));
  return radius * std::cos(2 * std::numbers::pi * Uniform(Mix(~key)));
}

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

/// How many programs with this counter file were started before this one.
std::uint64_t NextCount(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || flock(fd, LOCK_EX) != 0) Fail(path);
  std::uint64_t count = 0;
  if (pread(fd, &count, sizeof count, 0) < 0) Fail(path);
  const std::uint64_t next = count + 1;
  if (pwrite(fd, &next, sizeof next, 0) != sizeof next) Fail(path);
  close(fd);
  return count;
}

struct Metric {
  std::string name;
  double mean = 0;
  double sd = 0;
  int decimals = 6;
};

Metric ParseMetric(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == ':') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (fields.size() < 3) {
    std::fprintf(stderr, "metric '%s': expected NAME:MEAN:SD[:DECIMALS]\n", text.c_str());
    std::exit(2);
  }
  Metric metric{fields[0], std::stod(fields[1]), std::stod(fields[2])};
  if (fields.size() > 3) metric.decimals = std::stoi(fields[3]);
  return metric;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: seeded_values COUNTER_FILE SEED METRIC:MEAN:SD[:DECIMALS]...\n");
    return 2;
  }
  const std::uint64_t run = NextCount(argv[1]);
  const std::uint64_t seed = Mix(std::strtoull(argv[2], nullptr, 10));
  for (int i = 3; i < argc; ++i) {
    if (argv[i][0] == '#') {
      std::puts(argv[i]);
      continue;
    }
    const Metric metric = ParseMetric(argv[i]);
    const std::uint64_t key = Mix(seed ^ Mix(run)) ^ static_cast<std::uint64_t>(i);
    const double value = metric.mean + metric.sd * StandardNormal(key);
    std::printf("%s %.*f\n", metric.name.c_str(), metric.decimals, value);
  }
  return 0;
}
