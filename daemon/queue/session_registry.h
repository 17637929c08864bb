#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Who may do more than look after their own sessions.
struct AccessPolicy {
  bool allow_root = false;  ///< may uid 0 run children?
  /// user mode: everything belongs to one user, who may do all.
  bool single_user = false;
  std::optional<std::uint32_t> admin_gid;  ///< members may do all; root always may
  std::optional<std::uint32_t> push_gid;   ///< benchd-push's: may read everybody's summaries
};

/// Root, members of the admin group, and in user mode everybody.
bool IsAdmin(const AccessPolicy& policy, const Caller& caller);

/// Watch, show, export, cancel: the owner, by uid, and admins.
bool MayUse(const AccessPolicy& policy, const Caller& caller, std::uint32_t owner);

/// Raising a priority is for admins, from whatever it is. @errors kPermissionDenied.
Result<void> CheckMayPrioritise(const AccessPolicy& policy, const Caller& caller, std::int32_t from,
                                std::int32_t to);

/// @errors kPermissionDenied: uid 0 without allow_root; a raised priority or a setting of
///         the machine profile left out without being admin; a caller whose limits are unknown,
///         except in user mode, where benchd's own are theirs.
Result<void> CheckMaySubmit(const AccessPolicy& policy, const SessionSpec& spec);

/// @errors kPermissionDenied naming what was asked.
Result<void> CheckMayAdminister(const AccessPolicy& policy, const Caller& caller,
                                std::string_view action);

/// Everybody's summaries. @errors kPermissionDenied.
Result<void> CheckMayReadAll(const AccessPolicy& policy, const Caller& caller);

/// Names of environment variables stay for the record, values do not.
void ForgetEnvironmentValues(SessionSpec& spec);
/// The names of the caller's environment do not stay either: they are the larger part of a record.
void ForgetEnvironment(SessionSpec& spec);

/// The session that a prefix of its id names, of those `found`: what the caller may use, so that
/// others' ids never make a prefix ambiguous, and another user's session of that whole id.
/// @errors kNotFound; kInvalidArgument when it fits several; kPermissionDenied for another's id.
Result<SessionId> ChooseSession(const AccessPolicy& policy, const Caller& caller,
                                const std::string& prefix, const std::vector<SessionView>& found);

/// The sessions that have not ended, without their environments: how they stand now, which may be
/// newer than what is stored. The others are the store's alone. Owned by the queue, on the loop's
/// thread.
class SessionRegistry {
 public:
  /// `key` is that of its row in the store.
  void Add(std::uint64_t key, SessionRecord record);

  /// How a session stands now; one that has ended leaves.
  void Set(SessionSnapshot snapshot);
  void SetPriority(const SessionId& id, std::int32_t priority);

  /// A session that has not ended, or nullptr; valid until it has.
  const SessionRecord* Find(const SessionId& id) const;
  /// HeldBytes() of a session that has not ended.
  std::uint64_t BytesOf(const SessionId& id) const { return entries_.at(id).bytes; }
  std::uint64_t KeyOf(const SessionId& id) const { return entries_.at(id).key; }

  /// Those that a filter selects, the newest first.
  std::vector<SessionView> List(const SessionFilter& filter) const;
  /// Those whose ids begin with `prefix`.
  std::vector<SessionView> Matching(const std::string& prefix) const;

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t bytes = 0;  // as submitted
    SessionRecord record;
  };
  static SessionView ViewOf(const Entry& entry);

  std::map<SessionId, Entry> entries_;
  std::map<std::uint64_t, const Entry*> by_key_;
};

}  // namespace benchd
