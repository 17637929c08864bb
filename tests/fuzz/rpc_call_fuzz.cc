#include <google/protobuf/descriptor.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/proto_text.h"
#include "tests/fuzz/sections.h"
#include "tests/rpc/whole_daemon.h"

// A daemon with fake ports behind its socket, and a client that may call anything with any bytes:
// "=== SessionService/Submit", then the request in text format, or other bytes.
namespace benchd::fuzz {
namespace {

constexpr std::size_t kMostCalls = 12;
/// Everything here takes milliseconds, so a daemon that does not answer is a failure.
constexpr std::chrono::seconds kCallTimeout{10};

class CalledDaemon : private rpc::WholeDaemon {
 public:
  CalledDaemon() {
    // The program of a session fails after a hundred runs, so that every session ends.
    runner_.program = [took = runner_.program](std::uint32_t child, std::uint64_t run) {
      return run < 100 ? took(child, run) : Error{ErrorCode::kNotFound, "program: it is gone", {}};
    };
    Work();
  }

  grpc::GenericStub Client() { return grpc::GenericStub(channel_); }
};

const google::protobuf::MethodDescriptor* FindMethod(std::string name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return nullptr;
  name[slash] = '.';
  return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName("benchd.v1." + name);
}

struct CallRequest {
  std::string bytes;
  bool is_message = false;
};

/// The message to send: the parsed text, or else the text itself.
CallRequest EncodedCall(std::string_view text, const google::protobuf::Descriptor* type) {
  const auto* prototype = google::protobuf::MessageFactory::generated_factory()->GetPrototype(type);
  const std::unique_ptr<google::protobuf::Message> message(prototype->New());
  CallRequest request{std::string(text)};
  if (ReadTextProto(text, message.get())) request.bytes = message->SerializeAsString();
  request.is_message = message->ParseFromString(request.bytes);
  return request;
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

/// One call, step by step.
class Call {
 public:
  Call(grpc::GenericStub stub, const google::protobuf::MethodDescriptor& method)
      : endless_(method.server_streaming()) {
    context_.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
    const std::string name = "/" + method.service()->full_name() + "/" + method.name();
    call_ = stub.PrepareCall(&context_, name, &queue_);
    call_->StartCall(this);
    Next();
  }

  void Send(const std::string& request) {
    call_->Write(BufferOf(request), this);
    Next();
  }

  grpc::Status Finish() {
    call_->WritesDone(this);
    Next();
    grpc::ByteBuffer answer;
    call_->Read(&answer, this);
    const bool answered = Next();
    // A stream may last as long as its client wants.
    if (answered && endless_) context_.TryCancel();
    grpc::Status status;
    call_->Finish(&status, this);
    Next();
    FUZZ_CHECK(endless_ || answered == status.ok());
    if (answered && endless_) return grpc::Status::OK;
    return status;
  }

 private:
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    FUZZ_CHECK(queue_.Next(&tag, &ok));
    return ok;
  }

  bool endless_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

/// Makes the call. The daemon must answer any input and must never report an internal error.
void CheckCall(CalledDaemon& daemon, const google::protobuf::MethodDescriptor& method,
               std::string_view body) {
  Call call(daemon.Client(), method);
  const CallRequest request = EncodedCall(body, method.input_type());
  call.Send(request.bytes);
  const grpc::Status status = call.Finish();
  // gRPC itself answers invalid messages, with INTERNAL and no text.
  if (status.ok() || !request.is_message) return;
  FUZZ_CHECK(!status.error_message().empty());
  FUZZ_CHECK(status.error_code() != grpc::StatusCode::UNKNOWN);
  FUZZ_CHECK(status.error_code() != grpc::StatusCode::INTERNAL);
  FUZZ_CHECK(status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace

void FuzzRpcCall(std::string_view input) {
  // Otherwise protobuf would print every invalid message on stderr.
  [[maybe_unused]] static const auto told = google::protobuf::SetLogHandler(nullptr);
  CalledDaemon daemon;
  std::size_t calls = 0;
  for (const auto& [name, body] : SectionsOf(input)) {
    const auto* method = FindMethod(std::string(name));
    if (method == nullptr || ++calls > kMostCalls) continue;
    CheckCall(daemon, *method, body);
  }
}

}  // namespace benchd::fuzz
