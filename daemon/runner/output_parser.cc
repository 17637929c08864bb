#include "daemon/runner/output_parser.h"

#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <string_view>
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

std::string_view AdapterOf(const UnparsedOutput& output) {
  return output.adapter == nullptr ? std::string_view() : *output.adapter;
}

}  // namespace

std::string Unparsed(Error why) { return wire::EncodeParsedOutput({std::move(why), {}, {}, {}}); }

void OutputParser::Add(std::size_t run, UnparsedOutput output) {
  const std::size_t bytes = SizeOf(output.memory.get()).value_or(0) + AdapterOf(output).size();
  waiting_.push_back({run, bytes, std::move(output)});
}

bool OutputParser::due() const {
  if (waiting_.empty()) return false;
  if (alone_ || !waiting_.back().output.file.empty()) return true;
  const auto add = [](std::size_t sum, const Waiting& one) { return sum + one.bytes; };
  const std::size_t bytes = std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0}, add);
  return waiting_.size() >= kMostOutputs || bytes >= kMostBytes;
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
}

/// Returns how many of the waiting outputs the next helper gets. A large output is not copied.
std::size_t OutputParser::CountTogether() const {
  if (alone_) return 1;
  std::size_t bytes = 0;
  const auto end = std::find_if(waiting_.begin(), waiting_.end(), [&bytes](const Waiting& one) {
    bytes += one.bytes;
    return bytes > kMostBytes;
  });
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
  const LaunchSpec& last = *waiting_[count - 1].output.spec;
  HelperOrder order;
  order.name = "parsing " + waiting_.front().output.stream;
  order.caller = last.caller;
  // Only the last output is written to a file, because none can wait behind it.
  order.cwd = last.cwd;
  order.timeout_ns = kParseTimeout;
  order.argv = {"parse"};
  for (std::size_t i = 0; i < count; ++i) {
    const UnparsedOutput& output = waiting_[i].output;
    TRY(const std::size_t bytes, SizeOf(output.memory.get()));
    order.argv.insert(order.argv.end(), {output.format, std::to_string(bytes),
                                         std::to_string(AdapterOf(output).size()), output.file});
  }
  TRY(order.input, TakeInput(count));
  return order;
}

/// Returns a memory file with the first of the waiting outputs, each followed by its adapter.
/// Several outputs are copied, so that each can still be parsed alone.
Result<UniqueFd> OutputParser::TakeInput(std::size_t count) {
  UniqueFd input;
  if (count == 1) {
    input = std::move(waiting_.front().output.memory);
    TRY_VOID(AppendToMemory(input.get(), AdapterOf(waiting_.front().output)));
    return input;
  }
  TRY(input, EmptyMemory());
  for (std::size_t i = 0; i < count; ++i) {
    const UnparsedOutput& output = waiting_[i].output;
    TRY_VOID(AppendFile(input.get(), output.memory.get()));
    TRY_VOID(AppendToMemory(input.get(), AdapterOf(output)));
  }
  return input;
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

/// Handles a failure of the helper. If the helper had one output, that run failed. If it had
/// several, each of them is parsed alone.
void OutputParser::Fail(Error why) {
  if (asked_ > 1) {
    alone_ = true;
    alone_since_ = MonotonicNow();
    return ParseNext();
  }
  (*runs_)[waiting_.front().run].parsed = Unparsed(std::move(why));
  waiting_.erase(waiting_.begin());
  End(waiting_.empty());
}

void OutputParser::End(bool all) {
  Drop(*runs_);
  owner_.OnOutputsParsed(all);
}

}  // namespace benchd
