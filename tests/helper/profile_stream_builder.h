#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "daemon/wire/profile_stream.h"

namespace benchd::test {

/// Writes the stream of a sampled run as the runner and the kernel do.
class ProfileStreamBuilder {
 public:
  static constexpr std::uint64_t kTimeEvent = 41;
  static constexpr std::uint64_t kInstructionEvent = 42;

  ProfileStreamBuilder() {
    header_.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                          PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
    header_.pid = 100;
  }

  wire::ProfileHeader& header() { return header_; }

  /// From here on, samples have registers and a copy of the stack.
  void WithState(std::uint64_t registers) {
    header_.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    header_.registers = registers;
    header_.stack_bytes = wire::kProfileStackBytes;
  }

  struct Mapping {
    std::uint32_t pid = 100;
    std::uint64_t start = 0;
    std::uint64_t bytes = 0x1000;
    std::uint64_t file_offset = 0;
    std::string path;
    std::string build_id = {};  ///< at most 20 bytes; empty: the file's number instead
    std::uint64_t inode = 0;
  };
  void Map(std::uint64_t time_ns, const Mapping& mapping) {
    std::string fields =
        Bytes(mapping.pid, mapping.pid, mapping.start, mapping.bytes, mapping.file_offset);
    if (mapping.build_id.empty()) {
      fields += Bytes(std::uint32_t{8}, std::uint32_t{1}, mapping.inode, std::uint64_t{7});
    } else {
      std::string id = mapping.build_id;
      id.resize(20);
      fields += Bytes(static_cast<std::uint8_t>(mapping.build_id.size()), std::uint8_t{0},
                      std::uint16_t{0}) +
                id;
    }
    fields += Bytes(std::uint32_t{5}, std::uint32_t{2}) + Padded(mapping.path);
    const std::uint32_t misc = mapping.build_id.empty() ? 0 : PERF_RECORD_MISC_MMAP_BUILD_ID;
    Add(PERF_RECORD_MMAP2, misc, fields + SampleId(mapping.pid, time_ns));
  }

  void Exec(std::uint64_t time_ns, std::uint32_t pid) {
    Add(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
        Bytes(pid, pid) + Padded("name") + SampleId(pid, time_ns));
  }
  void Rename(std::uint64_t time_ns, std::uint32_t pid) {
    Add(PERF_RECORD_COMM, 0, Bytes(pid, pid) + Padded("name") + SampleId(pid, time_ns));
  }
  void Fork(std::uint64_t time_ns, std::uint32_t pid, std::uint32_t parent) {
    Add(PERF_RECORD_FORK, 0, Bytes(pid, parent, pid, parent, time_ns) + SampleId(parent, time_ns));
  }
  void StartThread(std::uint64_t time_ns, std::uint32_t pid, std::uint32_t tid) {
    Add(PERF_RECORD_FORK, 0, Bytes(pid, pid, tid, pid, time_ns) + SampleId(pid, time_ns));
  }
  void Exit(std::uint64_t time_ns, std::uint32_t pid) {
    Add(PERF_RECORD_EXIT, 0, Bytes(pid, pid, pid, pid, time_ns) + SampleId(pid, time_ns));
  }
  void Lose(std::uint64_t time_ns, std::uint64_t count) {
    Add(PERF_RECORD_LOST, 0, Bytes(kTimeEvent, count) + SampleId(0, time_ns));
  }

  /// @param addresses  from the innermost function outwards
  void Sample(std::uint64_t time_ns, std::uint32_t pid, const std::vector<std::uint64_t>& addresses,
              std::uint64_t event = kTimeEvent, std::uint64_t period = 1'000'000) {
    Add(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
        SampleFields(time_ns, pid, addresses, event, period));
  }
  /// @param registers  those of WithState(), in order
  void SampleWithState(std::uint64_t time_ns, std::uint32_t pid, std::uint64_t address,
                       const std::vector<std::uint64_t>& registers, std::string_view stack) {
    std::string fields = SampleFields(time_ns, pid, {address}, kTimeEvent, 1);
    fields += Bytes(std::uint64_t{PERF_SAMPLE_REGS_ABI_64});
    for (const std::uint64_t value : registers) fields += Bytes(value);
    std::string copy(stack);
    copy.resize(wire::kProfileStackBytes);
    fields += Bytes(std::uint64_t{copy.size()}) + copy;
    fields += Bytes(std::uint64_t{stack.size()});
    Add(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, fields);
  }

  void Add(std::uint32_t type, std::uint32_t misc, std::string_view fields) {
    perf_event_header header{};
    header.type = type;
    header.misc = static_cast<std::uint16_t>(misc);
    header.size = static_cast<std::uint16_t>(sizeof(header) + fields.size());
    records_ += Bytes(header);
    records_ += fields;
  }

  std::string Build() const {
    const std::vector<wire::ProfileEvent> events{
        {kInstructionEvent, wire::ProfileEventKind::kInstructions, 0},
        {kTimeEvent, wire::ProfileEventKind::kTime, 0}};
    wire::ProfileHeader header = header_;
    header.event_count = static_cast<std::uint32_t>(events.size());
    header.records_at = sizeof(header) + events.size() * sizeof(wire::ProfileEvent);
    return Bytes(header, events[0], events[1]) + records_;
  }

  /// The bytes of values, one after the other.
  template <typename... Values>
  static std::string Bytes(const Values&... values) {
    std::string bytes;
    (AppendBytes(values, bytes), ...);
    return bytes;
  }

  /// A text with its zero, filled up to a multiple of 8 bytes, as in the kernel's records.
  static std::string Padded(std::string text) {
    text.resize((text.size() / 8 + 1) * 8);
    return text;
  }

  static std::string SampleId(std::uint32_t pid, std::uint64_t time_ns) {
    return Bytes(pid, pid, time_ns, kTimeEvent);
  }

 private:
  template <typename T>
  static void AppendBytes(const T& value, std::string& bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t before = bytes.size();
    bytes.resize(before + sizeof(T));
    std::memcpy(bytes.data() + before, &value, sizeof(T));
  }

  static std::string SampleFields(std::uint64_t time_ns, std::uint32_t pid,
                                  const std::vector<std::uint64_t>& addresses, std::uint64_t event,
                                  std::uint64_t period) {
    const std::uint64_t first = addresses.empty() ? 0 : addresses[0];
    std::string fields = Bytes(event, first, pid, pid, time_ns, period);
    fields +=
        Bytes(std::uint64_t{addresses.size() + 1}, static_cast<std::uint64_t>(PERF_CONTEXT_USER));
    for (const std::uint64_t address : addresses) fields += Bytes(address);
    return fields;
  }

  wire::ProfileHeader header_;
  std::string records_;
};

}  // namespace benchd::test
