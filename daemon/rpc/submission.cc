#include "daemon/rpc/submission.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <array>
#include <span>
#include <utility>

#include "core/model/limits.h"

namespace benchd::rpc {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Adds the size of a message to `bytes`, without the contents of some texts.
///
/// @param path  the fields that lead to those texts: of this message, of the message in that field,
///              and so on; all text fields of the last message are meant
/// @return false if the message is malformed
bool AddSize(CodedInputStream& in, std::span<const int> path, std::uint64_t& bytes) {
  int begin = in.CurrentPosition();
  const auto passed = [&in, &begin] {
    const int from = std::exchange(begin, in.CurrentPosition());
    return static_cast<std::uint64_t>(begin - from);
  };
  for (std::uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    const bool has_length =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    const bool on_path = path.empty() || WireFormatLite::GetTagFieldNumber(tag) == path.front();
    if (!has_length || !on_path) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      bytes += passed();
      continue;
    }
    int size = 0;
    if (!in.ReadVarintSizeAsInt(&size)) return false;
    bytes += passed();
    if (path.empty()) {
      if (!in.Skip(size)) return false;
    } else {
      const CodedInputStream::Limit limit = in.PushLimit(size);
      if (!AddSize(in, path.subspan(1), bytes) || in.BytesUntilLimit() != 0) return false;
      in.PopLimit(limit);
    }
    passed();
  }
  return in.ConsumedEntireMessage();
}

Error Malformed() { return InvalidArgument("request", "is not a valid message"); }

/// The reader does not modify the buffer, although it requires a non-const one.
grpc::ByteBuffer* Readable(const grpc::ByteBuffer& request) {
  return const_cast<grpc::ByteBuffer*>(&request);
}

/// @param path  as in AddSize(), to the environment
template <typename Request>
Result<Request> Parse(const grpc::ByteBuffer& request, std::span<const int> path,
                      std::uint64_t most) {
  {
    grpc::ProtoBufferReader reader(Readable(request));
    CodedInputStream in(&reader);
    std::uint64_t bytes = 0;
    if (!AddSize(in, path, bytes)) return Malformed();
    if (bytes > most) return TooLarge(Limit::kSpec, bytes, most);
  }
  Request parsed;
  grpc::ProtoBufferReader reader(Readable(request));
  if (!parsed.ParseFromZeroCopyStream(&reader)) return Malformed();
  return parsed;
}

}  // namespace

Result<v1::SubmitRequest> ParseSubmission(const grpc::ByteBuffer& request, std::uint64_t most) {
  static constexpr std::array<int, 2> kPath{v1::SubmitRequest::kSpecFieldNumber,
                                            v1::SessionSpec::kEnvironmentFieldNumber};
  return Parse<v1::SubmitRequest>(request, kPath, most);
}

Result<v1::SubmitWithBundleRequest> ParseSubmissionWithBundle(const grpc::ByteBuffer& request,
                                                              std::uint64_t most) {
  static constexpr std::array<int, 3> kPath{v1::SubmitWithBundleRequest::kSubmitFieldNumber,
                                            v1::SubmitRequest::kSpecFieldNumber,
                                            v1::SessionSpec::kEnvironmentFieldNumber};
  return Parse<v1::SubmitWithBundleRequest>(request, kPath, most);
}

Result<std::string> ParseBundleData(const grpc::ByteBuffer& request) {
  grpc::ProtoBufferReader reader(Readable(request));
  CodedInputStream in(&reader);
  std::string data;
  while (const std::uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) != v1::SubmitWithBundleRequest::kDataFieldNumber) {
      if (!WireFormatLite::SkipField(&in, tag)) return Malformed();
    } else if (!WireFormatLite::ReadBytes(&in, &data)) {
      return Malformed();
    }
  }
  if (!in.ConsumedEntireMessage()) return Malformed();
  return data;
}

Result<void> Serialize(const v1::SubmitResponse& response, grpc::ByteBuffer* to) {
  bool owns = false;
  const grpc::Status status =
      grpc::SerializationTraits<v1::SubmitResponse>::Serialize(response, to, &owns);
  if (status.ok()) return {};
  return Error{ErrorCode::kInternal, "response: " + status.error_message(), {}};
}

}  // namespace benchd::rpc
