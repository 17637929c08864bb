#include <sys/socket.h>

#include <string>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "daemon/wire/channel.h"
#include "daemon/wire/messages.h"
#include "tests/fuzz/fill_record.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// A record is refused with a message, or Encode() could have produced it.
template <typename Decode, typename Encode>
void CheckRecord(std::string_view record, Decode decode, Encode encode) {
  const auto value = decode(record);
  if (value) {
    FUZZ_CHECK(encode(*value) == record);
    return;
  }
  CheckMessage(value.error().message);
  FUZZ_CHECK(value.error().code == ErrorCode::kInvalidArgument);
}

void CheckAll(std::string_view record) {
  CheckRecord(record, wire::Decode, [](const wire::Record& decoded) {
    return wire::Encode(decoded.message, decoded.request);
  });
  CheckRecord(record, wire::DecodeParsedOutput, wire::EncodeParsedOutput);
  CheckRecord(record, wire::DecodeParsedOutputs, wire::EncodeParsedOutputs);
  CheckRecord(record, wire::DecodeResolved, wire::EncodeResolved);
  CheckRecord(record, wire::DecodeRunnerConfig, wire::EncodeRunnerConfig);
}

/// One blank message of each kind: its type byte and as many zeros as it takes.
std::vector<wire::Message> BlankMessages() {
  std::vector<wire::Message> messages;
  while (messages.size() < std::variant_size_v<wire::Message>) {
    std::string record(1, static_cast<char>(messages.size()));
    while (!wire::Decode(record)) record.push_back('\0');
    messages.push_back(wire::Decode(record)->message);
  }
  return messages;
}

/// A message of kind number `kind`, filled.
wire::Message Filled(std::size_t kind, FillRecord& fill) {
  static const std::vector<wire::Message> blank = BlankMessages();
  wire::Message message = blank[kind];
  std::visit([&fill](auto& alternative) { fill(alternative); }, message);
  return message;
}

/// An encoded message decodes. With one byte changed it is refused or decodes; truncated, it is
/// refused.
void CheckFilled(std::string_view input) {
  FillRecord fill(input);
  const std::size_t kind = fill.Byte() % std::variant_size_v<wire::Message>;
  const std::size_t place = fill.Integer(2);
  const std::uint8_t change = fill.Byte();
  // A greeting has no request number.
  const std::uint64_t request = kind > 1 ? fill.Integer(8) : 0;
  const wire::Message message = Filled(kind, fill);
  std::string record = wire::Encode(message, request);
  const auto decoded = wire::Decode(record);
  FUZZ_CHECK(decoded && decoded->message.index() == kind && decoded->request == request);
  FUZZ_CHECK(wire::Encode(decoded->message, request) == record);
  FUZZ_CHECK(!wire::Decode(std::string_view(record).substr(0, place % record.size())));
  char& byte = record[place % record.size()];
  byte = static_cast<char>(static_cast<std::uint8_t>(byte) ^ change);
  CheckAll(record);
}

/// The output of helper programs.
void CheckHelpers(std::string_view input) {
  FillRecord fill(input);
  Result<ProgramIdentity> resolved = ProgramIdentity{};
  Result<RunnerConfig> config = RunnerConfig{};
  fill(resolved, config);
  FUZZ_CHECK(wire::DecodeResolved(wire::EncodeResolved(resolved)));
  FUZZ_CHECK(wire::DecodeRunnerConfig(wire::EncodeRunnerConfig(config)));
}

/// Any packet is a record, the end of the peer, or refused; it is never mistaken for "nothing yet".
void CheckPacket(std::string_view packet) {
  static const auto sockets = [] {
    std::array<int, 2> ends{};
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    return ends;
  }();
  if (packet.empty() || packet.size() > wire::kInlineBytes) return;
  FUZZ_CHECK(send(sockets[0], packet.data(), packet.size(), 0) ==
             static_cast<ssize_t>(packet.size()));
  const auto record = wire::ReceiveRecord(sockets[1]);
  if (record) return;
  CheckMessage(record.error().message);
  FUZZ_CHECK(record.error().code == ErrorCode::kInvalidArgument);
}

}  // namespace

void FuzzWireRecord(std::string_view input) {
  CheckAll(input);
  CheckFilled(input);
  CheckHelpers(input);
  CheckPacket(input);
}

}  // namespace benchd::fuzz
