#include "daemon/runner/output_parser.h"

#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

/// How long outputs are parsed one by one, after benchd-helper failed. The runs that are left are
/// removed, and benchd orders them again.
constexpr std::int64_t kAloneTime = 1'000'000'000;
/// The outputs that may wait, with their adapters. Their memory is the runner's, and so is that of
/// their copy.
constexpr std::size_t kMostOutputs = 64;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Result<std::size_t> SizeOf(int memory) {
  struct stat info {};
  if (fstat(memory, &info) != 0) return SystemError("reading an output", errno);
  return static_cast<std::size_t>(info.st_size);
}

/// Adds the contents of a memory file at the end of another one.
Result<void> AppendFile(int to, int from) {
  TRY(std::size_t left, SizeOf(from));
  lseek(to, 0, SEEK_END);
  for (off_t at = 0; left > 0;) {
    const ssize_t copied = sendfile(to, from, &at, left);
    if (copied < 0) return SystemError("copying an output", errno);
    if (copied == 0) break;
    left -= static_cast<std::size_t>(copied);
  }
  return {};
}

/// Puts an output and its adapter at the end of what a helper reads.
Result<void> AppendOutput(int memory, const UnparsedOutput& output) {
  if (memory != output.memory.get()) {
    TRY_VOID(AppendFile(memory, output.memory.get()));
  }
  return output.adapter == nullptr ? Result<void>() : AppendToMemory(memory, *output.adapter);
}

}  // namespace

void OutputParser::Add(std::size_t run, UnparsedOutput output) {
  const std::size_t bytes = SizeOf(output.memory.get()).value_or(0) +
                            (output.adapter == nullptr ? 0 : output.adapter->size());
  waiting_bytes_ += bytes;
  waiting_.push_back({run, bytes, std::move(output)});
}

bool OutputParser::due() const {
  if (waiting_.empty()) return false;
  return alone_ || !waiting_.back().output.file.empty() || waiting_.size() >= kMostOutputs ||
         waiting_bytes_ >= kMostBytes;
}

void OutputParser::Start(std::vector<wire::RunFigures>& runs) {
  runs_ = &runs;
  answered_bytes_ = 0;
  alone_since_ = MonotonicNow();
  ParseNext();
}

void OutputParser::Drop(std::vector<wire::RunFigures>& runs) {
  helper_.reset();
  if (!waiting_.empty()) runs.resize(waiting_.front().run);
  waiting_.clear();
  waiting_bytes_ = 0;
}

/// Returns how many of the waiting outputs the next helper gets: the first one, and with it those
/// that follow in the same folder. A large output is not copied.
std::size_t OutputParser::CountTogether() const {
  if (alone_) return 1;
  std::size_t bytes = 0;
  const auto fits = [&](const Waiting& one) {
    bytes += one.bytes;
    return bytes <= kMostBytes && one.output.spec->cwd == waiting_.front().output.spec->cwd;
  };
  const auto end = std::find_if_not(waiting_.begin(), waiting_.end(), fits);
  return std::max<std::size_t>(static_cast<std::size_t>(end - waiting_.begin()), 1);
}

void OutputParser::ParseNext() {
  asked_ = CountTogether();
  auto order = OrderFor(asked_);
  if (!order) return Fail(std::move(order).error());
  helper_.emplace(loop_, host_, tree_, *this);
  if (auto started = helper_->Start(std::move(*order)); !started) Fail(std::move(started).error());
}

/// Returns the order to parse the first of the waiting outputs. Their sizes are arguments. An
/// adapter may be too long for the caller's limits on those, so its text follows the output.
Result<HelperOrder> OutputParser::OrderFor(std::size_t count) {
  const UnparsedOutput& first = waiting_.front().output;
  HelperOrder order;
  order.name = "parsing " + first.stream;
  order.caller = first.spec->caller;
  order.cwd = first.spec->cwd;
  order.timeout_ns = kParseTimeout;
  order.argv = {"parse"};
  // Several outputs are copied, so that each can still be parsed alone.
  UniqueFd copy;
  if (count > 1) {
    TRY(copy, EmptyMemory());
  }
  const int memory = count > 1 ? copy.get() : first.memory.get();
  for (std::size_t i = 0; i < count; ++i) {
    const UnparsedOutput& output = waiting_[i].output;
    TRY(const std::size_t bytes, SizeOf(output.memory.get()));
    TRY_VOID(AppendOutput(memory, output));
    const std::size_t adapter_bytes = output.adapter == nullptr ? 0 : output.adapter->size();
    order.argv.insert(order.argv.end(), {output.format, std::to_string(bytes),
                                         std::to_string(adapter_bytes), output.file});
  }
  lseek(memory, 0, SEEK_SET);
  order.input = count > 1 ? std::move(copy) : std::move(waiting_.front().output.memory);
  return order;
}

void OutputParser::OnHelperDone(HelperProcess&, Result<std::string> answer) {
  helper_.reset();
  auto taken = answer ? Take(*answer) : Result<void>(std::move(answer).error());
  if (!taken) return Fail(std::move(taken).error());
  if (waiting_.empty()) return End(true);
  const bool full = answered_bytes_ > kHelperAnswerBytes;
  const bool late = alone_ && MonotonicNow() - alone_since_ > kAloneTime;
  if (full || late) return End(false);
  ParseNext();
}

/// Gives the runs the results of the helper, unless they are too large together.
Result<void> OutputParser::Take(const std::string& answer) {
  answered_bytes_ += answer.size();
  if (answered_bytes_ > kHelperAnswerBytes) return {};
  TRY(auto parsed, wire::DecodeParsedOutputs(answer));
  if (parsed.each.size() != asked_) {
    return Error{ErrorCode::kInternal, "parsing: benchd-helper gave a wrong number of answers"};
  }
  for (std::size_t i = 0; i < asked_; ++i) {
    (*runs_)[waiting_[i].run].parsed = std::move(parsed.each[i]);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(asked_));
  return {};
}

/// The helper failed: tells which run that concerns, if it is known.
void OutputParser::Fail(Error why) {
  if (asked_ > 1) {
    alone_ = true;
    alone_since_ = MonotonicNow();
    return ParseNext();
  }
  (*runs_)[waiting_.front().run].parsed = wire::EncodeParsedOutput({std::move(why), {}, {}, {}});
  waiting_.erase(waiting_.begin());
  End(waiting_.empty());
}

void OutputParser::End(bool all) {
  Drop(*runs_);
  owner_.OnOutputsParsed(all);
}

}  // namespace benchd
