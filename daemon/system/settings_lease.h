#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/journal.h"
#include "daemon/system/setting.h"

namespace benchd {

/// What it takes to change a setting and to be able to take it back. The references outlive every
/// lease.
struct SettingServices {
  const Settings& settings;
  Journal& journal;
  std::string boot_id;
};

/// A setting that is to get a value.
struct SettingChange {
  SettingKey key;
  std::string value;
  /// Where the kernel refuses it, the others go on; it is listed in refused().
  bool optional = false;
};

/// An optional change that could not be had.
struct RefusedChange {
  SettingKey key;
  Error error;  ///< names the setting, the file and the reason
};

/// Whether it is given back before all others, whenever it was taken: it has CPUs offline. Since
/// Linux 6.2 a thread that leaves a cpuset for one with the same CPUs keeps its mask. Among the
/// CPUs that are online, a cpuset that is given back first can be the same: then every thread of
/// the machine stays off the CPUs that come back after it.
/// Source: cpuset_attach() in kernel/cgroup/cpuset.c, "cpus_updated".
constexpr bool GoesBackFirst(SettingKind kind) { return kind == SettingKind::kSmt; }

/// Puts an entry's old value back, if the present one is what we wrote.
///
/// @return empty, or a sentence on what was left alone: the value was changed by somebody else
///         ("governor of CPU 3: left at 'ondemand', which somebody else has set"), or cannot be
///         written. A value that is the old one already needs nothing.
std::string PutBack(const Settings& settings, const JournalEntry& entry);

/// Settings that have been changed and are given back, in reverse order, by Release() or with the
/// object: a stack, whose upper part can be given back by itself. Neither copied nor moved.
class SettingsLease {
 public:
  explicit SettingsLease(SettingServices services) : services_(std::move(services)) {}
  SettingsLease(const SettingsLease&) = delete;
  SettingsLease& operator=(const SettingsLease&) = delete;
  ~SettingsLease() { Release(); }

  /// Gives each setting its value, in this order: old value read, journal, write, read back. One
  /// that has its value already is left alone and not given back.
  ///
  /// @return the optional ones that were refused.
  /// @errors of the first change that is refused and not optional, naming file and reason, after
  ///         those of this call have been undone.
  Result<std::vector<RefusedChange>> Take(const std::vector<SettingChange>& changes);

  /// Settings that a later change may undo for others. They are only noted, all in one write of the
  /// journal, and given back as if we had given them their new values.
  /// @errors those of Journal::AppendAll().
  Result<void> Note(const std::vector<JournalEntry>& entries);

  /// How many settings it holds away from their old value.
  std::size_t size() const { return entries_.size(); }
  const Settings& settings() const { return services_.settings; }

  /// Gives back all but the first `kept`; idempotent. @return sentences on what was left alone, see
  /// PutBack().
  std::vector<std::string> Release(std::size_t kept = 0);

 private:
  Result<void> Change(const SettingChange& change);
  std::string Undo(JournalEntry entry);

  SettingServices services_;
  std::vector<JournalEntry> entries_;
};

/// Gives back everything that a journal names, in reverse order but for what GoesBackFirst(), and
/// empties it; entries of another
/// boot are forgotten, as that boot's settings are gone. Where the kernel refuses an old value, its
/// entry stays for another time.
///
/// @return sentences on what was put back ("2 settings were put back") and what was left alone.
/// @errors those of Journal::Read(), and kFailedPrecondition for an empty `boot_id`: then nothing
///         was written.
Result<std::vector<std::string>> RestoreFrom(Journal& journal, const Settings& settings,
                                             std::string_view boot_id);

}  // namespace benchd
