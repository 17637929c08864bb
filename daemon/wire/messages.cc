#include "daemon/wire/messages.h"

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/base/try.h"
#include "daemon/wire/codec.h"

namespace benchd::wire {
namespace {

template <typename T>
T Blank() {
  if constexpr (std::is_default_constructible_v<T>) {
    return T{};
  } else {
    return typename T::value_type{};  // a Result
  }
}

constexpr std::size_t kLastGreeting = 1;
static_assert(std::is_same_v<std::variant_alternative_t<kLastGreeting, Message>, HelloReply>);

/// Returns the alternative at the index given by the type byte; empty for an invalid index.
template <std::size_t Index = 0>
std::optional<Message> MessageOf(std::size_t type) {
  if constexpr (Index == std::variant_size_v<Message>) {
    return std::nullopt;
  } else {
    if (type != Index) return MessageOf<Index + 1>(type);
    return Message(std::in_place_index<Index>, Blank<std::variant_alternative_t<Index, Message>>());
  }
}

template <typename T>
std::string EncodeOne(const T& value) {
  Writer writer;
  writer(value);
  return writer.Take();
}

template <typename T>
Result<T> DecodeOne(std::string_view bytes, T value = {}) {
  Reader reader(bytes);
  reader(value);
  TRY_VOID(reader.Finish());
  return {std::move(value)};
}

template <typename T>
Result<Result<T>> DecodeResult(std::string_view bytes) {
  return DecodeOne<Result<T>>(bytes, T{});
}

}  // namespace

std::string Encode(const Message& message, std::uint64_t request) {
  Writer writer;
  writer(static_cast<std::uint8_t>(message.index()));
  if (message.index() > kLastGreeting) writer(request);
  std::visit([&writer](const auto& alternative) { writer(alternative); }, message);
  return writer.Take();
}

Result<Record> Decode(std::string_view bytes) {
  if (bytes.empty()) return Error{ErrorCode::kInvalidArgument, "record: empty", {}};
  const auto type = static_cast<std::uint8_t>(bytes.front());
  std::optional<Message> message = MessageOf(type);
  if (!message) {
    return Error{ErrorCode::kInvalidArgument, "record: unknown message type",
                 "install benchd and benchd-runner from the same build and restart both"};
  }
  Record record{0, std::move(*message)};
  Reader reader(bytes.substr(1));
  if (type > kLastGreeting) reader(record.request);
  std::visit([&reader](auto& alternative) { reader(alternative); }, record.message);
  TRY_VOID(reader.Finish());
  return record;
}

std::string EncodeParsedOutput(const ParsedOutput& output) { return EncodeOne(output); }

Result<ParsedOutput> DecodeParsedOutput(std::string_view bytes) {
  TRY(auto output, DecodeOne<ParsedOutput>(bytes));
  for (const Sample& sample : output.samples) {
    if (!std::isfinite(sample.value)) {
      return Error{ErrorCode::kInvalidArgument, "parsed output: a value is not finite", {}};
    }
  }
  return output;
}

std::string EncodeParsedOutputs(const ParsedOutputs& outputs) { return EncodeOne(outputs); }

Result<ParsedOutputs> DecodeParsedOutputs(std::string_view bytes) {
  return DecodeOne<ParsedOutputs>(bytes);
}

std::string EncodeResolved(const Result<ProgramIdentity>& resolved) { return EncodeOne(resolved); }

Result<Result<ProgramIdentity>> DecodeResolved(std::string_view bytes) {
  return DecodeResult<ProgramIdentity>(bytes);
}

std::string EncodeUserRecord(const Result<UserRecord>& record) { return EncodeOne(record); }

Result<Result<UserRecord>> DecodeUserRecord(std::string_view bytes) {
  return DecodeResult<UserRecord>(bytes);
}

std::optional<std::int64_t> RunFigures::Find(std::string_view metric) const {
  for (const MetricFigure& one : optional) {
    if (one.metric == metric) return one.raw;
  }
  return std::nullopt;
}

void RunFigures::Set(std::string_view metric, std::optional<std::int64_t> raw) {
  if (!raw) return;
  for (MetricFigure& one : optional) {
    if (one.metric == metric) {
      one.raw = *raw;
      return;
    }
  }
  optional.push_back({std::string(metric), *raw});
}

std::string EncodeRunnerConfig(const Result<RunnerConfig>& config) { return EncodeOne(config); }

Result<Result<RunnerConfig>> DecodeRunnerConfig(std::string_view bytes) {
  return DecodeResult<RunnerConfig>(bytes);
}

}  // namespace benchd::wire
