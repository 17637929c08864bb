#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/model/profile.h"

/// The samples of one run, as benchd-runner hands them to `benchd-helper profile` (stdin, a file in
/// memory whose offset is 0):
///
///     ProfileHeader                    at offset 0
///     ProfileEvent[event_count]        directly after it
///     records of the kernel            from `records_at` to the end of the file
///
/// A record is the one that perf_event_open(2) describes: a perf_event_header and its fields, as
/// the kernel wrote it. The runner copies records and does not read their fields. All integers are
/// in the byte order of the machine, because both programs run on it.
///
/// The records are of the types MMAP, MMAP2 (with a build ID if the kernel could read one), COMM,
/// FORK, EXIT, LOST, THROTTLE, UNTHROTTLE and SAMPLE; a newer kernel may add others. Every CPU has
/// a buffer of its own. The records of one CPU are in order of time, and those of several CPUs are
/// in no order: sort them by their time, stably. A time is CLOCK_MONOTONIC in nanoseconds.
///
/// The fields of a SAMPLE are those of `sample_type`: IDENTIFIER, IP, TID, TIME, PERIOD, CALLCHAIN
/// and, if the profile is CallGraph::kDwarf, REGS_USER and STACK_USER. It has no READ. All other
/// records end with the sample_id of `sample_type`: pid and tid, time, identifier. An identifier is
/// that of one of the events in the table, also in descendants of the process.
///
/// The contents of stacks and names are the program's. The helper must expect any bytes in them.
namespace benchd::wire {

inline constexpr std::array<char, 8> kProfileMagic{'b', 'd', 's', 'a', 'm', 'p', 'l', 'e'};
inline constexpr std::uint32_t kProfileVersion = 1;

/// The maximum size of the stream. Records that do not fit are dropped, and counted.
inline constexpr std::size_t kProfileBytes = kMostProfileBytes;

/// The size of the copy of the stack in a sample of CallGraph::kDwarf. The callers whose frames lie
/// beyond are unknown.
inline constexpr std::uint32_t kProfileStackBytes = 8 * 1024;

/// What an event of the stream counts.
enum class ProfileEventKind : std::uint32_t { kTime, kInstructions, kCacheMisses };

/// Returns the metric whose samples are made from the event's records (model/profile.h). One record
/// of kTime is one sample, regardless of its period. A record of the others stands for as many
/// events as its period.
constexpr std::string_view MetricOf(ProfileEventKind kind) {
  switch (kind) {
    case ProfileEventKind::kInstructions:
      return kInstructionStackMetric;
    case ProfileEventKind::kCacheMisses:
      return kCacheMissStackMetric;
    case ProfileEventKind::kTime:
      break;
  }
  return kStackMetric;
}

struct ProfileEvent {
  std::uint64_t id = 0;  ///< PERF_SAMPLE_IDENTIFIER
  ProfileEventKind kind = ProfileEventKind::kTime;
  std::uint32_t cpu = 0;
};

struct ProfileHeader {
  std::array<char, 8> magic = kProfileMagic;
  std::uint32_t version = kProfileVersion;
  std::uint32_t event_count = 0;
  std::uint64_t records_at = 0;  ///< offset of the first record; a multiple of 8
  std::uint64_t sample_type = 0;
  /// sample_regs_user: a bit for each register in a sample, numbered as in <asm/perf_regs.h>. The
  /// kernel stores the lowest bit first. 0 if the profile is not CallGraph::kDwarf.
  std::uint64_t registers = 0;
  std::uint32_t stack_bytes = 0;  ///< kProfileStackBytes, or 0
  std::int32_t pid = 0;           ///< the process that the runner started
  /// The number of samples that did not fit into kProfileBytes. The samples that the kernel lost
  /// are in the LOST records.
  std::uint64_t lost_samples = 0;
};

static_assert(std::is_trivially_copyable_v<ProfileHeader> && sizeof(ProfileHeader) == 56);
static_assert(std::is_trivially_copyable_v<ProfileEvent> && sizeof(ProfileEvent) == 16);

}  // namespace benchd::wire
