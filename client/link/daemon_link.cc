#include "client/link/daemon_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grpcpp/create_channel_posix.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

#include "benchd/v1/queue.grpc.pb.h"
#include "client/link/autostart.h"
#include "client/link/host.h"
#include "client/present/text.h"
#include "core/base/affinity.h"
#include "core/base/try.h"
#include "core/base/user_database.h"
#include "core/model/limits.h"

namespace benchd::client {

SocketPlaces DefaultPlaces() {
  SocketPlaces places;
  places.uid = getuid();
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  // By the XDG specification, a relative path is invalid and is ignored.
  if (runtime_dir != nullptr && runtime_dir[0] == '/') places.runtime_dir = runtime_dir;
  return places;
}

Result<std::string> UserSocket(const SocketPlaces& places) {
  if (!places.runtime_dir.empty()) return places.runtime_dir + "/benchd/benchd.sock";
  const std::string directory = fmt::format("{}/benchd-{}", places.shared_dir, places.uid);
  const std::string socket = directory + "/benchd.sock";
  struct stat status {};
  if (lstat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return socket;
    return ConnectionError(directory + ": " + std::strerror(errno));
  }
  const std::string hint = "remove it, or set XDG_RUNTIME_DIR to a directory of your own";
  if (S_ISLNK(status.st_mode))
    return ConnectionError(directory + ": is a link, not a directory", hint);
  if (!S_ISDIR(status.st_mode)) return ConnectionError(directory + ": not a directory", hint);
  if (status.st_uid != places.uid) {
    return ConnectionError(
        directory + ": belongs to " + UserName(status.st_uid) + ", not to " + UserName(places.uid),
        hint);
  }
  if ((status.st_mode & 0777) != 0700) {
    return ConnectionError(directory + ": accessible by others", "chmod 700 " + directory);
  }
  return socket;
}

UniqueFd ConnectUnix(const std::string& path, std::chrono::milliseconds timeout, int* error) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    *error = path.empty() ? ENOENT : ENAMETOOLONG;
    return UniqueFd();
  }
  path.copy(address.sun_path, path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
  const timeval limit{seconds.count(), std::chrono::microseconds(timeout - seconds).count()};
  if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    *error = errno;
    return UniqueFd();
  }
  *error = 0;
  return fd;
}

std::string SocketGroup(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "benchd";
  const auto group = FindGroup(status.st_gid);
  return group ? group->name : "benchd";
}

Result<void> CheckPeer(int fd, uid_t own_uid) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return ConnectionError(std::string("cannot identify the daemon: ") + std::strerror(errno));
  }
  if (peer.uid == 0 || peer.uid == own_uid) return {};
  // Looked up last, because a lookup outside /etc/passwd takes milliseconds.
  const auto service = FindUser(std::string("benchd"));
  if (service && peer.uid == service->uid) return {};
  return ConnectionError("the daemon belongs to " + UserName(peer.uid) +
                             ": only daemons of root, benchd or yourself are trusted",
                         "stop that program, or name another socket: --socket PATH");
}

