#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/settings/lease.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/faulty_files.h"

namespace benchd {

using Sentences = std::vector<std::string>;

/// One sentence a line.
inline std::string LinesOf(const Sentences& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

inline constexpr const char* kBoot = "7d9b1c1e-6a3f-4f7e-9a55-0c2b3d4e5f60";

/// A setting of the test machine, by its file.
struct Place {
  SettingChange change;
  const char* path;
  const char* old_text;
  const char* third;  ///< a value that is neither the old nor the new one
};

inline const std::vector<Place> kPlaces = {
    {{{SettingKind::kIrqAffinity, "24"}, "0"}, "proc/irq/24/smp_affinity_list", "0-3", "1"},
    {{{SettingKind::kWorkqueueCpus, ""}, "0"}, "sys/devices/virtual/workqueue/cpumask", "f", "4"},
    {{{SettingKind::kGovernor, "1"}, "performance"},
     "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
     "ondemand",
     "schedutil"},
    {{{SettingKind::kMaxFrequency, "1"}, "2000000"},
     "sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq",
     "4200000",
     "3000000"},
    {{{SettingKind::kTransparentHugepages, ""}, "never"},
     "sys/kernel/mm/transparent_hugepage/enabled",
     "madvise",
     "always"},
    {{{SettingKind::kSwappiness, ""}, "0"}, "proc/sys/vm/swappiness", "60", "100"},
};

inline std::vector<SettingChange> AllChanges() {
  std::vector<SettingChange> changes;
  for (const Place& place : kPlaces) changes.push_back(place.change);
  return changes;
}

/// A lease with the result of its single Take().
struct TakenLease {
  std::size_t size() const { return lease->size(); }
  const std::vector<RefusedChange>& refused() const { return refused_changes; }
  Sentences Release() const { return lease->Release(); }

  std::unique_ptr<SettingsLease> lease;
  std::vector<RefusedChange> refused_changes;
};

/// A machine with six settings, and a journal in a folder of its own.
class SettingsLeaseTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const Place& place : kPlaces) tree_.Put(place.path, place.old_text);
    tree_.Put("proc/irq/25/smp_affinity_list", "0-3");
    before_ = Values();
    OpenJournal();
  }

  void OpenJournal() {
    journal_.reset();
    auto journal = Journal::Open(journal_path_);
    ASSERT_TRUE(journal) << journal.error().message;
    journal_.emplace(std::move(*journal));
  }

  Result<TakenLease> Take(const std::vector<SettingChange>& changes,
                          const std::string& boot_id = kBoot) {
    TakenLease taken{
        std::make_unique<SettingsLease>(SettingServices{settings_, *journal_, boot_id}), {}};
    auto refused = taken.lease->Take(changes);
    if (!refused) return std::move(refused).error();
    taken.refused_changes = std::move(*refused);
    return taken;
  }
  Sentences Restore() {
    auto sentences = RestoreFrom(*journal_, settings_, kBoot);
    return sentences ? *sentences : Sentences{"error: " + sentences.error().message};
  }

  /// The content of every file without a final newline, which our writes omit.
  std::map<std::string, std::string> Values() const {
    auto all = tree_.Contents();
    for (auto& [path, text] : all) text.erase(text.find_last_not_of('\n') + 1);
    return all;
  }
  std::string Value(const Place& place) const { return *settings_.Read(place.change.key); }
  std::string JournalText() const { return folder_.Get("journal"); }

  KernelTree tree_;
  KernelTree folder_;
  std::string journal_path_ = folder_.root() + "/journal";
  FaultyFiles files_{tree_.root()};
  UnitProperties units_;
  Settings settings_{files_, units_};
  std::optional<Journal> journal_;
  std::map<std::string, std::string> before_;
};

}  // namespace benchd
