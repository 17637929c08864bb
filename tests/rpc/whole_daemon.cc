#include "tests/rpc/whole_daemon.h"

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <exception>

namespace benchd::rpc {

WholeDaemon::WholeDaemon(std::chrono::milliseconds max_idle,
                         std::chrono::milliseconds max_silence) {
  // 10 % slower, with a spread that the statistics can estimate: a regression at 2 %
  // (docs/statistics.md section 3).
  runner_.program = [](std::uint32_t child, std::uint64_t run) -> Result<RunOutcome> {
    const double wobble = 0.001 * static_cast<double>((run * 7 + child * 3) % 5);
    return fake::Took((child == 0 ? 1.0 : 1.1) + wobble);
  };
  loop_.Run([this, max_idle, max_silence] {
    const AccessPolicy access{.allow_root = true, .single_user = false, .admin_gid = {}};
    queue_.emplace(loop_.executor(), Queue::Services{runner_, store_, clock_, random_, hub_},
                   QueuePolicy{access, {}, {}});
    machine_controller_.emplace(*queue_, runner_, access);
    info_ = {"1.2.3", 4711, {0, 2}};
    server_.emplace(
        [this](std::uint32_t /*uid*/) { return loop_.executor(); },
        Server::Parts{*queue_, *machine_controller_, hub_, store_, random_, clock_, info_, peers_,
                      calls_, [this](const std::string& line) { audit_lines_.push_back(line); },
                      [](const std::string& /*refusal*/) {}, max_idle, Budgets(), max_silence,
                      [this](std::uint32_t uid, Nanoseconds duration) {
                        ++suspensions_;
                        listener_->Suspend(uid, duration);
                      },
                      /*forgiven_a_second=*/0});
    ASSERT_TRUE(server_->Start());
    listener_.emplace(
        loop_.executor(), ListenAt(dir_ / "s"), peers_, [this](int fd) { server_->Adopt(fd); },
        [this](const std::string& why) {
          if (suspensions_ == 0) ADD_FAILURE() << why;
        });
    listener_->Start();
  });
  channel_ = ConnectTo(dir_ / "s");
  sessions_ = v1::SessionService::NewStub(channel_);
}

WholeDaemon::~WholeDaemon() {
  loop_.Run([this] {
    queue_->Stop();
    listener_->Close();
    calls_.Close();
  });
  server_->Shutdown(std::chrono::seconds(1));
  EXPECT_TRUE(loop_.Await([this] { return !working_; }));
  loop_.Run([] {});
}

void WholeDaemon::Work() {
  loop_.Run([this] {
    working_ = true;
    asio::co_spawn(loop_.executor(), queue_->Work(),
                   [this](const std::exception_ptr&) { working_ = false; });
  });
}

v1::SubmitRequest WholeDaemon::Request() {
  v1::SubmitRequest request;
  v1::Benchmark* benchmark = request.mutable_spec()->add_benchmarks();
  for (const char* command : {"old --fast", "new --fast"}) {
    v1::Arm* arm = benchmark->add_arms();
    arm->set_command(command);
    arm->set_cwd("/");
  }
  (*request.mutable_spec()->mutable_environment())["TOKEN"] = "secret";
  return request;
}

std::string WholeDaemon::Submit(const v1::SubmitRequest& request) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const grpc::Status status = sessions_->Submit(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.session();
}

}  // namespace benchd::rpc