namespace {

// Connects to a socket that the user named. Any failure to connect is an error.
Result<FoundDaemon> ConnectNamed(const std::string& path, const std::string& source,
                                 std::chrono::milliseconds timeout) {
  int error = 0;
  UniqueFd fd = ConnectUnix(path, timeout, &error);
  if (fd) return FoundDaemon{std::move(fd), path, {}};
  return ConnectionError(
      "no daemon answers at " + path + " (" + source + "): " + std::strerror(error),
      "start one there: benchd --user --socket " + path);
}

// Returns nullopt if no system daemon is running, which is not an error.
Result<std::optional<FoundDaemon>> ConnectSystem(const std::string& path,
                                                 std::chrono::milliseconds timeout) {
  int error = 0;
  UniqueFd fd = ConnectUnix(path, timeout, &error);
  if (fd) return std::optional(FoundDaemon{std::move(fd), path, {}});
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

// If two clients start a daemon at once, one daemon exits. Its client connects to the other one.
UniqueFd AwaitRival(const std::string& path) {
  constexpr int kAttempts = 20;
  constexpr auto kPause = std::chrono::milliseconds(50);
  int error = 0;
  UniqueFd fd = ConnectUnix(path, kConnectTimeout, &error);
  for (int i = 0; i < kAttempts && !fd; ++i) {
    std::this_thread::sleep_for(kPause);
    fd = ConnectUnix(path, kConnectTimeout, &error);
  }
  return fd;
}

Result<FoundDaemon> StartAndConnect(const std::string& path) {
  TRY(auto plan, PlanUserDaemon());
  auto started = StartDaemon(plan);
  if (!started) {
    UniqueFd rival = AwaitRival(path);
    if (rival) return FoundDaemon{std::move(rival), path, {}};
    return std::move(started).error();
  }
  int error = 0;
  UniqueFd fd = ConnectUnix(path, kConnectTimeout, &error);
  if (fd) {
    return FoundDaemon{std::move(fd), path,
                       fmt::format("started {} --user (pid {}); it exits after 10 idle minutes",
                                   plan.program, *started)};
  }
  return ConnectionError(
      "the daemon that was just started does not listen at " + path + ": " + std::strerror(error),
      "see its log: " + plan.log_file);
}

}  // namespace

Result<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start) {
  if (options.socket) return ConnectNamed(*options.socket, "--socket", options.timeout);
  if (options.environment_socket) {
    return ConnectNamed(*options.environment_socket, "BENCHD_SOCKET", options.timeout);
  }
  TRY(auto system, ConnectSystem(options.places.system_socket, options.timeout));
  if (system) return *std::move(system);
  TRY(auto path, UserSocket(options.places));
  int error = 0;
  UniqueFd fd = ConnectUnix(path, options.timeout, &error);
  if (fd) return FoundDaemon{std::move(fd), path, {}};
  if (error != ENOENT && error != ECONNREFUSED && error != ENOTDIR) {
    return ConnectionError("your daemon at " + path + ": " + std::strerror(error));
  }
  if (may_start) return StartAndConnect(path);
  return ConnectionError(
      "no daemon is running: neither at " + options.places.system_socket + " nor at " + path,
      "start one: benchd --user, or leave out --no-autostart");
}

Result<std::unique_ptr<DaemonLink>> DaemonLink::Open(LinkOptions options) {
  std::unique_ptr<DaemonLink> link(new DaemonLink(std::move(options)));
  if (link->options_.host) {
    TRY_VOID(link->OpenRemote(/*first=*/true));
    return link;
  }
  TRY(auto found, ConnectToDaemon(link->options_, link->options_.may_start));
  if (!found.started.empty()) std::cerr << "benchctl: " << found.started << "\n";
  link->path_ = found.path;
  TRY_VOID(CheckPeer(found.fd.get(), link->options_.places.uid));
  TRY_VOID(link->Adopt(std::move(found.fd)));
  return link;
}

Result<void> OpenOnce(const LinkOptions& options, std::unique_ptr<DaemonLink>* link) {
  if (*link != nullptr) return {};
  TRY(auto opened, DaemonLink::Open(options));
  *link = std::move(opened);
  return {};
}

Result<void> DaemonLink::Reopen() {
  if (ssh_) return OpenRemote(/*first=*/false);
  int error = 0;
  UniqueFd fd = ConnectUnix(path_, options_.timeout, &error);
  if (fd) {
    auto trusted = CheckPeer(fd.get(), options_.places.uid);
    return trusted ? Adopt(std::move(fd)) : trusted;
  }
  return ConnectionError("no daemon answers at " + path_ + ": " + std::strerror(error));
}

bool DaemonLink::MayRestart() const {
  if (!options_.may_start || options_.host || options_.socket || options_.environment_socket) {
    return false;
  }
  const auto own = UserSocket(options_.places);
  return own && *own == path_;
}

Result<void> DaemonLink::Restart() {
  TRY(auto found, StartAndConnect(path_));
  auto trusted = CheckPeer(found.fd.get(), options_.places.uid);
  return trusted ? Adopt(std::move(found.fd)) : trusted;
}

// Destroying the last channel joins gRPC's threads one by one, which takes milliseconds. The last
// channel is therefore kept until the process exits, unless it uses the socket of an ssh process.
DaemonLink::~DaemonLink() {
  static std::shared_ptr<grpc::Channel>& last = *new std::shared_ptr<grpc::Channel>;
  if (channel_ && !ssh_) last = std::move(channel_);
}

std::shared_ptr<grpc::Channel> DaemonLink::channel() const {
  const std::lock_guard lock(mutex_);
  return channel_;
}

