#include "daemon/settings/lease.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"

namespace benchd {
namespace {

/// The result of restoring an entry.
struct Return {
  enum class Outcome {
    kNothingToDo,  ///< the setting already has its old value
    kPutBack,
    kLeft,     ///< another program has changed the setting, or it no longer exists
    kRefused,  ///< the write failed, but a later attempt may succeed
  };
  Outcome outcome = Outcome::kNothingToDo;
  std::string sentence;
};

Return Try(const Settings& settings, const JournalEntry& entry) {
  using Outcome = Return::Outcome;
  const std::string what = DescribeSetting(entry.key);
  const auto present = settings.Read(entry.key);
  const bool is_thread = entry.key.kind == SettingKind::kThreadCpus;
  if (!present) {
    const bool gone = present.error().code == ErrorCode::kNotFound;
    if (gone && is_thread) return {};
    return {gone ? Outcome::kLeft : Outcome::kRefused,
            what + ": not restored: " + present.error().message};
  }
  if (*present == entry.old_value) {
    // systemd reports the old value as soon as it has accepted the change. If we were killed right
    // then, its drop-in and perhaps the control group's list remain. Writing again removes both.
    if (entry.key.kind != SettingKind::kAllowedCpus) return {};
    const auto again = settings.Write(entry.key, entry.old_value);
    if (again) return {};
    return {Outcome::kRefused, what + ": " + again.error().message};
  }
  if (!SameValue(entry.key.kind, *present, entry.new_value)) {
    // Either the thread's owner has changed its CPUs, which need not be reported, or the thread is
    // still confined; see PutAllBack().
    if (is_thread) return {Outcome::kLeft, {}};
    return {Outcome::kLeft, what + ": left at '" + *present + "', which another program has set"};
  }
  const auto written = settings.Write(entry.key, entry.old_value);
  if (written) return {Outcome::kPutBack, {}};
  return {Outcome::kRefused, what + ": not restored: " + written.error().message};
}

/// The result of restoring several entries.
struct Restored {
  std::size_t put_back = 0;
  std::vector<std::string> left;
  std::vector<JournalEntry> refused;
};

Restored PutAllBack(const Settings& settings, std::vector<JournalEntry> entries) {
  std::stable_partition(entries.begin(), entries.end(),
                        [](const JournalEntry& entry) { return !GoesBackFirst(entry.key.kind); });
  Restored all;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    Return one = Try(settings, *entry);
    if (one.outcome == Return::Outcome::kPutBack) ++all.put_back;
    // A cpuset that could not be restored still confines its threads. They lose their masks only
    // when it is removed later, so their entries are kept.
    const bool waits = one.outcome == Return::Outcome::kLeft && !all.refused.empty() &&
                       entry->key.kind == SettingKind::kThreadCpus;
    if (one.outcome == Return::Outcome::kRefused || waits) all.refused.push_back(*entry);
    // A setting that was changed twice is reported only once.
    const bool told = std::find(all.left.begin(), all.left.end(), one.sentence) != all.left.end();
    if (!one.sentence.empty() && !told) all.left.push_back(std::move(one.sentence));
  }
  std::reverse(all.refused.begin(), all.refused.end());
  return all;
}

}  // namespace

std::string PutBack(const Settings& settings, const JournalEntry& entry) {
  return Try(settings, entry).sentence;
}

Result<std::vector<RefusedChange>> SettingsLease::Take(const std::vector<SettingChange>& changes) {
  const std::size_t before = size();
  std::vector<RefusedChange> refused;
  for (const SettingChange& change : changes) {
    auto changed = Change(change);
    if (changed) continue;
    Error error = std::move(changed).error();
    if (!change.optional) {
      for (const std::string& sentence : Release(before)) error.message += "; " + sentence;
      return error;
    }
    refused.push_back({change.key, std::move(error)});
  }
  return refused;
}

Result<void> SettingsLease::Note(const std::vector<JournalEntry>& entries) {
  auto noted = services_.journal.AppendAll(entries, services_.boot_id);
  if (noted) entries_.insert(entries_.end(), entries.begin(), entries.end());
  return noted;
}

Result<void> SettingsLease::Change(const SettingChange& change) {
  const std::string what = DescribeSetting(change.key);
  auto old_value = settings().Read(change.key);
  if (!old_value) return std::move(old_value).error().Within(what);
  JournalEntry entry{change.key, std::move(*old_value), NormalValue(change.key.kind, change.value)};
  if (entry.old_value == entry.new_value) return {};
  if (!IsValidSetting(entry.key, entry.new_value)) {
    return InvalidArgument(what, "'" + change.value + "' is not a valid value");
  }
  if (!IsValidSetting(entry.key, entry.old_value)) {
    return Error{ErrorCode::kFailedPrecondition, what + ": the present value '" + entry.old_value +
                                                     "' could not be restored later"};
  }
  if (auto noted = services_.journal.Append(entry, services_.boot_id); !noted) {
    return std::move(noted).error().Within(what);
  }
  auto written = settings().Write(entry.key, entry.new_value);
  if (written) {
    entries_.push_back(std::move(entry));
    return {};
  }
  Error error = std::move(written).error().Within(what);
  const std::string left = Undo(std::move(entry));
  if (!left.empty()) error.message += "; " + left;
  return error;
}

/// Undoes a refused write, because the kernel may have changed the value anyway.
std::string SettingsLease::Undo(JournalEntry entry) {
  const auto present = settings().Read(entry.key);
  if (present && *present == entry.old_value) return {};
  if (present && !SameValue(entry.key.kind, *present, entry.new_value) &&
      IsValidSetting(entry.key, *present)) {
    entry.new_value = *present;
    // If we are killed now, or the next write is refused too, the next restore recognises this
    // value as ours.
    static_cast<void>(services_.journal.Append(entry, services_.boot_id));
  }
  const auto written = settings().Write(entry.key, entry.old_value);
  if (written) return {};
  std::string left = "and the old value '" + entry.old_value + "' could not be restored: ";
  entries_.push_back(std::move(entry));
  return left + written.error().message;
}

std::vector<std::string> SettingsLease::Release(std::size_t kept) {
  std::vector<std::string> left;
  while (entries_.size() > kept) {
    std::string sentence = PutBack(settings(), entries_.back());
    entries_.pop_back();
    if (!sentence.empty()) left.push_back(std::move(sentence));
  }
  return left;
}

Result<std::vector<std::string>> RestoreFrom(Journal& journal, const Settings& settings,
                                             std::string_view boot_id) {
  TRY(auto contents, journal.Read());
  std::vector<std::string> sentences;
  Restored done;
  if (!contents.entries.empty() && boot_id.empty()) {
    return Error{
        ErrorCode::kFailedPrecondition,
        journal.path() + ": cannot be restored, because the ID of the current boot is unknown",
        "nothing was changed; check that /proc is mounted"};
  }
  if (!contents.entries.empty() && contents.boot_id != boot_id) {
    sentences.push_back(journal.path() +
                        " is from an earlier boot, so its settings no longer apply");
  } else {
    done = PutAllBack(settings, contents.entries);
  }
  if (done.put_back == 1) sentences.push_back("1 setting was restored");
  if (done.put_back > 1) {
    sentences.push_back(fmt::format("{} settings were restored", done.put_back));
  }
  sentences.insert(sentences.end(), done.left.begin(), done.left.end());
  TRY_VOID(done.refused.empty() ? journal.Clear() : journal.KeepOnly(done.refused));
  return sentences;
}

}  // namespace benchd
