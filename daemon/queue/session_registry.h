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
#include "daemon/queue/access.h"

namespace benchd {

/// Clears the values of all environment variables; their names stay on record.
void ForgetEnvironmentValues(SessionSpec& spec);
/// Clears all values and also removes the caller's variables, whose names are the larger part of a
/// record.
void ForgetEnvironment(SessionSpec& spec);

/// Returns the session in `found` whose ID begins with `prefix`. Only sessions that the caller may
/// use are considered, so IDs of other users never make a prefix ambiguous.
/// @errors kNotFound; kInvalidArgument if several match; kPermissionDenied if `prefix` is the
/// complete ID of another user's session.
Result<SessionId> ChooseSession(const AccessPolicy& policy, const Caller& caller,
                                const std::string& prefix, const std::vector<SessionView>& found);

/// The sessions that have not ended, without their environments. Their states may be newer than the
/// stored ones. Sessions that have ended are only in the store. Owned by the queue, on the loop's
/// thread.
class SessionRegistry {
 public:
  /// Adds a session; `key` is the key of its row in the store.
  void Add(std::uint64_t key, SessionRecord record);

  /// Replaces the state of a session, and removes the session if it has ended. Its spec gets the
  /// benchmarks that were found in its programs.
  void Set(SessionSnapshot snapshot);
  void SetPriority(const SessionId& id, std::int32_t priority);

  /// Returns a session that has not ended, or nullptr. The pointer is valid until the session ends.
  const SessionRecord* Find(const SessionId& id) const;
  /// Returns the HeldBytes() of a session that has not ended.
  std::uint64_t BytesOf(const SessionId& id) const { return entries_.at(id).bytes; }
  std::uint64_t KeyOf(const SessionId& id) const { return entries_.at(id).key; }

  /// Returns the sessions that match the filter, newest first.
  std::vector<SessionView> List(const SessionFilter& filter) const;
  /// Returns the sessions whose IDs begin with `prefix`.
  std::vector<SessionView> Matching(const std::string& prefix) const;

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t bytes = 0;  // HeldBytes() of the spec as submitted
    SessionRecord record;
  };
  static SessionView ViewOf(const Entry& entry);

  std::map<SessionId, Entry> entries_;
  std::map<std::uint64_t, const Entry*> by_key_;
};

}  // namespace benchd
