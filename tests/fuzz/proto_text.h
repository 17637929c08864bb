#pragma once

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

namespace benchd::fuzz {

/// Reads protobuf's text format, in which seeds are written and in which a mutation is often
/// another valid message. Returns false for other text; prints nothing on stderr.
inline bool ReadTextProto(std::string_view text, google::protobuf::Message* message) {
  class : public google::protobuf::io::ErrorCollector {
    void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
  } silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.SetRecursionLimit(32);
  return parser.ParseFromString(std::string(text), message);
}

/// The message as it would arrive from a client: parsed as text, else from the raw bytes. Returns
/// false if gRPC would reject it before it reaches our code.
inline bool ReadRequest(std::string_view input, google::protobuf::Message* message) {
  std::string wire(input);
  if (ReadTextProto(input, message)) wire = message->SerializeAsString();
  // Text format accepts strings that are not UTF-8; the wire format does not.
  return message->ParseFromString(wire);
}

}  // namespace benchd::fuzz
