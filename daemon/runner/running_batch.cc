#include "daemon/runner/running_batch.h"

#include <fmt/format.h>

#include "core/base/try.h"
#include "daemon/launch/capture.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/helper_process.h"
#include "daemon/wire/channel.h"

namespace benchd {
namespace {

constexpr std::uint32_t kMaxPadding = 64 * 1024;

/// The maximum number of bytes that one run can add to the record, including its numbers.
constexpr std::size_t kMostOfOneRun =
    kHelperAnswerBytes + kLogBytes + kOutputHeadBytes + std::size_t{64} * 1024;

std::size_t BytesOf(const std::vector<wire::RunFigures>& runs) {
  std::size_t bytes = 0;
  for (const wire::RunFigures& run : runs) {
    bytes += run.output.size() + run.parsed.size() + run.stderr_tail.size();
    if (run.stdout_digest) bytes += run.stdout_digest->head.size();
  }
  return bytes;
}

}  // namespace

Result<void> RunningBatch::Check(const RunOrder& start) const {
  if (!children_.contains(start.child)) {
    return InvalidArgument("child", fmt::format("{} was not opened", start.child));
  }
  for (const std::string& variable : start.variables) {
    if (variable.find('=') == std::string::npos || variable.find('\0') != std::string::npos) {
      return InvalidArgument("env", "a variable of a run is not of the form NAME=VALUE");
    }
  }
  if (start.padding_bytes > kMaxPadding) {
    return InvalidArgument("padding", fmt::format("{} bytes is too large", start.padding_bytes));
  }
  return {};
}

Result<void> RunningBatch::Start(Batch order) {
  if (!idle()) return Error{ErrorCode::kFailedPrecondition, "run: another run is in progress", {}};
  if (order.runs.empty()) return InvalidArgument("runs", "the list is empty");
  for (const RunOrder& start : order.runs) {
    TRY_VOID(Check(start));
  }
  if (order.next) {
    TRY_VOID(Check(*order.next));
  }
  order_ = std::move(order);
  done_.clear();
  started_at_ = MonotonicNow();
  auto started = StartRun(0);
  if (!started) order_.reset();
  return started;
}

RunTask RunningBatch::TaskOf(const RunOrder& start) const {
  const OpenedChild& child = children_.at(start.child);
  RunTask task;
  task.plan = child.plan.get();
  task.needs = &child.needs;
  task.output = child.output;
  task.output_path = child.output_path;
  task.parse = child.parse;
  if (!child.adapter.empty()) task.adapter = &child.adapter;
  task.parse_stderr = child.parse_stderr;
  task.check_output = child.check_output;
  task.parse_file = child.parse_file;
  task.padding_bytes = start.padding_bytes;
  task.variables = start.variables;
  task.timeout_ns = order_->timeout.count();
  task.length_ns = child.length_ns;
  return task;
}

Result<void> RunningBatch::StartRun(std::size_t index) {
  const RunOrder& start = order_->runs[index];
  if (run_.prepared() && prepared_ && prepared_->child == start.child &&
      prepared_->padding_bytes == start.padding_bytes && prepared_->variables == start.variables) {
    TRY_VOID(run_.StartPrepared());
  } else {
    run_.DiscardPrepared();
    TRY_VOID(run_.Start(TaskOf(start)));
  }
  PrepareAfter(index);
  return {};
}

void RunningBatch::PrepareAfter(std::size_t index) {
  prepared_.reset();
  if (index + 1 < order_->runs.size()) {
    prepared_ = order_->runs[index + 1];
  } else if (order_->next) {
    prepared_ = order_->next;
  }
  if (!prepared_) return run_.DiscardPrepared();
  run_.Prepare(TaskOf(*prepared_));
}

/// Omits the beginning of an output that benchd knows, so that a batch of many runs stays small.
void RunningBatch::OmitKnownHead(wire::RunFigures& figures, OpenedChild& child) {
  if (!figures.stdout_digest) return;
  OutputDigest& digest = *figures.stdout_digest;
  if (child.reported == digest.sha256) digest.head.clear();
  child.reported = digest.sha256;
}

bool RunningBatch::GoesOn() const {
  if (done_.size() >= order_->runs.size()) return false;
  if (BytesOf(done_) + kMostOfOneRun > wire::kMaxRecordBytes) return false;
  const OpenedChild& last = children_.at(order_->runs[done_.size() - 1].child);
  const bool failed = !done_.back().exit.Succeeded(last.accept_exit);
  if (order_->stop_on_failure && failed) return false;
  if (!order_->runs[done_.size()].begins_block) return true;
  return MonotonicNow() - started_at_ < order_->budget.count();
}

void RunningBatch::OnRunFinished(Result<wire::RunFigures> figures,
                                 std::optional<UnparsedOutput> output) {
  if (!figures) return End(std::move(figures).error());
  OpenedChild& child = children_.at(order_->runs[done_.size()].child);
  if (child.length_ns == 0) child.length_ns = figures->wall_time_ns;
  OmitKnownHead(*figures, child);
  done_.push_back(std::move(*figures));
  if (output) parser_.Add(done_.size() - 1, std::move(*output));
  if (!parser_.due()) return RunNext();
  CloseFinished();
  parser_.Start(done_);
}

void RunningBatch::OnOutputsParsed(bool all) {
  if (end_) return Report();
  if (!all) return End({});
  RunNext();
}

void RunningBatch::RunNext() {
  if (!GoesOn()) return End({});
  if (auto started = StartRun(done_.size()); !started) End(std::move(started));
}

void RunningBatch::Cancel() {
  if (idle()) return;
  parser_.Drop(done_);
  if (!run_.idle()) return run_.Cancel();
  End(Error{ErrorCode::kCancelled, "run: cancelled"});
}

void RunningBatch::DropPrepared() {
  parser_.Renew();
  run_.EndPreparing();
  prepared_.reset();
}

/// Closes the descriptors of the last run before the runner waits for something else. They stay
/// readable, and would be taken for the end of another run.
void RunningBatch::CloseFinished() {
  if (run_.idle() && run_.prepared()) run_.CloseFinished();
}

void RunningBatch::End(Result<void> result) {
  CloseFinished();
  end_ = std::move(result);
  if (!parser_.empty()) return parser_.Start(done_);
  Report();
}

void RunningBatch::Report() {
  wire::BatchFigures finished;
  finished.runs = std::move(done_);
  finished.result = *std::move(end_);
  end_.reset();
  order_.reset();
  done_ = {};
  owner_.OnBatchFinished(std::move(finished));
}

}  // namespace benchd
