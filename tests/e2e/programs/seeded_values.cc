// A program whose numbers carry no machine noise: prints seeded values for `--parse lines`.
//
//   seeded_values COUNTER_FILE SEED [#LINE | METRIC:MEAN:SD[:DECIMALS[:SHAPE[:TIMES]]]]...
//
// The k-th start that shares a COUNTER_FILE prints, for its i-th metric, MEAN + SD * z with z a
// standard normal variable drawn from (SEED, k, i). Every run is independent of every other, and a
// session with a given --seed prints the same numbers each time.
//
// SHAPE adds a disturbance: FACTOR@FIRST..LAST multiplies the values of the starts FIRST to LAST
// (from 0), FACTOR@half those of a random half, and an empty SHAPE none. TIMES prints that many
// values, as iterations.
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

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), a single step used as a hash.
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

/// The number of programs with this counter file that were started before this one.
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
  double factor = 1;
  bool on_half = false;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int times = 1;

  double FactorOf(std::uint64_t run, std::uint64_t key) const {
    if (on_half) return Mix(key + 1) % 2 == 0 ? factor : 1;
    return run >= first && run <= last ? factor : 1;
  }
};

void ParseShape(const std::string& text, Metric& metric) {
  if (text.empty()) return;
  const std::size_t at = text.find('@');
  const std::size_t dots = text.find("..");
  metric.factor = std::stod(text);
  metric.on_half = text.substr(at + 1) == "half";
  if (metric.on_half) return;
  metric.first = std::stoull(text.substr(at + 1));
  metric.last = std::stoull(text.substr(dots + 2));
}

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
  if (fields.size() > 4) ParseShape(fields[4], metric);
  if (fields.size() > 5) metric.times = std::stoi(fields[5]);
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
    const double factor = metric.FactorOf(run, key);
    for (int time = 0; time < metric.times; ++time) {
      const std::uint64_t draw = time == 0 ? key : Mix(key + static_cast<std::uint64_t>(time));
      const double value = factor * (metric.mean + metric.sd * StandardNormal(draw));
      if (metric.times > 1) std::printf("%d ", time);
      std::printf("%s %.*f\n", metric.name.c_str(), metric.decimals, value);
    }
  }
  return 0;
}
