#include "daemon/launch/profiler.h"

#include <asm/perf_regs.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/try.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

/// The size of each buffer. With the page before it, this is what a user may lock for each CPU
/// (kernel.perf_event_mlock_kb, by default). Copies of stacks need more.
constexpr std::size_t kBufferBytes = 512 * 1024;
constexpr std::size_t kBufferBytesWithStacks = 4 * 1024 * 1024;
/// The limit on all buffers of a run, for machines with many CPUs.
constexpr std::size_t kAllBuffersBytes = 64 * 1024 * 1024;
/// Room for a few samples with a copy of the stack; one page, if pages are large.
constexpr std::size_t kLeastBufferBytes = 64 * 1024;

/// The registers from which the frames of a stack can be unwound: the general ones, the stack
/// pointer and the program counter.
#if defined(__x86_64__)
constexpr std::uint64_t kUserRegisters =
    ((std::uint64_t{1} << (PERF_REG_X86_IP + 1)) - 1) |
    ((std::uint64_t{1} << (PERF_REG_X86_R15 + 1)) - (std::uint64_t{1} << PERF_REG_X86_R8));
#elif defined(__aarch64__)
constexpr std::uint64_t kUserRegisters = (std::uint64_t{1} << (PERF_REG_ARM64_PC + 1)) - 1;
#else
#error "the registers for the unwinder are unknown for this architecture"
#endif

constexpr std::uint64_t kSampleType = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                      PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

/// What read(2) returns for an event of this file.
struct Shown {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t id = 0;
};

std::optional<Shown> Show(const UniqueFd& event) {
  Shown shown;
  if (read(event.get(), &shown, sizeof(shown)) != sizeof(shown)) return {};
  return shown;
}

wire::ProfileHeader HeaderOf(const Profile& profile, pid_t pid) {
  wire::ProfileHeader header;
  header.pid = pid;
  header.sample_type = kSampleType;
  if (profile.call_graph == CallGraph::kDwarf) {
    header.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    header.registers = kUserRegisters;
    header.stack_bytes = wire::kProfileStackBytes;
  }
  return header;
}

/// Returns the attributes that all events of a run have in common.
perf_event_attr CommonAttributes(const wire::ProfileHeader& header) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.sample_type = header.sample_type;
  attributes.sample_regs_user = header.registers;
  attributes.sample_stack_user = header.stack_bytes;
  attributes.read_format =
      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.exclude_callchain_kernel = 1;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  // The kernel wakes the runner when half of the buffer is full, which is its default.
  attributes.watermark = 1;
  return attributes;
}

perf_event_attr ClockAttributes(const wire::ProfileHeader& header, std::uint64_t period_ns) {
  perf_event_attr attributes = CommonAttributes(header);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period_ns;
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.build_id = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  return attributes;
}

/// Returns the size of the buffer of one CPU, a power of two.
std::size_t BufferBytes(const wire::ProfileHeader& header, std::size_t cpu_count) {
  const std::size_t wanted = header.stack_bytes > 0 ? kBufferBytesWithStacks : kBufferBytes;
  const std::size_t share = kAllBuffersBytes / std::max<std::size_t>(cpu_count, 1);
  return std::clamp(std::bit_floor(share), kLeastBufferBytes, wanted);
}

/// Events of the processor, which are sampled where it has them.
struct HardwareEvent {
  const char* metric = nullptr;
  std::uint64_t config = 0;
  wire::ProfileEventKind kind = wire::ProfileEventKind::kTime;
};

constexpr HardwareEvent kHardwareEvents[] = {
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS, wire::ProfileEventKind::kInstructions},
    {"cache_misses", PERF_COUNT_HW_CACHE_MISSES, wire::ProfileEventKind::kCacheMisses},
};

perf_event_attr HardwareAttributes(const wire::ProfileHeader& header, const HardwareEvent& event,
                                   std::uint32_t frequency_hz) {
  perf_event_attr attributes = CommonAttributes(header);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event.config;
  attributes.freq = 1;
  attributes.sample_freq = frequency_hz;
  return attributes;
}

Error Impossible(std::string why, std::string hint) {
  return Error{ErrorCode::kFailedPrecondition, "profile: " + std::move(why), std::move(hint)};
}

/// Describes why the kernel refused to sample.
Error DescribeRefusal(int error, const std::string& paranoia) {
  const std::string call = std::string("perf_event_open: ") + std::strerror(error);
  if (error == EACCES || error == EPERM) {
    constexpr int kSamplesAllowed = 2;
    const auto level = ParseCount(paranoia);
    const std::string what = "the kernel does not let this user sample programs";
    if (level && *level > kSamplesAllowed) {
      return Impossible(what + " (kernel.perf_event_paranoid is " + paranoia + ")",
                        "set it to 2: sysctl kernel.perf_event_paranoid=2, or ask an "
                        "administrator");
    }
    return Impossible(what + " (" + call + ")",
                      "a container or a security module may forbid it; ask an administrator");
  }
  if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP) {
    return Impossible("this kernel cannot sample programs (" + call + ")",
                      "use a kernel with CONFIG_PERF_EVENTS");
  }
  return Impossible(call, "");
}

}  // namespace

bool ShareBuffer(int event, int owner) {
  return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, owner) == 0;
}

