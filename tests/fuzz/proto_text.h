#pragma once

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

namespace benchd::fuzz {

/// Reads protobuf's text format, in which seeds are written and a mutation is often another
/// message. False when it is none; says nothing on stderr.
inline bool ReadTextProto(std::string_view text, google::protobuf::Message* message) {
  class : public google::protobuf::io::ErrorCollector {
    void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
  } silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.SetRecursionLimit(32);
  return parser.ParseFromString(std::string(text), message);
}

/// The message as it arrives from a client: from text, else from the bytes as they are. False where
/// gRPC would refuse it before any code of ours sees it.
inline bool ReadRequest(std::string_view input, google::protobuf::Message* message) {
  std::string wire(input);
  if (ReadTextProto(input, message)) wire = message->SerializeAsString();
  // Text format takes strings that are not UTF-8; the wire does not.
  return message->ParseFromString(wire);
}

}  // namespace benchd::fuzz
