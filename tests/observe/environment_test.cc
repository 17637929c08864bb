#include <gtest/gtest.h>

#include "daemon/observe/sample.h"
#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

TEST(EnvironmentTest, ReadsTheFactsInTheirOrder) {
  KernelTree tree;
  tree.Put("proc/sys/kernel/hostname", "quiet1\n");
  tree.Put("proc/sys/kernel/osrelease", "6.1.0-18-amd64");
  tree.Put("proc/cmdline", "BOOT_IMAGE=/vmlinuz quiet");
  tree.Put("proc/cpuinfo",
           "processor\t: 0\nmodel\t\t: 2\nmodel name\t: Some CPU\n\nprocessor\t: 1");
  tree.Put("sys/devices/system/cpu/online", "0-1");
  tree.Put("proc/meminfo", "MemTotal:       16318564 kB\nMemFree: 1 kB");
  tree.Put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
  tree.Put("proc/loadavg", "0.50 0.40 0.30 1/200 4711");
  tree.Put("proc/sys/kernel/random/boot_id", "b0b0");
  EXPECT_EQ(ReadEnvironment(KernelFiles(tree.root())).facts,
            (Facts{{"hostname", "quiet1"},
                   {"kernel", "6.1.0-18-amd64"},
                   {"kernel_command_line", "BOOT_IMAGE=/vmlinuz quiet"},
                   {"cpu", "Some CPU"},
                   {"cpus", "0-1"},
                   {"memory_bytes", "16710209536"},  // 16318564 * 1024
                   {"clocksource", "tsc"},
                   {"load", "0.50"},
                   {"boot_id", "b0b0"},
                   {"load_5m", "0.40"},
                   {"load_15m", "0.30"}}));
}

TEST(EnvironmentTest, LeavesOutWhatCannotBeRead) {
  KernelTree tree;
  tree.Put("proc/meminfo", "nothing here");
  tree.Put("proc/loadavg", "1.25");
  EXPECT_EQ(ReadEnvironment(KernelFiles(tree.root())).facts, (Facts{{"load", "1.25"}}));
}

class EnvironmentFactTest : public testing::Test {
 protected:
  /// The value of a fact; "absent" if it is left out.
  std::string Fact(const std::string& name) const {
    for (const auto& [key, value] : ReadEnvironment(KernelFiles(tree_.root())).facts) {
      if (key == name) return value;
    }
    return "absent";
  }

  KernelTree tree_;
};

TEST_F(EnvironmentFactTest, AnArmProcessorIsNamedByItsNumbersEachTypeOnce) {
  const std::string little =
      "processor\t: 0\nFeatures\t: fp\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
      "CPU variant\t: 0x0\nCPU part\t: 0xd03\nCPU revision\t: 4\n";
  const std::string big = "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
  tree_.Put("proc/cpuinfo", little + "\n" + big + "\n" + little);
  EXPECT_EQ(Fact("cpu"),
            "implementer 0x41, variant 0x0, part 0xd03, revision 4; implementer 0x41, part 0xd0c");
}

