#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daemon/observe/doctor.h"
#include "daemon/observe/sample.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/support/seed.h"

namespace benchd {
namespace {

/// Every file that samples, facts and the doctor read, with a text to mutate.
struct Sheet {
  const char* path;
  const char* text;
};
constexpr Sheet kSheets[] = {
    {"proc/stat", "cpu  1 2 3 4\ncpu0 10 20 30 400 5 6 7 8 0 0\ncpu1 11 21 31 401 5 6 7 8 9 0"},
    {"proc/schedstat", "version 15\ntimestamp 7\ncpu0 1 0 3 4 5 6 7 8 9\ncpu1 1 0 3 4 5 6 7 8 9"},
    {"proc/interrupts", "   CPU0 CPU1\n 1: 2 3 IO-APIC 1-edge a, b\nLOC: 4 5 Local timer"},
    {"proc/42/stat",
     "42 (a b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
     "31 32 33 34 35 36 1 38"},
    {"proc/cpuinfo", "model name : x\nmicrocode : 0x1\nflags : fpu hypervisor"},
    {"proc/meminfo", "MemTotal: 10 kB\nSwapTotal: 10 kB\nSwapFree: 5 kB"},
    {"proc/loadavg", "0.1 0.2 0.3 1/2 3"},
    {"proc/uptime", "12.5 3.4"},
    {"proc/cmdline", "quiet"},
    {"proc/sys/kernel/osrelease", "6.1.0"},
    {"proc/sys/kernel/randomize_va_space", "0"},
    {"sys/devices/system/cpu/online", "0-1"},
    {"sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1"},
    {"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3"},
    {"sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3600000"},
    {"sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "3600000"},
    {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"},
    {"sys/devices/system/cpu/cpu1/cpuidle/state2/latency", "100"},
    {"sys/devices/system/cpu/cpu1/cpuidle/state2/name", "C6"},
    {"sys/devices/system/cpu/cpufreq/boost", "1"},
    {"sys/devices/system/cpu/smt/control", "on"},
    {"sys/devices/system/cpu/vulnerabilities/mds", "Mitigation: a; b"},
    {"sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"},
    {"sys/class/dmi/id/product_name", "box"},
    {"etc/systemd/system/apt-daily.timer", "[Timer]"},
};

class RandomBytes {
 public:
  explicit RandomBytes(unsigned seed) : random_(seed) {}

  /// Random bytes, or `text` with some characters replaced and its end cut off.
  std::string From(const std::string& text) {
    std::string bytes = text;
    if (Below(4) == 0) bytes.assign(Below(200), ' ');
    const std::size_t changes = bytes.size() > text.size() / 2 ? 1 + Below(6) : bytes.size();
    static constexpr std::string_view kTelling = "0123456789-:,() \n\t\0\xff";
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
      bytes[Below(bytes.size())] =
          Below(2) == 0 ? kTelling[Below(kTelling.size())] : static_cast<char>(Below(256));
    }
    if (Below(3) == 0) bytes.resize(Below(bytes.size() + 1));
    if (Below(8) == 0) bytes += " 99999999999999999999999";
    return bytes;
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }

 private:
  std::mt19937 random_;
};

TEST(RandomBytesTest, NoFileOfTheKernelsCanBreakTheRunner) {
  const unsigned seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBytes random(seed);
  ProfileCpus cpus;
  cpus.housekeeping = {0};
  cpus.benchmark = {0, 1};
  cpus.used = {1};
  const std::vector<SettingState> settings(1);
  KernelTree tree;
  const KernelFiles files(tree.root());
  for (const Sheet& sheet : kSheets) tree.Put(sheet.path, sheet.text);
  MachineSample after = TakeSample(files, {0, 1});
  for (int round = 0; round < 100; ++round) {
    const MachineSample before = std::exchange(after, {});
    for (const Sheet& sheet : kSheets) {
      const bool whole = random.Below(3) == 0;
      tree.Put(sheet.path, whole ? sheet.text : random.From(sheet.text));
    }
    after = TakeSample(files, {0, 1});
    for (const auto& [pid, process] : after.processes) {
      for (const char c : process.name) ASSERT_TRUE(c >= ' ' && c <= '~') << "seed " << seed;
    }
    for (const auto& [from, to] :
         {std::pair(&before, &std::as_const(after)), std::pair(&std::as_const(after), &before)}) {
      for (const Warning& warning : CompareSamples(*from, *to, {0, 1})) {
        ASSERT_NE(warning.message, "") << "seed " << seed;
      }
      for (const NoiseSource& source : Diagnose(files, cpus, settings, *from, *to)) {
        ASSERT_FALSE(source.effect && !(*source.effect > 0)) << source.name << ", seed " << seed;
      }
    }
    for (const auto& [name, value] : ReadEnvironment(files).facts) {
      ASSERT_NE(value, "") << name << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace benchd