Profiler::Profiler(EventLoop* loop, const PerfSupport& support, ShareSampleBuffer share)
    : loop_(loop),
      support_(support),
      share_(std::move(share)),
      numbers_(static_cast<std::uint64_t>(MonotonicNow()), 0) {}

Result<void> Profiler::Open(const Profile& profile, pid_t pid, std::span<const int> cpus) {
  Close();
  if (profile.frequency_hz < kLeastSampleHz || profile.frequency_hz > kMostSampleHz) {
    return InvalidArgument("profile",
                           fmt::format("{} Hz is not between {} and {} Hz", profile.frequency_hz,
                                       kLeastSampleHz, kMostSampleHz));
  }
  header_ = HeaderOf(profile, pid);
  period_ns_ = DrawPeriod(kSecondNs / profile.frequency_hz);
  buffer_bytes_ = BufferBytes(header_, cpus.size());
  auto opened = OpenAll(profile, pid, cpus);
  while (!opened && opened.error().code == ErrorCode::kResourceExhausted &&
         buffer_bytes_ > kLeastBufferBytes) {
    buffer_bytes_ /= 2;
    opened = OpenAll(profile, pid, cpus);
  }
  if (!opened) Close();
  return opened;
}

/// Returns a random period between a half and three halves of the nominal one. The sum of two
/// uniform numbers spreads the later samples more evenly over a run than one such number.
std::uint64_t Profiler::DrawPeriod(std::uint64_t nominal_ns) {
  const std::uint64_t half = nominal_ns / 2;
  return half + numbers_.Next() % (half + 1) + numbers_.Next() % (half + 1);
}

/// Opens the events on all CPUs, after closing those that are open.
Result<void> Profiler::OpenAll(const Profile& profile, pid_t pid, std::span<const int> cpus) {
  Close();
  for (const int cpu : cpus) {
    const std::size_t before = cpus_.size();
    TRY_VOID(AddClock(pid, cpu));
    if (cpus_.size() > before) AddOthers(profile, pid, cpu);
  }
  auto file = ProfileFile::Create(table_.size());
  if (!file) return std::move(file).error().Within("profile");
  file_ = std::move(*file);
  return {};
}

Result<void> Profiler::AddClock(pid_t pid, int cpu) {
  perf_event_attr attributes = ClockAttributes(header_, period_ns_);
  int file = support_.OpenOther(attributes, pid, cpu);
  if (file == -EINVAL) {
    attributes.build_id = 0;  // unknown before Linux 5.12
    file = support_.OpenOther(attributes, pid, cpu);
  }
  // The CPU is offline, or the process was killed at its gate.
  if (file == -ENODEV || file == -ESRCH) return {};
  if (file < 0) return DescribeRefusal(-file, support_.paranoia());
  UniqueFd clock(file);
  auto buffer = SampleBuffer::Map(clock.get(), buffer_bytes_);
  if (!buffer) return std::move(buffer).error().Within("profile");
  const auto shown = Show(clock);
  if (!shown) return SystemError("profile: reading an event", errno);
  table_.push_back({shown->id, wire::ProfileEventKind::kTime, static_cast<std::uint32_t>(cpu)});
  CpuEvents& events = cpus_.emplace_back();
  events.clock = std::move(clock);
  events.buffer = std::move(*buffer);
  if (loop_ != nullptr) events.watch.emplace(*loop_, events.clock.get(), *this);
  return {};
}

/// Adds the events of the processor. They are an addition, so refusals are ignored.
void Profiler::AddOthers(const Profile& profile, pid_t pid, int cpu) {
  CpuEvents& events = cpus_.back();
  for (const HardwareEvent& event : kHardwareEvents) {
    if (!support_.WhyNot(event.metric).empty()) continue;
    const perf_event_attr attributes = HardwareAttributes(header_, event, profile.frequency_hz);
    UniqueFd other(support_.OpenOther(attributes, pid, cpu));
    if (!other || !share_(other.get(), events.clock.get())) continue;
    const auto shown = Show(other);
    if (!shown) continue;
    table_.push_back({shown->id, event.kind, static_cast<std::uint32_t>(cpu)});
    events.others.push_back(std::move(other));
  }
}

void Profiler::OnReady(int fd, std::uint32_t ready) {
  for (CpuEvents& events : cpus_) {
    if (events.clock.get() != fd) continue;
    if (file_) events.buffer.Drain(*file_);
    // All processes of the event have ended, and its descriptor stays ready.
    if ((ready & (EPOLLHUP | EPOLLERR)) != 0) events.watch.reset();
    return;
  }
}

void Profiler::Stop() {
  for (CpuEvents& events : cpus_) {
    events.watch.reset();
    if (file_) events.buffer.Drain(*file_);
    watched_ns_ += Show(events.clock).value_or(Shown{}).value;
  }
  cpus_.clear();
}

Result<UniqueFd> Profiler::Take(std::int64_t cpu_us) {
  if (!file_ || table_.empty()) return Impossible("the program could not be sampled", "");
  if (WasUnwatched(watched_ns_, cpu_us)) {
    return Impossible("the kernel does not sample programs that are set-user-ID or not readable",
                      "let an ordinary program do the work, which its user may read");
  }
  auto file = file_->Finish(header_, table_);
  if (!file) return std::move(file).error().Within("profile");
  file_.reset();
  return file;
}

void Profiler::Close() {
  cpus_.clear();
  table_.clear();
  file_.reset();
  watched_ns_ = 0;
}

}  // namespace benchd
