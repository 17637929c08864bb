#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/rpc/rpc_support.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

constexpr unsigned kNobody = 65534;

/// Moves a descriptor, to keep low numbers free for the connections whose reuse is tested.
UniqueFd MovedAway(int fd) {
  UniqueFd moved(::fcntl(fd, F_DUPFD_CLOEXEC, 500));
  ::close(fd);
  return moved;
}

/// Runs this program again as a client, with its own process and uid.
class ClientProcess {
 public:
  ClientProcess(unsigned uid, const std::string& socket, const std::string& what) {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    output_ = MovedAway(fds[0]);
    const UniqueFd write_end = MovedAway(fds[1]);
    std::vector<std::string> arguments{"/proc/self/exe", "--client", std::to_string(uid), socket,
                                       what};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    EXPECT_EQ(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~ClientProcess() { Kill(); }
  ClientProcess(const ClientProcess&) = delete;
  ClientProcess& operator=(const ClientProcess&) = delete;

  /// The next line of the client's output; empty when it has exited.
  std::string ReadLine() {
    std::string line;
    for (char c = 0; ::read(output_.get(), &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  UniqueFd output_;
};

struct WhoAmI {
  std::string peer;  ///< "fd:N"
  unsigned uid = 0;
};

WhoAmI Ask(unsigned uid, const std::string& socket) {
  ClientProcess client(uid, socket, "whoami");
  std::istringstream line(client.ReadLine());
  WhoAmI answer;
  line >> answer.peer >> answer.uid;
  return answer;
}

/// A stream that sends one message and then stays open, even if its client disconnects, until it is
/// released.
class StubbornStream final : public grpc::ServerWriteReactor<v1::SessionEvent> {
 public:
  StubbornStream(std::string peer, Caller caller)
      : peer_(std::move(peer)), caller_(std::move(caller)) {
    StartWrite(&event_);
  }
  void OnCancel() override { cancelled_.set_value(); }
  void OnDone() override { done_.set_value(); }

  const std::string peer_;
  const Caller caller_;
  std::promise<void> cancelled_;
  std::promise<void> done_;

 private:
  v1::SessionEvent event_;
};

class StubbornService final : public v1::SessionService::CallbackService {
 public:
  explicit StubbornService(const Endpoint& endpoint) : endpoint_(endpoint) {}
  ~StubbornService() override = default;

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetSessionRequest* request,
                                v1::Session* response) override {
    response->set_session(context->peer());
    response->set_uid(endpoint_.Enter(*context, *request).caller.uid);
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  grpc::ServerWriteReactor<v1::SessionEvent>* Watch(grpc::CallbackServerContext* context,
                                                    const v1::WatchRequest* request) override {
    stream = std::make_unique<StubbornStream>(context->peer(),
                                              endpoint_.Enter(*context, *request).caller);
    entered.set_value();
    return stream.get();
  }

  std::promise<void> entered;
  std::unique_ptr<StubbornStream> stream;

 private:
  Endpoint endpoint_;
};

template <typename T>
bool Happens(std::promise<T>& promise) {
  return promise.get_future().wait_for(kTimeout) == std::future_status::ready;
}

class PeerIdentityTest : public ::testing::Test {
 protected:
  PeerIdentityTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    listener_ = std::make_unique<Listener>(
        loop_.executor(), ListenAt(socket()), peers_,
        [this](int fd) { grpc::AddInsecureChannelFromFd(server_.get(), fd); },
        [](const std::string& why) { ADD_FAILURE() << why; });
    loop_.Run([this] { listener_->Start(); });
  }
  ~PeerIdentityTest() override {
    loop_.Run([this] { listener_->Close(); });
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    loop_.Run([] {});
  }
  std::string socket() const { return dir_ / "s"; }

  OpenFolder dir_;
  LoopThread loop_;
  LiveCalls calls_;
  PeerTable peers_;
  fake::Clock clock_;
  RateLimit rate_{clock_, [](const std::string&) {}};
  CallBudget budget_;
  Refusals refusals_;
  StubbornService service_{Endpoint{[this](std::uint32_t /*uid*/) { return loop_.executor(); },
                                    peers_,
                                    calls_,
                                    rate_,
                                    budget_,
                                    refusals_,
                                    {}}};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(PeerIdentityTest, ACallerIsWhoTheKernelSaysItIs) {
  const WhoAmI self = Ask(::getuid(), socket());
  EXPECT_EQ(self.uid, ::getuid());
  EXPECT_EQ(self.peer.substr(0, 3), "fd:");
}

TEST_F(PeerIdentityTest, AVanishedClientsLiveCallNeverTakesOnANewClientsIdentity) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root: the second client has another uid";
  ClientProcess vanishing(0, socket(), "watch");
  ASSERT_TRUE(Happens(service_.entered));
  ASSERT_EQ(vanishing.ReadLine(), "watching");
  vanishing.Kill();
  StubbornStream& stream = *service_.stream;
  ASSERT_TRUE(Happens(stream.cancelled_)) << "gRPC noticed that the client has disconnected";

  // The client has disconnected but its call is alive: a new client must not get its number.
  for (int i = 0; i < 20; ++i) {
    const WhoAmI newcomer = Ask(kNobody, socket());
    EXPECT_EQ(newcomer.uid, kNobody);
    EXPECT_NE(newcomer.peer, stream.peer_);
    EXPECT_EQ(stream.caller_.uid, 0U) << "the call's own copy";
    EXPECT_EQ(peers_.Find(stream.peer_)->uid, 0U) << "a second look-up would be sound, too";
  }

  // When the call ends, its number is free, but will be assigned last.
  stream.Finish(grpc::Status::CANCELLED);
  ASSERT_TRUE(Happens(stream.done_));
  for (int i = 0; i < 20; ++i) {
    const WhoAmI newcomer = Ask(kNobody, socket());
    EXPECT_EQ(newcomer.uid, kNobody);
    EXPECT_NE(newcomer.peer, stream.peer_);
  }
}

/// Clients of many users connect and disconnect on several threads; every other one does not wait
/// for its answer. Each that waits must receive its own uid.
TEST_F(PeerIdentityTest, NobodyIsTakenForAnotherWhileConnectionsComeAndGo) {
  constexpr int kThreads = 4;
  constexpr unsigned kConnections = 200;
  std::atomic<unsigned> answered{0};
  std::atomic<unsigned> mistaken{0};
  std::mutex loop;  // Register() is called on the loop's thread only: one call at a time
  const auto connect = [this, &loop](unsigned uid) {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    Caller caller;
    caller.uid = uid;
    {
      const std::lock_guard registering(loop);
      Result<UniqueFd> numbered = peers_.Register(UniqueFd(fds[0]), std::move(caller));
      EXPECT_TRUE(numbered);
      if (numbered) grpc::AddInsecureChannelFromFd(server_.get(), numbered->Release());
    }
    return v1::SessionService::NewStub(grpc::CreateInsecureChannelFromFd("client", fds[1]));
  };
  const auto come_and_go = [&](unsigned thread) {
    for (unsigned i = 0; i < kConnections; ++i) {
      const unsigned uid = 1 + thread * kConnections + i;
      const auto stub = connect(uid);
      grpc::ClientContext context;
      v1::Session session;
      if (i % 2 == 0) {
        grpc::CompletionQueue unread;
        const auto call = stub->AsyncGet(&context, v1::GetSessionRequest(), &unread);
        grpc::Status status;
        call->Finish(&session, &status, nullptr);
        context.TryCancel();
        void* tag = nullptr;
        bool ok = false;
        unread.Next(&tag, &ok);
        continue;
      }
      if (!stub->Get(&context, v1::GetSessionRequest(), &session).ok()) continue;
      ++answered;
      if (session.uid() != uid) ++mistaken;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) threads.emplace_back(come_and_go, thread);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, kThreads * kConnections / 2);
  EXPECT_EQ(mistaken, 0U);
}

TEST_F(PeerIdentityTest, AConnectionWithoutAnEntryIsDenied) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
  StubDaemon daemon;
  grpc::AddInsecureChannelFromFd(daemon.server.get(), fds[0]);
  const auto channel = grpc::CreateInsecureChannelFromFd("unidentified", fds[1]);
  const auto stub = v1::SessionService::NewStub(channel);
  grpc::ClientContext unary;
  v1::Session session;
  const grpc::Status status = stub->Get(&unary, v1::GetSessionRequest(), &session);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_WORDING(status);
  grpc::ClientContext streaming;
  const auto reader = stub->Watch(&streaming, v1::WatchRequest());
  v1::SessionEvent event;
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace benchd::rpc
