// Programs to sample (test_explain.py). Each deed takes about a tenth of a second of CPU time.
//
//   profiled work N           four functions; Grow does N times its usual work
//   profiled exec N           executes itself N times, and then works
//   profiled mapped FILE      executes code that it has written behind the first page of FILE
//   profiled jit FILE         executes code at kPlace, for which FILE becomes /tmp/perf-PID.map
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr std::uint64_t kSteps = 12'000'000;  // about 25 ms on a CPU of 2020
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kCodeBytes = 256;  // more than Spin has
constexpr std::uintptr_t kPlace = 0x10'0000'0000;

// The loops differ in their constants, so that no compiler merges the functions.
#define STEPS(x, steps, factor)                 \
  for (std::uint64_t i = 0; i < (steps); ++i) { \
    (x) = (x) * (factor) + i;                   \
    (x) ^= (x) >> 29;                           \
  }

[[gnu::noinline]] std::uint64_t Parse(std::uint64_t x) {
  STEPS(x, kSteps, 6364136223846793005ULL)
  return x;
}

[[gnu::noinline]] std::uint64_t Merge(std::uint64_t x) {
  STEPS(x, kSteps, 2862933555777941757ULL)
  return x;
}

[[gnu::noinline]] std::uint64_t Print(std::uint64_t x) {
  STEPS(x, kSteps, 3202034522624059733ULL)
  return x;
}

[[gnu::noinline]] std::uint64_t Grow(std::uint64_t x, std::uint64_t times) {
  STEPS(x, times * kSteps, 3935559000370003845ULL)
  return x;
}

// Its code is copied: it calls nothing, and has no data but its constants.
[[gnu::noinline]] std::uint64_t Spin(std::uint64_t steps) {
  std::uint64_t x = 1;
  STEPS(x, steps, 4768777513237032717ULL)
  return x;
}

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(3);
}

std::uint64_t Work(std::uint64_t times) { return Print(Grow(Merge(Parse(1)), times)); }

std::uint64_t SpinAt(void* code) {
  char* const begin = static_cast<char*>(code);
  __builtin___clear_cache(begin, begin + kCodeBytes);
  std::uint64_t (*function)(std::uint64_t) = nullptr;
  std::memcpy(&function, &code, sizeof function);
  return function(4 * kSteps);
}

// The address of the code of Spin.
const void* SpinCode() {
  std::uint64_t (*const function)(std::uint64_t) = Spin;
  const void* code = nullptr;
  std::memcpy(&code, &function, sizeof code);
  return code;
}

std::uint64_t Execute(char** argv, long times) {
  if (times <= 0) return Work(1);
  std::string left = std::to_string(times - 1);
  char* next[] = {argv[0], argv[1], left.data(), nullptr};
  execv("/proc/self/exe", next);
  Fail("execv");
}

std::uint64_t RunMapped(const char* path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) Fail(path);
  if (pwrite(fd, SpinCode(), kCodeBytes, kPageBytes) != kCodeBytes) Fail("pwrite");
  void* const begin = mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (begin == MAP_FAILED) Fail("mmap");
  return SpinAt(static_cast<char*>(begin) + kPageBytes);
}

std::uint64_t RunCompiled(const char* map) {
  const std::string name = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  if (link(map, name.c_str()) != 0) Fail(name.c_str());
  void* const place = mmap(reinterpret_cast<void*>(kPlace), kPageBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (place == MAP_FAILED) Fail("mmap");
  std::memcpy(place, SpinCode(), kCodeBytes);
  if (mprotect(place, kPageBytes, PROT_READ | PROT_EXEC) != 0) Fail("mprotect");
  return SpinAt(place);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string deed = argv[1];
  std::uint64_t result = 0;
  if (deed == "exec") result = Execute(argv, std::atol(argv[2]));
  if (deed == "work") result = Work(std::strtoull(argv[2], nullptr, 10));
  if (deed == "mapped") result = RunMapped(argv[2]);
  if (deed == "jit") result = RunCompiled(argv[2]);
  std::printf("%016llx\n", static_cast<unsigned long long>(result));
  return 0;
}
