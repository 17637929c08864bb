#include "client/session/submission.h"

#include <grpcpp/client_context.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/git/missing_files.h"
#include "client/git/process.h"
#include "client/link/bundle_transfer.h"
#include "client/link/daemon_link.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/request/adapter_file.h"
#include "client/request/quantity.h"
#include "client/request/spec_input.h"
#include "client/terminal/terminal.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/command_line.h"

namespace benchd::client {
namespace {

// Checks only existence and type. The kernel checks permissions when the file is opened.
Result<void> CheckPlace(const std::string& option, const std::string& path, bool folder) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const std::string what = option + ": " + path + ": ";
  if (status.type() == std::filesystem::file_type::not_found) {
    return UsageError(what + "no such " + (folder ? "directory" : "file"));
  }
  if (error || std::filesystem::is_directory(status) == folder) return {};
  return UsageError(what + (folder ? "not a directory" : "is a directory"));
}

// Returns the files that the arms read; an arm's own one replaces that of the benchmark.
std::set<std::string> InputsOf(const v1::Benchmark& benchmark) {
  std::set<std::string> inputs;
  for (const v1::Arm& arm : benchmark.arms()) {
    inputs.insert(arm.input().empty() ? benchmark.input() : arm.input());
  }
  inputs.erase("");
  return inputs;
}

}  // namespace

Result<void> CheckPlaces(const v1::SessionSpec& spec) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    const v1::Hooks& hooks = benchmark.hooks();
    if (!hooks.build().empty()) continue;
    // Without its own folder, setup runs in the folder of an arm and cannot create it.
    const bool may_make_folders = !hooks.setup().empty() && !hooks.cwd().empty();
    for (const v1::Arm& arm : benchmark.arms()) {
      if (may_make_folders) break;
      auto folder = CheckPlace("cwd", arm.cwd(), /*folder=*/true);
      if (!folder) return folder;
    }
    const bool may_make_files =
        !hooks.setup().empty() || !hooks.prepare().empty() || !benchmark.arms(0).prepare().empty();
    if (may_make_files) continue;
    for (const std::string& input : InputsOf(benchmark)) {
      TRY_VOID(CheckPlace("input", input, /*folder=*/false));
    }
  }
  return {};
}

CapturedContext CaptureEnvironment(const char* const* entries) {
  CapturedContext captured;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    if (IsSendableText(entry)) {
      captured.context.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    } else {
      captured.skipped.emplace_back(entry.substr(0, equals));
    }
  }
  return captured;
}

Result<CapturedContext> CaptureCaller() {
  CapturedContext captured = CaptureEnvironment(environ);
  std::error_code error;
  captured.context.cwd = std::filesystem::current_path(error).string();
  if (error)
    return UsageError("the working directory: " + error.message(), "change to another one");
  if (!IsSendableText(captured.context.cwd)) {
    return UsageError("the working directory: not valid UTF-8", "change to another one");
  }
  return captured;
}

Result<CapturedContext> CaptureCaller(const LinkOptions& options,
                                      std::unique_ptr<DaemonLink>* link) {
  if (!options.host) return CaptureCaller();
  TRY(auto opened, DaemonLink::Open(options));
  *link = std::move(opened);
  return (*link)->remote()->caller;
}

namespace {

// Warns of Git LFS pointers among the files that commands name, and records them for a warning of
// the verdict. For commits, the build reports them.
void TellOfPointers(v1::SessionSpec* spec) {
  std::set<std::string> pointers;
  for (const v1::Benchmark& benchmark : spec->benchmarks()) {
    if (!benchmark.hooks().build().empty()) continue;
    for (const std::string& input : InputsOf(benchmark)) {
      if (IsLfsPointer(input)) pointers.insert(input);
    }
    for (const v1::Arm& arm : benchmark.arms()) {
      const auto words = SplitCommandLine(arm.command());
      for (const std::string& word : words ? *words : std::vector<std::string>()) {
        if (IsLfsPointer(Absolute(word, arm.cwd()))) pointers.insert(word);
      }
    }
  }
  // These are the limits of the daemon (queue/validate_spec.cc).
  constexpr int kMostPointers = 20;
  constexpr std::size_t kLongestPointer = 1024;
  for (const std::string& path : pointers) {
    std::string told = OneLine(Printable(path));
    if (spec->lfs_pointers_size() < kMostPointers && told.size() <= kLongestPointer) {
      spec->add_lfs_pointers(std::move(told));
    }
    std::cerr << "warning: " << Printable(path)
              << " is a Git LFS pointer instead of the content: run git lfs pull\n";
  }
}

// Returns 128 random bits, by which the daemon recognises a repeated request.
std::string RequestId() {
  std::array<std::uint8_t, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  return ToHex(bytes);
}

}  // namespace

