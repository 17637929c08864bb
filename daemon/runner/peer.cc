#include "daemon/runner/peer.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/launch/child_limits.h"
#include "daemon/launch/host.h"
#include "daemon/settings/machine_owner.h"
#include "daemon/wire/channel.h"

namespace benchd {
namespace {

/// The time between the two samples of a diagnosis.
constexpr std::int64_t kDiagnosisTime = 1'000'000'000;

}  // namespace

Peer::Peer(MeasuredRun::Services services, UniqueFd socket, PeerOwner& owner)
    : services_(services),
      owner_(owner),
      socket_(std::move(socket)),
      batch_(services, children_, *this),
      callers_(services.loop, services.host, services.tree, services.access, *this),
      lookups_(services.loop, services.host, services.tree, callers_, *this),
      diagnosis_timer_(services.loop, *this) {
  services_.machine.DaemonCame();
  watch_.emplace(services_.loop, socket_.get(), *this);
}

bool Peer::IsClosed() const {
  // This also detects a closed connection that still contains an unread request.
  pollfd peer{socket_.get(), 0, 0};
  return gone_ || (poll(&peer, 1, 0) == 1 && (peer.revents & (POLLHUP | POLLERR)) != 0);
}

void Peer::OnReady(int fd, std::uint32_t) {
  if (fd == diagnosis_timer_.fd()) return FinishDiagnosis();
  auto record = wire::ReceiveRecord(socket_.get());
  if (!record && record.error().code == ErrorCode::kResourceExhausted) return;
  if (!record || record->empty()) {
    if (!record) Log(LogLevel::kWarning, "benchd: " + record.error().message + "; disconnecting");
    return HangUp();
  }
  auto decoded = wire::Decode(*record);
  if (!decoded) {
    Log(LogLevel::kWarning, "benchd: " + decoded.error().message + "; disconnecting");
    return HangUp();
  }
  if (!greeted_ && !std::holds_alternative<wire::Hello>(decoded->message)) {
    Log(LogLevel::kWarning, "benchd: its first message is not Hello; disconnecting");
    return HangUp();
  }
  std::visit([this, request = decoded->request](
                 auto&& one) { Handle(request, std::forward<decltype(one)>(one)); },
             std::move(decoded->message));
}

void Peer::Handle(std::uint64_t request, wire::Hello message) {
  greeted_ = true;
  wire::HelloReply reply;
  reply.pid = getpid();
  reply.privileged = services_.host.privileged;
  reply.housekeeping_cpus = services_.host.cpus.housekeeping;
  reply.benchmark_cpus = services_.host.cpus.benchmark;
  for (const KnownProfile& known : services_.machine.profiles()) {
    reply.profiles.push_back({known.profile.name, known.RequestableCpus()});
  }
  Answer(request, reply);
  if (message.version == wire::kVersion || gone_) return;
  Log(LogLevel::kWarning,
      fmt::format(
          "benchd: it uses protocol version {}, but this runner uses version {}; disconnecting",
          message.version, wire::kVersion));
  HangUp();
}

template <typename Other>
void Peer::Handle(std::uint64_t request, Other message) {
  if constexpr (std::is_constructible_v<decltype(Ordered::message), Other>) {
    ordered_.push_back({request, std::move(message)});
    ServeInOrder();
  } else {
    Log(LogLevel::kWarning, "benchd: it sent a message reserved for runners; disconnecting");
    HangUp();
  }
}

void Peer::ServeInOrder() {
  while (!ordered_.empty()) {
    if (auto* const open = std::get_if<wire::OpenChild>(&ordered_.front().message)) {
      auto admitted = callers_.Admit(open->child.caller);
      if (!admitted) return;
      if (!*admitted) {
        Answer(ordered_.front().request, Result<void>(std::move(*admitted).error()));
        ordered_.pop_front();
        continue;
      }
      open->child.caller = std::move(**admitted);
    }
    Ordered next = std::move(ordered_.front());
    ordered_.pop_front();
    std::visit([this, request = next.request](
                   auto&& one) { Do(request, std::forward<decltype(one)>(one)); },
               std::move(next.message));
  }
}

void Peer::OnCallerKnown() {
  ServeInOrder();
  lookups_.GoOn();
}

void Peer::Do(std::uint64_t request, wire::OpenChild message) {
  Answer(request, Open(std::move(message)));
}

Result<void> Peer::Open(wire::OpenChild message) {
  if (!batch_.idle())
    return Error{ErrorCode::kFailedPrecondition, "child: a run is in progress", {}};
  ChildSpec& from = message.child;
  LaunchSpec spec;
  spec.caller = std::move(from.caller);
  spec.argv = std::move(from.argv);
  for (const auto& [name, value] : from.env) spec.env.push_back(name + "=" + value);
  spec.cwd = std::move(from.cwd);
  spec.input = std::move(from.input);
  spec.cpus = std::move(from.cpus);
  std::sort(spec.cpus.begin(), spec.cpus.end());
  spec.program = std::move(from.program);
  spec.settings = SettingsOf(spec.cpus);
  LimitEach(spec.caller);
  if (from.output == OutputKind::kFile) {
    if (from.output_path.empty()) return InvalidArgument("output", "the file name is missing");
    spec.output_path = from.output_path;
  }
  TRY_VOID(LaunchPlan::Check(services_.host, spec));
  if (from.profile) {
    TRY_VOID(CheckSampling(*from.profile, spec.cpus));
  }
  if (children_.empty()) JoinFreshKeyring(services_.host);
  OpenedChild child;
  child.plan = std::make_unique<LaunchPlan>(services_.host, std::move(spec));
  child.output = from.output;
  child.output_path = std::move(from.output_path);
  child.parse = std::move(from.parse);
  child.adapter = std::move(from.adapter);
  child.parse_stderr = from.parse_stderr;
  child.check_output = from.check_output;
  child.parse_file = std::move(from.parse_file);
  child.accept_exit = std::move(from.accept_exit);
  batch_.DropPrepared();
  TRY(auto needs, ChooseMetrics(std::move(from.metrics),
                                {services_.host, services_.perf, services_.disturbances,
                                 *services_.groups[0], services_.counters_always}));
  child.needs = std::move(needs);
  child.needs.profile = std::move(from.profile);
  children_.insert_or_assign(message.number, std::move(child));
  return {};
}

/// Opens the events of a sampled run on this process.
/// @errors if the kernel does not let the runner sample programs
Result<void> Peer::CheckSampling(const Profile& profile, const std::vector<int>& cpus) const {
  constexpr pid_t kSelf = 0;
  return Profiler(nullptr, services_.perf)
      .Open(profile, kSelf, cpus.empty() ? services_.host.usable_cpus : cpus);
}

void Peer::Do(std::uint64_t request, wire::CloseChildren) {
  Result<void> closed;
  if (batch_.idle()) {
    ForgetChildren();
  } else {
    closed = Error{ErrorCode::kFailedPrecondition, "children: a run is in progress", {}};
  }
  Answer(request, closed);
}

void Peer::ForgetChildren() {
  batch_.DropPrepared();
  children_.clear();
  for (TreeGroup* const group : services_.groups) group->Renew();
}

void Peer::Do(std::uint64_t request, wire::RunBatch message) {
  services_.machine.CheckCpuset();
  if (batch_.idle()) batch_request_ = request;
  auto started = batch_.Start(std::move(message.batch));
  if (!started) Answer(request, wire::BatchFigures{{}, std::move(started)});
}

void Peer::Do(std::uint64_t, wire::CancelRun) { batch_.Cancel(); }

void Peer::OnBatchFinished(wire::BatchFigures finished) {
  if (gone_) return LeaveIfDone();
  services_.machine.CheckCpuset();
  Answer(batch_request_, std::move(finished));
}

void Peer::Handle(std::uint64_t request, wire::AcquireMachine message) {
  Answer(request, services_.machine.Acquire(message.machine));
  ForgetCode();
}

void Peer::Handle(std::uint64_t request, wire::ReleaseMachine) {
  batch_.DropPrepared();
  Answer(request, services_.machine.Release());
}

void Peer::Handle(std::uint64_t request, wire::DescribeMachine message) {
  Answer(request, services_.machine.Describe(message.profile));
}

void Peer::Handle(std::uint64_t request, wire::ApplyProfile message) {
  Answer(request, services_.machine.Apply(message.profile));
}

void Peer::Handle(std::uint64_t request, wire::RestoreMachine) {
  Answer(request, services_.machine.Restore());
}

void Peer::Handle(std::uint64_t request, wire::DiagnoseMachine) {
  if (diagnoses_.empty()) {
    diagnosis_before_ = services_.machine.Sample();
    diagnosis_timer_.Arm(kDiagnosisTime);
  }
  diagnoses_.push_back(request);
}

void Peer::FinishDiagnosis() {
  if (!diagnosis_timer_.TakeExpiry()) return;
  const Result<std::vector<NoiseSource>> sources = services_.machine.Diagnose(diagnosis_before_);
  for (const std::uint64_t request : std::exchange(diagnoses_, {})) {
    Answer(request, sources);
  }
}

/// Applies the per-process limits from [children]. The control groups enforce the limits on the
/// whole process tree.
void Peer::LimitEach(Caller& caller) const {
  LowerLimits(caller.limits, services_.limits);
  if (services_.groups[0]->held().processes != kNoLimit) return;
  LimitProcessesOf(caller.uid, services_.limits.processes.value_or(kDefaultProcesses),
                   caller.limits);
}

/// Returns the settings that the session's profile gives to each child.
ChildSettings Peer::SettingsOf(const std::vector<int>& cpus) const {
  const MachineProfile& profile = services_.machine.child_profile();
  ChildSettings settings;
  settings.nice = profile.nice;
  settings.policy = profile.policy;
  settings.fixed_layout = !profile.aslr;
  settings.drop_caches = profile.drop_caches;
  if (profile.numa_local) {
    if (auto topology = ReadTopology(services_.host.files)) {
      settings.numa_nodes = NodesOf(*topology, cpus);
    }
  }
  return settings;
}

void Peer::Handle(std::uint64_t request, wire::Resolve message) {
  lookups_.Add(request, std::move(message));
}

void Peer::OnLookedUp(std::uint64_t request, Result<ProgramIdentity> program) {
  Answer(request, std::move(program));
}

void Peer::Answer(std::uint64_t request, const wire::Message& message) {
  if (gone_) return;
  if (auto sent = wire::SendRecord(socket_.get(), wire::Encode(message, request)); !sent) {
    // A closed end makes the socket readable, and the event loop then hangs up after this call.
    if (sent.error().code == ErrorCode::kUnavailable) shutdown(socket_.get(), SHUT_RDWR);
    Log(LogLevel::kWarning, "benchd: " + sent.error().message);
  }
}

void Peer::HangUp() {
  if (gone_) return;
  gone_ = true;
  watch_.reset();
  shutdown(socket_.get(), SHUT_RDWR);
  ordered_.clear();
  lookups_.Clear();
  callers_.Clear();
  if (batch_.idle()) return LeaveIfDone();
  batch_.Cancel();
}

void Peer::LeaveIfDone() {
  if (!batch_.idle()) return;
  ForgetChildren();
  services_.machine.DaemonGone();
  owner_.OnPeerGone(*this);
}

}  // namespace benchd