// dial-stdio has checked the peer on the other machine. A reconnection does not prompt for a
// password, which would disturb the live view.
Result<void> DaemonLink::OpenRemote(bool first) {
  constexpr auto kAgain = std::chrono::seconds(30);
  SshOptions ssh;
  ssh.may_start = first && options_.may_start;
  ssh.may_prompt = first;
  if (!first) ssh.timeout = kAgain;
  TRY(auto connection, SshConnection::Open(*options_.host, ssh));
  ssh_ = std::move(connection);
  std::cerr << ssh_->Messages();
  auto adopted = Adopt(ssh_->TakeSocket());
  return adopted ? adopted : Explain(std::move(adopted).error());
}

std::string DaemonLink::UserNameThere(std::uint32_t uid) const {
  if (!ssh_) return UserName(uid);
  return uid == ssh_->login().uid ? ssh_->login().user : fmt::format("uid {}", uid);
}

std::function<std::string(std::uint32_t)> DaemonLink::UserNames() const {
  return [this](std::uint32_t uid) { return UserNameThere(uid); };
}

std::string DaemonLink::OtherEnd() const {
  return options_.host ? "the connection to " + options_.host->Text() : "the daemon";
}

// sshd delays or bans clients that connect too often.
std::chrono::milliseconds DaemonLink::RetryPause() const {
  return std::chrono::milliseconds(ssh_ ? 2000 : 200);
}

Error DaemonLink::Explain(Error error) {
  if (!ssh_ || error.message != kConnectionClosed) return error;
  return ssh_->Explain();
}

Result<void> DaemonLink::Adopt(UniqueFd fd) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // logs may be long, and the daemon is trusted
  auto channel = grpc::CreateCustomInsecureChannelFromFd("benchd", fd.Release(), arguments);
  {
    const std::lock_guard lock(mutex_);
    channel_ = channel;
  }
  const auto stub = v1::QueueService::NewStub(channel);
  TRY(auto status,
      CallDaemon(*stub, &v1::QueueService::Stub::Get, v1::GetQueueRequest(), options_.timeout));
  status_ = std::move(status);
  if (ssh_) return {};  // the CPUs are those of another machine
  static_cast<void>(
      ConfineProcess({status_.housekeeping_cpus().begin(), status_.housekeeping_cpus().end()}));
  return {};
}

namespace {

// Returns one of two codes: an invalid request, or a refusal by the daemon.
ErrorCode CodeOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::UNIMPLEMENTED:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

bool IsConnectionLoss(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return false;
  // A lost connection has one of gRPC's own texts. Errors from benchd have other texts.
  constexpr std::array kTexts = {"Socket closed",     "Connection reset", "Broken pipe", "GOAWAY",
                                 "failed to connect", "Transport closed", "Channel",     "recvmsg",
                                 "sendmsg",           "Stream removed"};
  const std::string& text = status.error_message();
  if (text.empty()) return true;
  for (const char* known : kTexts) {
    if (text.find(known) != std::string::npos) return true;
  }
  return false;
}

Error FromStatus(const grpc::Status& status) {
  if (IsConnectionLoss(status)) {
    return ConnectionError(kConnectionClosed,
                           "check that the daemon still runs; accepted sessions are kept");
  }
  // This is gRPC's own text for the client's deadline. An error from the daemon names what took too
  // long.
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
      (status.error_message().empty() || status.error_message() == "Deadline Exceeded")) {
    return ConnectionError("the daemon did not answer in time", "see its log for the cause");
  }
  // This is also gRPC's own text: it rejects a request above the size limit before benchd sees it.
  if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
      status.error_message().find("larger than max") != std::string::npos) {
    const LimitRow& row = RowOf(Limit::kSpec);
    return {ErrorCode::kResourceExhausted,
            std::string(row.what) + ": " + OneLine(status.error_message()),
            std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
  }
  std::string message = OneLine(status.error_message());
  if (message.empty()) {
    message = fmt::format("the daemon refused the request: gRPC code {}",
                          static_cast<int>(status.error_code()));
  }
  return {CodeOf(status.error_code()), std::move(message), OneLine(status.error_details())};
}

bool WaitToAskAgain(const grpc::ClientContext& context, int attempt,
                    std::chrono::milliseconds timeout) {
  constexpr std::array kPauses = {std::chrono::milliseconds(300), std::chrono::milliseconds(1500)};
  const auto index = static_cast<std::size_t>(attempt - 1);
  if (!context.GetServerTrailingMetadata().contains(kRetryAfterKey) || index >= kPauses.size() ||
      kPauses[index] > timeout) {
    return false;
  }
  std::this_thread::sleep_for(kPauses[index]);
  return true;
}

}  // namespace benchd::client