TEST_F(EnvironmentFactTest, AVirtualMachineIsToldByItsFirmwareWhereTheProcessorDoesNotTell) {
  tree_.Put("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
  EXPECT_EQ(Fact("hypervisor"), "absent");
  tree_.Put("sys/class/dmi/id/product_name", "KVM Virtual Machine");
  EXPECT_EQ(Fact("hypervisor"), "KVM Virtual Machine");
  // Amazon's real and virtual machines have the same vendor.
  tree_.Put("sys/class/dmi/id/sys_vendor", "Amazon EC2");
  tree_.Put("sys/class/dmi/id/product_name", "c7g.metal");
  EXPECT_EQ(Fact("hypervisor"), "absent");
  tree_.Put("sys/class/dmi/id/product_name", "c7g.large");
  EXPECT_EQ(Fact("hypervisor"), "c7g.large");
}

TEST_F(EnvironmentFactTest, AVirtualMachineWithoutFirmwareIsToldByItsDeviceTree) {
  tree_.Put("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
  tree_.Put("proc/device-tree/memory@40000000/reg", "");
  EXPECT_EQ(Fact("hypervisor"), "absent");
  tree_.Put("proc/device-tree/fw-cfg@9020000/compatible", "qemu,fw-cfg-mmio");
  EXPECT_EQ(Fact("hypervisor"), "unknown");
}

TEST_F(EnvironmentFactTest, TheLoadOfOneFiveAndFifteenMinutesAndTheUptime) {
  tree_.Put("proc/loadavg", "0.50 1.40 2.30 1/200 4711");
  tree_.Put("proc/uptime", "350735.47 234388.90");
  EXPECT_EQ(Fact("load"), "0.50");
  EXPECT_EQ(Fact("load_5m"), "1.40");
  EXPECT_EQ(Fact("load_15m"), "2.30");
  EXPECT_EQ(Fact("uptime_s"), "350735");
}

TEST_F(EnvironmentFactTest, SwapSpaceAlsoWhereThereIsNone) {
  tree_.Put("proc/meminfo", "MemTotal: 8 kB\nSwapTotal:       2097148 kB\nSwapFree: 1 kB");
  EXPECT_EQ(Fact("swap_bytes"), "2147479552");  // 2097148 * 1024
  tree_.Put("proc/meminfo", "SwapTotal: 0 kB");
  EXPECT_EQ(Fact("swap_bytes"), "0");
}

// printf 'benchd machine 1' | openssl dgst -sha256 -hmac 00112233445566778899aabbccddeeff
TEST_F(EnvironmentFactTest, TheMachinesNameIsAKeyedHashOfItsId) {
  EXPECT_EQ(Fact("machine"), "absent");
  tree_.Put("etc/machine-id", "00112233445566778899aabbccddeeff\n");
  EXPECT_EQ(Fact("machine"), "b35b04a0af0cb7ec337aeefe24a25937");
  for (const char* other : {"", "uninitialized", "00112233445566778899AABBCCDDEEFF", "0011"}) {
    tree_.Put("etc/machine-id", other);
    EXPECT_EQ(Fact("machine"), "absent") << other;
  }
}

TEST_F(EnvironmentFactTest, MicrocodeFromWhereItStands) {
  tree_.Put("sys/devices/system/cpu/cpu0/microcode/version", "0xb4");
  EXPECT_EQ(Fact("microcode"), "0xb4");
  tree_.Put("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xd000390");
  EXPECT_EQ(Fact("microcode"), "0xd000390");
}

TEST_F(EnvironmentFactTest, MitigationsInTheirFirstWords) {
  const std::string folder = "sys/devices/system/cpu/vulnerabilities/";
  EXPECT_EQ(Fact("mitigations"), "absent");
  tree_.Put(folder + "mds", "Not affected");
  EXPECT_EQ(Fact("mitigations"), "not affected");
  tree_.Put(folder + "spectre_v2", "Mitigation: Enhanced IBRS; IBPB: conditional; STIBP: off");
  tree_.Put(folder + "l1tf", "Mitigation: PTE Inversion");
  tree_.Put(folder + "retbleed", "Vulnerable");
  EXPECT_EQ(Fact("mitigations"),
            "l1tf=PTE Inversion; retbleed=Vulnerable; spectre_v2=Enhanced IBRS");
}

TEST_F(EnvironmentFactTest, TheSwitchOfSmtAndWhetherItIsInUse) {
  tree_.Put("sys/devices/system/cpu/smt/control", "on");
  EXPECT_EQ(Fact("smt"), "on");
  tree_.Put("sys/devices/system/cpu/smt/active", "1");
  EXPECT_EQ(Fact("smt"), "on, active");
  tree_.Put("sys/devices/system/cpu/smt/control", "notsupported");
  tree_.Put("sys/devices/system/cpu/smt/active", "0");
  EXPECT_EQ(Fact("smt"), "notsupported, not active");
}

TEST_F(EnvironmentFactTest, TheDriversOfFrequencyAndIdleness) {
  tree_.Put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate");
  tree_.Put("sys/devices/system/cpu/cpuidle/current_driver", "intel_idle");
  EXPECT_EQ(Fact("cpufreq_driver"), "intel_pstate");
  EXPECT_EQ(Fact("idle_driver"), "intel_idle");
}

TEST_F(EnvironmentFactTest, AHypervisorIsKnownByItsFlagAndNamedByWhatItSays) {
  tree_.Put("sys/class/dmi/id/product_name", "Standard PC");
  tree_.Put("proc/cpuinfo", "processor : 0\nflags : fpu tsc hypervisors");
  EXPECT_EQ(Fact("hypervisor"), "absent");
  tree_.Put("proc/cpuinfo", "processor : 0\nflags : fpu tsc hypervisor lahf_lm");
  EXPECT_EQ(Fact("hypervisor"), "Standard PC");
  tree_.Put("sys/class/dmi/id/product_name", "");
  EXPECT_EQ(Fact("hypervisor"), "unknown");
  tree_.Put("sys/hypervisor/type", "xen");
  EXPECT_EQ(Fact("hypervisor"), "xen");
}

}  // namespace
}  // namespace benchd
