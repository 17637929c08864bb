#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/journal.h"
#include "daemon/system/setting.h"

namespace benchd {

/// The dependencies of a lease. The references must outlive every lease.
struct SettingServices {
  const Settings& settings;
  Journal& journal;
  std::string boot_id;
};

/// A setting and its new value.
struct SettingChange {
  SettingKey key;
  std::string value;
  /// If the kernel refuses it, the other changes are still made; Take() returns it.
  bool optional = false;
};

/// An optional change that was refused.
struct RefusedChange {
  SettingKey key;
  Error error;  ///< names the setting, the file and the reason
};

/// Whether a setting is restored before all others, whenever it was taken, because it takes CPUs
/// offline. Since Linux 6.2 a thread that moves to a cpuset with the same CPUs keeps its mask.
/// While CPUs are offline, the cpuset that is left and the one that is joined can be the same; if
/// the cpuset were restored first, every thread of the machine would stay off the CPUs that come
/// back after it.
/// Source: cpuset_attach() in kernel/cgroup/cpuset.c, "cpus_updated".
constexpr bool GoesBackFirst(SettingKind kind) { return kind == SettingKind::kSmt; }

/// Restores an entry's old value if the present value is the one that we wrote. Does nothing if the
/// old value is already present.
///
/// @return empty, or a sentence about a value that was left: another program changed it ("governor
///         of CPU 3: left at 'ondemand', which another program has set"), or it cannot be written
std::string PutBack(const Settings& settings, const JournalEntry& entry);

/// A stack of changed settings. Release() or the destructor restores them in reverse order; the
/// upper part can be restored alone. Neither copied nor moved.
class SettingsLease {
 public:
  explicit SettingsLease(SettingServices services) : services_(std::move(services)) {}
  SettingsLease(const SettingsLease&) = delete;
  SettingsLease& operator=(const SettingsLease&) = delete;
  ~SettingsLease() { Release(); }

  /// Makes each change in this order: read the old value, write the journal, write the new value,
  /// read it back. A setting that already has its value is not changed and will not be restored.
  ///
  /// @return the optional changes that were refused
  /// @errors those of the first refused change that is not optional, naming file and reason, after
  ///         the earlier changes of this call have been undone
  Result<std::vector<RefusedChange>> Take(const std::vector<SettingChange>& changes);

  /// Records settings that a later change may alter as a side effect. They are written to the
  /// journal at once, and restored as if we had given them their new values.
  /// @errors those of Journal::AppendAll()
  Result<void> Note(const std::vector<JournalEntry>& entries);

  /// Number of settings that must be restored.
  std::size_t size() const { return entries_.size(); }
  const Settings& settings() const { return services_.settings; }

  /// Restores all but the first `kept`; idempotent. @return sentences about values that were left,
  /// see PutBack()
  std::vector<std::string> Release(std::size_t kept = 0);

 private:
  Result<void> Change(const SettingChange& change);
  std::string Undo(JournalEntry entry);

  SettingServices services_;
  std::vector<JournalEntry> entries_;
};

/// Restores all settings that a journal names, in reverse order except for GoesBackFirst(), and
/// empties it. Drops entries of another boot, because their settings ended with it. If the kernel
/// refuses an old value, the entry is kept for a later attempt.
///
/// @return sentences about settings that were restored ("2 settings were put back") or left
/// @errors those of Journal::Read(), and kFailedPrecondition for an empty `boot_id`; then nothing
///         was written
Result<std::vector<std::string>> RestoreFrom(Journal& journal, const Settings& settings,
                                             std::string_view boot_id);

}  // namespace benchd
