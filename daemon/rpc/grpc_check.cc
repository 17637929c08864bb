#include "daemon/rpc/grpc_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "benchd/v1/queue.grpc.pb.h"
#include "core/base/file.h"

namespace benchd::rpc {
namespace {

/// The timeout of a step. It is far longer than any step takes.
constexpr std::chrono::seconds kPatience{10};

/// Progress of the check, reported by gRPC's threads.
class Progress {
 public:
  enum Step { kEntered, kCancelled, kDone, kClientEnded, kSteps };
  void Note(Step step) {
    const std::lock_guard lock(mutex_);
    reached_[step] = true;
    // Notify under the lock: a waiting thread may destroy this object as soon as it is released.
    changed_.notify_all();
  }
  bool Await(Step step) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this, step] { return reached_[step]; });
  }
  /// Waits without a time limit for a step that gRPC guarantees and that uses objects on the stack.
  void AwaitCertain(Step step) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, step] { return reached_[step]; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<bool, kSteps> reached_{};
};

/// A call that lasts until the check ends it.
class HeldCall final : public grpc::ServerUnaryReactor {
 public:
  explicit HeldCall(Progress& progress) : progress_(progress) {}
  void OnCancel() override { progress_.Note(Progress::kCancelled); }
  void OnDone() override { progress_.Note(Progress::kDone); }

 private:
  Progress& progress_;
};

/// A service that holds its first call. The choice of the service does not matter.
class HeldService final : public v1::QueueService::CallbackService {
 public:
  HeldService(HeldCall& call, Progress& progress) : call_(call), progress_(progress) {}
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetQueueRequest* /*request*/,
                                v1::QueueStatus* /*response*/) override {
    peer_ = context->peer();
    progress_.Note(Progress::kEntered);
    return &call_;
  }
  /// Valid once the call has arrived.
  const std::string& peer() const { return peer_; }

 private:
  HeldCall& call_;
  Progress& progress_;
  std::string peer_;
};

Error Broken(const std::string& what) {
  return {ErrorCode::kFailedPrecondition, "gRPC " + grpc::Version() + ": " + what,
          "use another version, such as 1.51; benchd cannot identify callers with this one"};
}

Error NotTried(const std::string& what) {
  return {ErrorCode::kInternal, "checking gRPC " + grpc::Version() + ": " + what, {}};
}

/// The server's end of a connection, which gRPC owns.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number), inode_(Inode()) {}
  std::string Peer() const { return fmt::format("fd:{}", number_); }
  /// Polls every millisecond until the descriptor is closed. @return false after `time`
  bool ClosesWithin(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (Inode() == inode_) {
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  ino_t Inode() const {
    struct stat info {};
    return ::fstat(number_, &info) == 0 ? info.st_ino : 0;
  }
  const int number_;
  const ino_t inode_;
};

/// Checks gRPC's behaviour with a call that has arrived, and ends the call.
Result<void> TryCall(Progress& progress, HeldCall& call, const std::string& peer,
                     const Descriptor& descriptor, int client_end,
                     std::chrono::milliseconds watched) {
  ::shutdown(client_end, SHUT_RDWR);
  const bool noticed = progress.Await(Progress::kCancelled);
  const bool closed = descriptor.ClosesWithin(watched);
  call.Finish(grpc::Status::OK);
  progress.AwaitCertain(Progress::kDone);
  if (peer != descriptor.Peer()) {
    return Broken("a call of the connection " + descriptor.Peer() + " is attributed to " + peer);
  }
  if (!noticed) return NotTried("a call is not cancelled when its client disconnects");
  if (closed) return Broken("closes the descriptor of a connection before its last call ends");
  if (!descriptor.ClosesWithin(kPatience)) {
    return Broken("leaves the descriptor of a connection open after its last call");
  }
  return {};
}

}  // namespace

Result<void> CheckGrpc(std::chrono::milliseconds watched) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return SystemError("checking gRPC: a connection", errno);
  }
  UniqueFd server_end(ends[0]);
  UniqueFd client_end(ends[1]);
  // gRPC also owns the client's end, so keep a duplicate with which to disconnect.
  const UniqueFd hang_up(::fcntl(client_end.get(), F_DUPFD_CLOEXEC, 0));
  if (!hang_up) return SystemError("checking gRPC: a connection", errno);
  const Descriptor descriptor(server_end.get());

  Progress progress;
  HeldCall call(progress);
  HeldService service(call, progress);
  grpc::ClientContext context;
  const v1::GetQueueRequest request;
  v1::QueueStatus response;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return NotTried("the server does not start");
  grpc::AddInsecureChannelFromFd(server.get(), server_end.Release());
  const auto stub =
      v1::QueueService::NewStub(grpc::CreateInsecureChannelFromFd("benchd", client_end.Release()));
  stub->async()->Get(&context, &request, &response,
                     [&progress](const grpc::Status&) { progress.Note(Progress::kClientEnded); });

  Result<void> result;
  if (progress.Await(Progress::kEntered)) {
    result = TryCall(progress, call, service.peer(), descriptor, hang_up.get(), watched);
  } else {
    result = NotTried("a call does not arrive");
    ::shutdown(hang_up.get(), SHUT_RDWR);
    call.Finish(grpc::Status::CANCELLED);  // in case it arrives late
  }
  progress.AwaitCertain(Progress::kClientEnded);
  server->Shutdown(std::chrono::system_clock::now());
  server->Wait();
  return result;
}

}  // namespace benchd::rpc
