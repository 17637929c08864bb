#include "tests/runner/runner_process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>

#include "daemon/wire/channel.h"
#include "tests/support/places.h"

namespace benchd {
namespace {

// Generous, for loaded machines and sanitizers. The awaited events normally take milliseconds.
constexpr int kTimeoutMs = 60'000;

bool AwaitReadable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, kTimeoutMs) == 1;
}

}  // namespace

std::string RunnerPath() { return test::BuiltFile("bin/benchd-runner"); }

void BecomeNobody() {
  if (setgroups(0, nullptr) != 0 || setresgid(kNobodyId, kNobodyId, kNobodyId) != 0 ||
      setresuid(kNobodyId, kNobodyId, kNobodyId) != 0) {
    _exit(125);
  }
}

void ForbidCall(long number, int error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(123);
  }
}

Caller OwnCaller() {
  Caller caller;
  caller.uid = geteuid();
  caller.gid = getegid();
  caller.pid = getpid();
  return caller;
}

Caller NobodyCaller() {
  Caller caller;
  caller.uid = kNobodyId;
  caller.gid = kNobodyId;
  caller.groups = {kNobodyId, 12345};
  return caller;
}

std::string CannotStartAs(RunnerIds ids) {
  if (ids == RunnerIds::kOwn) return "";
  if (geteuid() != 0) return "only root can start a runner as another user";
  const pid_t pid = fork();
  if (pid == 0) {
    BecomeNobody();
    _exit(access(RunnerPath().c_str(), X_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status == 0 ? "" : "the user nobody cannot reach " + RunnerPath();
}

ProgramIdentity IdentityOf(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  ProgramIdentity program;
  program.path = path;
  program.device = info.st_dev;
  program.inode = info.st_ino;
  program.size_bytes = static_cast<std::uint64_t>(info.st_size);
  program.mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return program;
}

ChildSpec ChildOf(std::vector<std::string> argv) {
  ChildSpec child;
  child.caller = OwnCaller();
  child.program = IdentityOf(argv.front());
  child.argv = std::move(argv);
  child.env = {{"PATH", "/usr/bin:/bin"}};
  child.cwd = "/";
  return child;
}

ChildSpec ScriptOf(const std::string& script) { return ChildOf({"/bin/sh", "-c", script}); }

RunnerProcess::RunnerProcess(RunnerIds ids, void (*prepare)(),
                             const std::vector<std::string>& options, const std::string& program) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) abort();
  socket_.Reset(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<std::string> words{"benchd-runner", "--socket", "fd:3"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (theirs.get() != 3) dup2(theirs.get(), 3);
    fcntl(3, F_SETFD, 0);
    // Leftovers of a careless parent, which its children must not inherit.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    if (prepare != nullptr) prepare();
    if (ids == RunnerIds::kNobody) BecomeNobody();
    execv(program.c_str(), argv.data());
    _exit(126);
  }
  Send(wire::Hello{});
  hello_ = Await<wire::HelloReply>();
}

RunnerProcess::~RunnerProcess() {
  if (pid_ > 0) Close();
}

void RunnerProcess::Send(const wire::Message& message, std::uint64_t request) const {
  const auto sent = wire::SendRecord(socket_.get(), wire::Encode(message, request));
  EXPECT_TRUE(sent) << sent.error().message;
}

std::optional<wire::Record> RunnerProcess::Receive() const {
  if (!AwaitReadable(socket_.get())) {
    ADD_FAILURE() << "no answer";
    return {};
  }
  auto record = wire::ReceiveRecord(socket_.get());
  if (!record || record->empty()) return {};
  auto decoded = wire::Decode(*record);
  EXPECT_TRUE(decoded) << decoded.error().message;
  if (!decoded) return {};
  return std::move(*decoded);
}

Result<void> RunnerProcess::Open(ChildSpec child, std::uint32_t number) {
  Send(wire::OpenChild{number, std::move(child)});
  return Await<Result<void>>();
}

void RunnerProcess::Start(std::int64_t timeout_ns, std::uint32_t padding_bytes) {
  Batch batch;
  batch.runs = {{.child = 0, .padding_bytes = padding_bytes}};
  batch.timeout = Nanoseconds(timeout_ns);
  Send(wire::RunBatch{std::move(batch)});
}

Result<wire::RunFigures> RunnerProcess::Finish() {
  auto finished = Await<wire::BatchFigures>();
  if (!finished.result) return std::move(finished.result).error();
  if (finished.runs.empty()) return Error{ErrorCode::kInternal, "no run and no error", {}};
  return std::move(finished.runs.front());
}

Result<wire::RunFigures> RunnerProcess::Run(ChildSpec child, std::int64_t timeout_ns) {
  if (auto opened = Open(std::move(child)); !opened) return std::move(opened).error();
  Start(timeout_ns);
  return Finish();
}

std::string RunnerProcess::OutputOf(ChildSpec child) {
  child.output = OutputKind::kLog;
  const auto figures = Run(std::move(child));
  EXPECT_TRUE(figures) << figures.error().message;
  return figures ? figures->output : "";
}

int RunnerProcess::Close() {
  socket_.Reset();
  int status = 0;
  const pid_t waited = waitpid(pid_, &status, 0);
  EXPECT_EQ(waited, pid_);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Batch BatchOf(const std::vector<std::uint32_t>& children) {
  Batch batch;
  batch.budget = std::chrono::minutes(1);
  for (const std::uint32_t child : children) batch.runs.push_back({.child = child});
  return batch;
}

std::vector<pid_t> ChildrenOf(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::istringstream list(ReadFile("/proc/" + id + "/task/" + id + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Leash::Leash(const TempFolder& folder) : path_(folder / "leash") {
  EXPECT_EQ(mkfifo(path_.c_str(), 0666), 0);
  EXPECT_EQ(chmod(path_.c_str(), 0666), 0);
  read_end_.Reset(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_TRUE(read_end_);
}

std::string Leash::ReadLine() const {
  std::string line;
  while (AwaitReadable(read_end_.get())) {
    char byte = 0;
    if (read(read_end_.get(), &byte, 1) != 1) break;
    if (byte == '\n') return line;
    line += byte;
  }
  ADD_FAILURE() << "no line came";
  return line;
}

void Leash::AwaitEnd() const {
  char buffer[256];
  while (AwaitReadable(read_end_.get())) {
    const ssize_t count = read(read_end_.get(), buffer, sizeof(buffer));
    if (count == 0) return;
    if (count < 0 && errno != EAGAIN) break;
  }
  ADD_FAILURE() << "some process still holds the leash";
}

}  // namespace benchd
