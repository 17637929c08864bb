#include "client/daemon_link.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel_posix.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>

#include "benchd/v1/queue.grpc.pb.h"
#include "client/affinity.h"
#include "client/autostart.h"
#include "client/call.h"

namespace benchd::client {
namespace {

// A socket that the user named: whatever is wrong with it is an error.
Outcome<FoundDaemon> ConnectNamed(const std::string& path, const std::string& source,
                                  std::chrono::milliseconds patience) {
  int error = 0;
  UniqueFd fd = ConnectUnix(path, patience, &error);
  if (fd) return FoundDaemon{std::move(fd), path};
  return ConnectionError(
      "no daemon answers at " + path + " (" + source + "): " + std::strerror(error),
      "start one there: benchd --user --socket " + path);
}

// nullopt = there is no system daemon; its absence is no error.
Outcome<std::optional<FoundDaemon>> ConnectSystem(const std::string& path,
                                                  std::chrono::milliseconds patience) {
  int error = 0;
  UniqueFd fd = ConnectUnix(path, patience, &error);
  if (fd) return std::optional(FoundDaemon{std::move(fd), path});
  if (error == EACCES || error == EPERM) {
    const std::string group = SocketGroup(path);
    return ConnectionError(
        "the system's daemon at " + path + ": " + std::strerror(error),
        "join the group " + group + ": sudo usermod -aG " + group + " $USER, then log in again");
  }
  if (error == ENOENT || error == ENOTDIR || error == ECONNREFUSED)
    return std::optional<FoundDaemon>();
  return ConnectionError("the system's daemon at " + path + ": " + std::strerror(error));
}

// Two clients may start a daemon at once: the one whose daemon lost finds the other's.
UniqueFd AwaitRival(const std::string& path) {
  constexpr int kAttempts = 20;
  constexpr auto kPause = std::chrono::milliseconds(50);
  int error = 0;
  UniqueFd fd = ConnectUnix(path, kConnectPatience, &error);
  for (int i = 0; i < kAttempts && !fd; ++i) {
    std::this_thread::sleep_for(kPause);
    fd = ConnectUnix(path, kConnectPatience, &error);
  }
  return fd;
}

Outcome<FoundDaemon> StartAndConnect(const std::string& path) {
  auto plan = PlanUserDaemon();
  if (!plan) return std::move(plan).error();
  auto started = StartDaemon(*plan);
  if (!started) {
    UniqueFd rival = AwaitRival(path);
    if (rival) return FoundDaemon{std::move(rival), path};
    return std::move(started).error();
  }
  std::cerr << "benchctl: started " << plan->program << " --user (pid " << *started
            << "); it exits after 10 idle minutes\n";
  int error = 0;
  UniqueFd fd = ConnectUnix(path, kConnectPatience, &error);
  if (fd) return FoundDaemon{std::move(fd), path};
  return ConnectionError(
      "the daemon that was just started does not listen at " + path + ": " + std::strerror(error),
      "its log is " + plan->log_file);
}

}  // namespace

Outcome<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start) {
  if (options.socket) return ConnectNamed(*options.socket, "--socket", options.patience);
  if (options.environment_socket) {
    return ConnectNamed(*options.environment_socket, "BENCHD_SOCKET", options.patience);
  }
  auto system = ConnectSystem(options.places.system_socket, options.patience);
  if (!system) return std::move(system).error();
  if (*system) return *std::move(*system);
  auto path = UserSocket(options.places);
  if (!path) return std::move(path).error();
  int error = 0;
  UniqueFd fd = ConnectUnix(*path, options.patience, &error);
  if (fd) return FoundDaemon{std::move(fd), *path};
  if (error != ENOENT && error != ECONNREFUSED && error != ENOTDIR) {
    return ConnectionError("your daemon at " + *path + ": " + std::strerror(error));
  }
  if (may_start) return StartAndConnect(*path);
  return ConnectionError(
      "no daemon runs: there is none at " + options.places.system_socket + " nor at " + *path,
      "start one: benchd --user, or leave out --no-autostart");
}

Outcome<std::unique_ptr<DaemonLink>> DaemonLink::Open(LinkOptions options) {
  std::unique_ptr<DaemonLink> link(new DaemonLink(std::move(options)));
  auto found = ConnectToDaemon(link->options_, link->options_.may_start);
  if (!found) return std::move(found).error();
  link->path_ = found->path;
  auto adopted = link->Adopt(std::move(found->fd));
  if (!adopted) return std::move(adopted).error();
  return link;
}

Outcome<void> DaemonLink::Reopen() {
  int error = 0;
  UniqueFd fd = ConnectUnix(path_, options_.patience, &error);
  if (fd) return Adopt(std::move(fd));
  return ConnectionError("no daemon answers at " + path_ + ": " + std::strerror(error));
}

std::shared_ptr<grpc::Channel> DaemonLink::channel() const {
  const std::lock_guard lock(mutex_);
  return channel_;
}

Outcome<void> DaemonLink::Adopt(UniqueFd fd) {
  auto trusted = CheckPeer(fd.get(), options_.places.uid);
  if (!trusted) return trusted;
  // Never given back: gRPC would take 5 ms to end its threads when the last channel goes.
  grpc_init();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // a session's log may be long, and the daemon is trusted
  auto channel = grpc::CreateCustomInsecureChannelFromFd("benchd", fd.Release(), arguments);
  {
    const std::lock_guard lock(mutex_);
    channel_ = channel;
  }
  const auto stub = v1::QueueService::NewStub(channel);
  auto status =
      CallDaemon(*stub, &v1::QueueService::Stub::Get, v1::GetQueueRequest(), options_.patience);
  if (!status) return std::move(status).error();
  status_ = *std::move(status);
  MoveToCpus({status_.housekeeping_cpus().begin(), status_.housekeeping_cpus().end()});
  return {};
}

}  // namespace benchd::client
