#include "daemon/wire/messages.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "daemon/wire/codec.h"
#include "daemon/wire/fields.h"

namespace benchd::wire {
namespace {

/// Decodes the alternative whose index came as the type byte.
template <std::size_t Index = 0>
Result<Message> DecodeAs(std::size_t type, Reader& reader) {
  if constexpr (Index == std::variant_size_v<Message>) {
    return Error{ErrorCode::kInvalidArgument, "record: unknown message type",
                 "benchd and benchd-runner must be of the same build; restart both"};
  } else {
    if (type != Index) return DecodeAs<Index + 1>(type, reader);
    std::variant_alternative_t<Index, Message> message;
    reader(message);
    if (auto finished = reader.Finish(); !finished) return std::move(finished).error();
    return Message(std::move(message));
  }
}

template <typename T>
std::string EncodeOne(const T& value) {
  Writer writer;
  writer(value);
  return writer.Take();
}

template <typename T>
Result<Result<T>> DecodeResult(std::string_view bytes) {
  Reader reader(bytes);
  Result<T> result = T{};
  reader(result);
  if (auto finished = reader.Finish(); !finished) return std::move(finished).error();
  return {std::move(result)};
}

}  // namespace

std::string Encode(const Message& message) {
  Writer writer;
  writer(static_cast<std::uint8_t>(message.index()));
  std::visit([&writer](const auto& alternative) { writer(alternative); }, message);
  return writer.Take();
}

Result<Message> Decode(std::string_view record) {
  if (record.empty()) return Error{ErrorCode::kInvalidArgument, "record: empty", {}};
  const auto type = static_cast<std::uint8_t>(record.front());
  Reader reader(record.substr(1));
  return DecodeAs(type, reader);
}

std::string EncodeParsedOutput(const ParsedOutput& output) { return EncodeOne(output); }

Result<ParsedOutput> DecodeParsedOutput(std::string_view bytes) {
  Reader reader(bytes);
  ParsedOutput output;
  reader(output);
  if (auto finished = reader.Finish(); !finished) return std::move(finished).error();
  for (const Sample& sample : output.samples) {
    if (!std::isfinite(sample.value)) {
      return Error{ErrorCode::kInvalidArgument, "parsed output: a value is not finite", {}};
    }
  }
  return output;
}

std::string EncodeResolved(const Result<ProgramIdentity>& resolved) { return EncodeOne(resolved); }

Result<Result<ProgramIdentity>> DecodeResolved(std::string_view bytes) {
  return DecodeResult<ProgramIdentity>(bytes);
}

std::string EncodeUserRecord(const Result<UserRecord>& record) { return EncodeOne(record); }

Result<Result<UserRecord>> DecodeUserRecord(std::string_view bytes) {
  return DecodeResult<UserRecord>(bytes);
}

std::string EncodeRunnerConfig(const Result<RunnerConfig>& config) { return EncodeOne(config); }

Result<Result<RunnerConfig>> DecodeRunnerConfig(std::string_view bytes) {
  return DecodeResult<RunnerConfig>(bytes);
}

}  // namespace benchd::wire
