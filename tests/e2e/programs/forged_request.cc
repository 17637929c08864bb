// forged_request SOCKET UID GID [GROUP...]: asks a listening runner to run `id` as that caller, as
// a compromised benchd could. It requests a lookup, then a child and its run, both sent at once.
//
// Prints one line for the lookup ("lookup: PATH") and one for the run ("run: output of id"), or the
// reason for the refusal. Exit code 0: both were answered; 1: the runner does not talk to us.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <variant>

#include "core/base/file.h"
#include "daemon/wire/channel.h"
#include "daemon/wire/messages.h"

namespace benchd {
namespace {

constexpr const char* kProgram = "/usr/bin/id";

[[noreturn]] void GiveUp(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(EXIT_FAILURE);
}

class Runner {
 public:
  explicit Runner(const std::string& path) : socket_(socket(AF_UNIX, SOCK_SEQPACKET, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) GiveUp(path + ": too long");
    std::memcpy(address.sun_path, path.data(), path.size());
    if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      GiveUp(path + ": " + std::strerror(errno));
    }
    Send(wire::Hello{});
    Await<wire::HelloReply>();
  }

  void Send(const wire::Message& message) {
    auto sent = wire::SendRecord(socket_.get(), wire::Encode(message));
    if (!sent) GiveUp(sent.error().message);
  }

  template <typename Wanted>
  Wanted Await() {
    auto record = wire::ReceiveRecord(socket_.get());
    if (!record || record->empty()) GiveUp("the runner hung up");
    auto decoded = wire::Decode(*record);
    if (!decoded || !std::holds_alternative<Wanted>(decoded->message)) GiveUp("not the answer");
    return std::get<Wanted>(std::move(decoded->message));
  }

 private:
  UniqueFd socket_;
};

/// What benchd would get from a lookup; made up here for a caller whose lookup is refused.
ProgramIdentity Identity() {
  struct stat info {};
  if (stat(kProgram, &info) != 0) GiveUp(std::string(kProgram) + ": " + std::strerror(errno));
  ProgramIdentity program;
  program.path = kProgram;
  program.device = info.st_dev;
  program.inode = info.st_ino;
  program.size_bytes = static_cast<std::uint64_t>(info.st_size);
  program.mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return program;
}

void Forge(Runner& runner, const Caller& caller) {
  runner.Send(wire::Resolve{{.caller = caller, .program = kProgram, .path = "", .cwd = "/"}});
  const auto resolved = runner.Await<Result<ProgramIdentity>>();
  std::printf("lookup: %s\n", (resolved ? resolved->path : resolved.error().message).c_str());

  ChildSpec child;
  child.caller = caller;
  child.argv = {kProgram};
  child.env = {{"LC_ALL", "C"}};
  child.cwd = "/";
  child.output = OutputKind::kLog;
  child.program = Identity();
  runner.Send(wire::OpenChild{0, child});
  runner.Send(wire::RunBatch{{.runs = {{}}}});
  const auto opened = runner.Await<Result<void>>();
  const auto finished = runner.Await<wire::BatchFigures>();
  std::string what = "nothing";
  if (!finished.runs.empty()) {
    what = finished.runs.front().output;
    what.erase(what.find_last_not_of('\n') + 1);
  } else if (!opened) {
    what = opened.error().message;
  } else if (!finished.result) {
    what = finished.result.error().message;
  }
  std::printf("run: %s\n", what.c_str());
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  if (argc < 4) benchd::GiveUp("forged_request SOCKET UID GID [GROUP...]");
  // setresuid() takes "-1" for "leave unchanged".
  const auto number = [argv](int i) {
    return static_cast<std::uint32_t>(std::strtol(argv[i], nullptr, 10));
  };
  benchd::Caller caller;
  caller.uid = number(2);
  caller.gid = number(3);
  for (int i = 4; i < argc; ++i) caller.groups.push_back(number(i));
  benchd::Runner runner(argv[1]);
  benchd::Forge(runner, caller);
}
