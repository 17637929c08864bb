#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

/// What a list of sessions is asked for.
struct SessionFilter {
  bool all = false;  ///< ended ones too
  std::optional<SessionState> state;
  std::map<std::string, std::string> labels;  ///< all must match
  std::uint64_t before = UINT64_MAX;          ///< only what was submitted before that place
  std::size_t limit = SIZE_MAX;               ///< how many at most
};

/// A session as everybody may see it.
struct SessionView {
  SessionId id;
  SessionState state = SessionState::kQueued;
  std::uint32_t uid = 0;
  bool whole = false;          ///< whether who asked may see all of it
  std::uint64_t sequence = 0;  ///< its place in the order of submission
};

/// A piece of a list of sessions.
struct SessionPage {
  std::vector<SessionView> views;
  /// Only what was submitted before that place has not been looked at, and has to be asked for:
  /// SessionFilter::before.
  std::optional<std::uint64_t> rest;
};

/// Names of environment variables stay for the record, values do not.
void ForgetEnvironmentValues(SessionSpec& spec);
/// The names of the caller's environment do not stay either: they are the larger part of a record.
void ForgetEnvironment(SessionSpec& spec);

/// All sessions that are kept, by id, by submission and by the client's request, and who may see
/// them.
///
/// In memory: the records of those that have not ended, without their environments, and the heads
/// of the others, of which there may be a hundred thousand. Owned by the queue, on the loop's
/// thread.
class SessionRegistry {
 public:
  explicit SessionRegistry(AccessPolicy policy) : policy_(policy) {}

  /// @return its place in the order of submission.
  std::uint64_t Add(SessionRecord record);
  std::uint64_t Add(SessionHead ended);
  void Remove(const SessionId& id);

  /// How a session stands now that has not ended before: that is its last change.
  void Set(SessionSnapshot snapshot);
  void SetPriority(const SessionId& id, std::int32_t priority);

  /// A session that has not ended, or nullptr; valid until it has.
  const SessionRecord* Find(const SessionId& id) const;
  /// Any session that is kept, or nullptr; valid until it is removed.
  const SessionHead* FindHead(const SessionId& id) const;
  /// HeldBytes() of a session that has not ended.
  std::uint64_t BytesOf(const SessionId& id) const { return entries_.at(id).bytes; }
  std::uint64_t SequenceOf(const SessionId& id) const { return entries_.at(id).sequence; }
  /// What this request of that user's has become.
  std::optional<SessionId> OfRequest(std::uint32_t uid, const std::string& request_id) const;

  /// The session that a prefix of its id names. Looked up among what the caller may use, so that
  /// others' ids never make a prefix ambiguous.
  /// @errors kNotFound; kInvalidArgument when it fits several; kPermissionDenied for another's id.
  Result<SessionId> LookUp(const Caller& caller, const std::string& prefix) const;

  /// The newest first. Costs what it looks at, which is no more than kMostLookedAt: without `all`,
  /// of those that have not ended.
  SessionPage List(const Caller& caller, const SessionFilter& filter) const;
  /// Some milliseconds of the loop's.
  static constexpr std::size_t kMostLookedAt = 10'000;

 private:
  struct Entry {
    SessionHead head;
    std::unique_ptr<SessionRecord> record;  // until it ends
    std::uint64_t sequence = 0;
    std::uint64_t bytes = 0;  // as submitted
  };
  using Order = std::map<std::uint64_t, const SessionHead*>;  // by submission

  Entry& Insert(SessionHead head);
  std::optional<SessionView> ViewOf(const SessionHead& head, const Caller& caller,
                                    const SessionFilter& filter) const;

  const AccessPolicy policy_;
  std::map<SessionId, Entry> entries_;
  Order all_;
  Order active_;  // those that have not ended
  std::uint64_t next_sequence_ = 0;
  std::map<std::pair<std::uint32_t, std::string>, SessionId> requests_;  // by uid and request id
};

}  // namespace benchd