Result<v1::SessionSpec> BuildCallersSpec(const SpecInput& input, const CapturedContext& caller,
                                         bool remote) {
  auto spec = BuildSpec(input, caller.context);
  if (!spec) return spec;
  TRY_VOID(AttachAdapters(&*spec));
  if (!remote) {
    TRY_VOID(CheckPlaces(*spec));
  }
  if (!remote) TellOfPointers(&*spec);
  for (const std::string& note : NotesOnParameters(input)) {
    std::cerr << "warning: " << Printable(note) << "\n";
  }
  for (const std::string& name : caller.skipped) {
    std::cerr << "warning: the environment variable " << name
              << " is not valid UTF-8: commands run without it\n";
  }
  return spec;
}

// After a lost connection, the client does not know whether the session was accepted. Repeating the
// request with the same ID does not submit the session twice.
Result<v1::SubmitResponse> SubmitSession(DaemonLink& link, v1::SessionSpec spec,
                                         const Sending& sending) {
  const Bundle* const bundle = sending.bundle;
  v1::SubmitRequest request;
  *request.mutable_spec() = std::move(spec);
  request.set_request_id(RequestId());
  request.set_follows(sending.follows && link.remote() == nullptr);
  using Stub = v1::SessionService::StubInterface;
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    // The duration of an upload depends on the network, and the user can interrupt it.
    context.set_deadline(std::chrono::system_clock::now() +
                         (bundle != nullptr ? kQueueTimeout : kCallTimeout));
    v1::SubmitResponse response;
    const std::unique_ptr<Stub> stub = v1::SessionService::NewStub(link.channel());
    if (bundle == nullptr) sending.sent();
    const grpc::Status status =
        bundle == nullptr
            ? stub->Submit(&context, request, &response)
            : SendWithBundle(*stub, &context, request, *bundle, sending.sent, &response);
    if (status.ok()) return response;
    if (WaitToAskAgain(context, attempt)) continue;
    if (!IsConnectionLoss(status) || attempt == kAttempts) return link.Explain(FromStatus(status));
    TRY_VOID(link.Reopen());
  }
}

namespace {

// Returns the median of several starts of a shell, after one that loads it into memory.
std::optional<double> MeasureShell(const std::string& program) {
  constexpr std::size_t kStarts = 11;
  using ShellClock = std::chrono::steady_clock;
  const ProcessOrder shell{.words = {program, "-c", ""}};
  std::vector<double> seconds;
  for (std::size_t i = 0; i <= kStarts; ++i) {
    const ShellClock::time_point start = ShellClock::now();
    const auto end = RunProcess(shell);
    if (!end || end->code != 0) return std::nullopt;
    if (i > 0) seconds.push_back(std::chrono::duration<double>(ShellClock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + kStarts / 2);
  return seconds[kStarts / 2];
}

// Returns the shells that run commands, each with the names of its arms; without names if it runs
// all commands.
std::map<std::string, std::string> ShellsOf(const v1::SessionSpec& spec) {
  std::map<std::string, std::vector<std::string>> arms;
  bool everywhere = true;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      everywhere = everywhere && arm.shell();
      if (!arm.shell()) continue;
      std::vector<std::string>& names = arms[arm.interpreter()];
      if (std::ranges::find(names, arm.name()) == names.end()) names.push_back(arm.name());
    }
  }
  std::map<std::string, std::string> shells;
  for (const auto& [program, names] : arms) {
    shells[program] = everywhere && arms.size() == 1 ? "" : Join(names, ", ");
  }
  return shells;
}

}  // namespace

void WarnOfShellCost(const v1::SessionSpec& spec, const v1::QueueStatus& status) {
  const bool busy = !status.running().empty() || status.has_reserved_by() || status.queued() > 0;
  if (busy) return;
  for (const auto& [program, arms] : ShellsOf(spec)) {
    const std::optional<double> seconds = MeasureShell(program.empty() ? "/bin/sh" : program);
    if (!seconds) continue;
    std::cerr << "benchctl: `" << (program.empty() ? "sh" : Printable(program))
              << " -c` alone takes about " << FormatQuantity(*seconds, "s", StyleOf(STDERR_FILENO))
              << " here; every run" << (arms.empty() ? "" : " of " + Printable(arms))
              << " includes this time, which is not subtracted\n";
  }
}

std::string WhoHasTheMachine(const DaemonLink& link) {
  const v1::QueueStatus& status = link.status();
  if (!status.running().empty()) return "session " + Printable(status.running()) + " is running";
  if (status.has_reserved_by()) {
    return Printable(link.UserNameThere(status.reserved_by())) + " has reserved the machine";
  }
  return "";
}

}  // namespace benchd::client
