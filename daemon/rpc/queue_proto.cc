#include "daemon/rpc/queue_proto.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"
#include "proto/convert/message_fields.h"

namespace benchd::rpc {
Result<SessionFilter> FromProto(const v1::ListSessionsRequest& from) {
  convert::FieldReader reader;
  SessionFilter filter;
  filter.all = from.all();
  if (from.state() != v1::SESSION_STATE_UNSPECIFIED) {
    filter.state = reader.Enum("state", from.state(), SessionState::kQueued);
  }
  filter.labels = {from.labels().begin(), from.labels().end()};
  if (!reader.ok()) return std::move(reader).error();
  TRY(convert::Page page, convert::ReadPage(from.page_size(), from.page_token()));
  filter.limit = page.limit;
  filter.before = page.beyond.value_or(filter.before);
  return filter;
}

Result<Nanoseconds> FromProto(const v1::ReserveRequest& from) {
  constexpr std::chrono::hours kLongest{1};
  convert::FieldReader reader;
  const Nanoseconds wanted = reader.Duration("seconds", from.seconds());
  if (wanted > kLongest) {
    reader.Fail("seconds", "the machine can be reserved for at most one hour",
                "reserve it again when the hour has ended");
  }
  if (!reader.ok()) return std::move(reader).error();
  return wanted;
}

void ToProto(const SessionView& view, v1::Session* to) {
  to->set_session(view.id.value);
  to->set_state(convert::ToWire<v1::SessionState>(view.state));
  to->set_uid(view.uid);
}

void ToProto(const QueueStatus& status, v1::QueueStatus* to) {
  to->set_paused(status.mode.paused);
  to->set_draining(status.mode.draining);
  to->set_queued(status.queued);
  to->set_changes(status.changes);
  if (status.running) to->set_running(status.running->value);
  if (status.reserved_by) to->set_reserved_by(*status.reserved_by);
}

void ToProto(const MachineView& machine, v1::MachineStatus* to) {
  convert::ToProto(machine.status, to);
  if (machine.session) to->set_session(machine.session->value);
}

void ToProto(const LimitUse& use, v1::LimitUse* to) {
  const LimitRow& row = RowOf(use.limit);
  const auto in_units = [&row](std::uint64_t counted) {
    return static_cast<double>(counted) / static_cast<double>(row.scale);
  };
  to->set_key(std::string(row.key));
  to->set_what(std::string(row.what));
  to->set_unit(std::string(row.unit));
  if (use.uid) to->set_uid(*use.uid);
  to->set_used(in_units(use.used));
  if (use.most) to->set_most(in_units(*use.most));
}

std::string LogToProto(const LogTail& log) {
  std::string text = Utf8Lossy(log.text);
  const std::string_view kept =
      text.size() > kMaxLogBytes ? Utf8Suffix(text, kMaxLogBytes) : std::string_view(text);
  const std::uint64_t left_out = log.left_out + (text.size() - kept.size());
  if (left_out == 0) return text;
  return fmt::format("[the first {} bytes are left out]\n{}", left_out, kept);
}

}  // namespace benchd::rpc
