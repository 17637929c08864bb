#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/settings/journal.h"
#include "daemon/settings/setting.h"

namespace benchd {

/// The dependencies of a lease. The referenced objects must outlive every lease.
struct SettingServices {
  const Settings& settings;
  Journal& journal;
  std::string boot_id;
};

/// A setting and its new value.
struct SettingChange {
  SettingKey key;
  std::string value;
  /// If the kernel refuses this change, Take() returns it and still makes the other changes.
  bool optional = false;
};

/// An optional change that was refused.
struct RefusedChange {
  SettingKey key;
  Error error;  ///< names the setting, the file and the reason
};

/// Returns true if a setting takes CPUs offline and must therefore be restored before all others.
///
/// Since Linux 6.2, a thread keeps its CPU mask when it moves to a cpuset with the same CPUs. While
/// CPUs are offline, the old and the new cpuset can have the same CPUs. If the cpuset were restored
/// first, all threads of the machine would therefore stay off the CPUs that come back later.
/// Source: cpuset_attach() in kernel/cgroup/cpuset.c, "cpus_updated".
constexpr bool GoesBackFirst(SettingKind kind) { return kind == SettingKind::kSmt; }

/// Restores an entry's old value if the present value is the one that we wrote. Does nothing if the
/// old value is already present.
///
/// @return empty, or a sentence about a value that was not restored because another program changed
///         it ("governor of CPU 3: left at 'ondemand', which another program has set") or because
///         it cannot be written
std::string PutBack(const Settings& settings, const JournalEntry& entry);

/// A stack of changed settings. Release() or the destructor restores them in reverse order;
/// Release() can also restore only the upper part. Neither copyable nor movable.
class SettingsLease {
 public:
  explicit SettingsLease(SettingServices services) : services_(std::move(services)) {}
  SettingsLease(const SettingsLease&) = delete;
  SettingsLease& operator=(const SettingsLease&) = delete;
  ~SettingsLease() { Release(); }

  /// Makes the changes. For each, reads the old value, writes the journal, writes the new value and
  /// reads it back. A setting that already has its new value is not changed and will not be
  /// restored.
  ///
  /// @return the optional changes that were refused
  /// @errors the error of the first refused change that is not optional, with the file and the
  ///         reason. The earlier changes of this call have then been undone.
  Result<std::vector<RefusedChange>> Take(const std::vector<SettingChange>& changes);

  /// Records settings that a later change may alter as a side effect. They are written to the
  /// journal at once, and restored like settings that Take() changed to these new values.
  /// @errors those of Journal::AppendAll()
  Result<void> Note(const std::vector<JournalEntry>& entries);

  /// Returns the number of settings that must be restored.
  std::size_t size() const { return entries_.size(); }
  const Settings& settings() const { return services_.settings; }

  /// Restores all settings except the first `kept`. Idempotent. @return sentences about values that
  /// were not restored, see PutBack()
  std::vector<std::string> Release(std::size_t kept = 0);

 private:
  Result<void> Change(const SettingChange& change);
  std::string Undo(JournalEntry entry);

  SettingServices services_;
  std::vector<JournalEntry> entries_;
};

/// Restores all settings in a journal in reverse order, but those with GoesBackFirst() before the
/// others, and then empties the journal. Drops entries of another boot, because the reboot has
/// reset their settings. If the kernel refuses an old value, the entry is kept for a later attempt.
///
/// @return sentences about settings that were restored ("2 settings were restored") or left
/// @errors those of Journal::Read(), and kFailedPrecondition for an empty `boot_id`. Nothing was
///         written then.
Result<std::vector<std::string>> RestoreFrom(Journal& journal, const Settings& settings,
                                             std::string_view boot_id);

}  // namespace benchd
