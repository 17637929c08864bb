#include "daemon/helper/profile_records.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "core/base/try.h"

namespace benchd {
namespace {

/// The fields that a sample may have, and those that it must have.
constexpr std::uint64_t kKnownFields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
constexpr std::uint64_t kNeededFields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;

/// The bytes of the sample_id at the end of a record: pid and tid, time, identifier.
constexpr std::size_t kSampleIdBytes = 24;
/// The bytes of the sample_id before its time.
constexpr std::size_t kBeforeTime = 8;

Error BadStream(std::string_view why) { return InvalidArgument("profile", why); }

/// Takes fields from the start of a record. After the end it yields zeros, and ok() is false.
class FieldCursor {
 public:
  explicit FieldCursor(std::string_view rest) : rest_(rest) {}

  template <typename T>
  T Take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const std::string_view bytes = TakeBytes(sizeof(T));
    if (ok_) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  std::string_view TakeBytes(std::uint64_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  /// Takes an array of 64-bit numbers.
  std::string_view TakeNumbers(std::uint64_t count) {
    constexpr std::uint64_t kWidth = sizeof(std::uint64_t);
    return TakeBytes(count > rest_.size() ? rest_.size() + 1 : count * kWidth);
  }

  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

/// Removes the header and, except from samples, the sample_id.
FieldCursor FieldsOf(std::string_view record, bool has_sample_id) {
  record.remove_prefix(sizeof(perf_event_header));
  if (has_sample_id) record.remove_suffix(std::min(record.size(), kSampleIdBytes));
  return FieldCursor(record);
}

perf_event_header HeaderOf(std::string_view record) {
  return FieldCursor(record).Take<perf_event_header>();
}

std::string_view UntilZero(std::string_view text) { return text.substr(0, text.find('\0')); }

/// MMAP, MMAP2 with the file's number, or MMAP2 with its build ID.
std::optional<MappingRecord> DecodeMapping(std::string_view record) {
  const perf_event_header header = HeaderOf(record);
  FieldCursor fields = FieldsOf(record, true);
  MappingRecord mapping;
  mapping.pid = fields.Take<std::uint32_t>();
  fields.Take<std::uint32_t>();  // tid
  mapping.start = fields.Take<std::uint64_t>();
  mapping.bytes = fields.Take<std::uint64_t>();
  mapping.file_offset = fields.Take<std::uint64_t>();
  if (header.type == PERF_RECORD_MMAP2) {
    FieldCursor identity(fields.TakeBytes(24));
    fields.TakeBytes(8);  // prot, flags
    if ((header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) {
      const auto size = identity.Take<std::uint8_t>();
      identity.TakeBytes(3);
      mapping.file.build_id = identity.rest().substr(0, size);
    } else {
      identity.TakeBytes(8);  // the device, which differs from stat()'s on some file systems
      mapping.file.inode = identity.Take<std::uint64_t>();
    }
  }
  mapping.file.path = UntilZero(fields.rest());
  if (!fields.ok()) return std::nullopt;
  return mapping;
}

struct ProcessPair {
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  std::uint32_t tid = 0;
};

/// FORK or EXIT.
std::optional<ProcessPair> DecodeProcess(std::string_view record) {
  FieldCursor fields = FieldsOf(record, true);
  ProcessPair pair;
  pair.pid = fields.Take<std::uint32_t>();
  pair.parent = fields.Take<std::uint32_t>();
  pair.tid = fields.Take<std::uint32_t>();
  if (!fields.ok()) return std::nullopt;
  return pair;
}

}  // namespace

std::uint64_t UserState::Register(unsigned number) const {
  const std::uint64_t bit = std::uint64_t{1} << number;
  if ((mask & bit) == 0) return 0;
  const auto index = static_cast<std::size_t>(std::popcount(mask & (bit - 1)));
  constexpr std::size_t kWidth = sizeof(std::uint64_t);
  if ((index + 1) * kWidth > registers.size()) return 0;
  return FieldCursor(registers.substr(index * kWidth)).Take<std::uint64_t>();
}

Result<ProfileRecords> ProfileRecords::Parse(std::string_view stream) {
  ProfileRecords records(stream);
  TRY_VOID(records.ParseHeader());
  TRY_VOID(records.FindRecords());
  return records;
}

Result<void> ProfileRecords::ParseHeader() {
  if (stream_.size() > wire::kProfileBytes) return BadStream("the stream is too large");
  FieldCursor fields(stream_);
  header_ = fields.Take<wire::ProfileHeader>();
  if (!fields.ok() || header_.magic != wire::kProfileMagic) {
    return BadStream("the stream has no header");
  }
  if (header_.version != wire::kProfileVersion) {
    return BadStream(fmt::format("version {} of the stream is unknown", header_.version));
  }
  if ((header_.sample_type & ~kKnownFields) != 0 ||
      (header_.sample_type & kNeededFields) != kNeededFields) {
    return BadStream(fmt::format("samples of type {:#x} are unknown", header_.sample_type));
  }
  if (header_.event_count > fields.rest().size() / sizeof(wire::ProfileEvent) ||
      header_.records_at > stream_.size() ||
      header_.records_at <
          sizeof(header_) + header_.event_count * std::uint64_t{sizeof(wire::ProfileEvent)}) {
    return BadStream("the table of events does not fit");
  }
  for (std::uint32_t i = 0; i < header_.event_count; ++i) {
    const auto event = fields.Take<wire::ProfileEvent>();
    if (event.kind > wire::ProfileEventKind::kCacheMisses) return BadStream("an event is unknown");
    events_.push_back(event);
  }
  std::ranges::sort(events_, {}, &wire::ProfileEvent::id);
  lost_samples_ = header_.lost_samples;
  return {};
}

/// Returns the record at an offset, or an empty view if it does not fit into the stream.
std::string_view ProfileRecords::RecordAt(std::size_t offset) const {
  FieldCursor fields(stream_.substr(offset));
  const auto header = fields.Take<perf_event_header>();
  if (!fields.ok() || header.size < sizeof(header)) return {};
  const std::string_view rest = stream_.substr(offset);
  return header.size <= rest.size() ? rest.substr(0, header.size) : std::string_view();
}

Result<void> ProfileRecords::FindRecords() {
  auto offset = static_cast<std::size_t>(header_.records_at);
  while (offset < stream_.size()) {
    const std::string_view record = RecordAt(offset);
    if (record.empty()) return BadStream("a record is incomplete");
    TRY_VOID(AddPlace(offset));
    offset += record.size();
  }
  std::ranges::stable_sort(places_, {}, &Place::time_ns);
  return {};
}

/// Keeps the place of a record that Deliver() decodes, and counts lost samples.
Result<void> ProfileRecords::AddPlace(std::size_t offset) {
  const std::string_view record = RecordAt(offset);
  switch (HeaderOf(record).type) {
    case PERF_RECORD_SAMPLE: {
      FieldCursor fields = FieldsOf(record, false);
      fields.Take<std::uint64_t>();  // identifier
      if ((header_.sample_type & PERF_SAMPLE_IP) != 0) fields.Take<std::uint64_t>();
      fields.Take<std::uint64_t>();  // pid, tid
      const auto time_ns = fields.Take<std::uint64_t>();
      if (!fields.ok()) return BadStream("a sample is incomplete");
      places_.push_back({time_ns, static_cast<std::uint32_t>(offset)});
      return {};
    }
    case PERF_RECORD_LOST: {
      FieldCursor fields = FieldsOf(record, true);
      fields.Take<std::uint64_t>();  // identifier
      lost_samples_ += fields.Take<std::uint64_t>();
      return {};
    }
    case PERF_RECORD_LOST_SAMPLES:
      lost_samples_ += FieldsOf(record, true).Take<std::uint64_t>();
      return {};
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
      if (record.size() < sizeof(perf_event_header) + kSampleIdBytes) {
        return BadStream("a record is incomplete");
      }
      FieldCursor id(record.substr(record.size() - kSampleIdBytes + kBeforeTime));
      places_.push_back({id.Take<std::uint64_t>(), static_cast<std::uint32_t>(offset)});
      return {};
    }
    default:
      return {};
  }
}

Result<void> ProfileRecords::Deliver(ProfileConsumer& consumer) const {
  for (const Place& place : places_) {
    if (!DeliverOne(RecordAt(place.offset), consumer)) {
      return BadStream("the fields of a record do not fit into it");
    }
  }
  return {};
}

bool ProfileRecords::DeliverOne(std::string_view record, ProfileConsumer& consumer) const {
  const perf_event_header header = HeaderOf(record);
  switch (header.type) {
    case PERF_RECORD_SAMPLE:
      return DeliverSample(record, consumer);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2: {
      const auto mapping = DecodeMapping(record);
      if (mapping) consumer.OnMapping(*mapping);
      return mapping.has_value();
    }
    case PERF_RECORD_COMM: {
      FieldCursor fields = FieldsOf(record, true);
      const auto pid = fields.Take<std::uint32_t>();
      if (fields.ok() && (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) consumer.OnExec(pid);
      return fields.ok();
    }
    default: {
      const auto process = DecodeProcess(record);
      if (!process) return false;
      if (header.type == PERF_RECORD_FORK) {
        if (process->pid != process->parent) consumer.OnFork(process->pid, process->parent);
      } else if (process->pid == process->tid) {
        consumer.OnExit(process->pid);
      }
      return true;
    }
  }
}

bool ProfileRecords::DeliverSample(std::string_view record, ProfileConsumer& consumer) const {
  FieldCursor fields = FieldsOf(record, false);
  const auto id = fields.Take<std::uint64_t>();
  const auto has = [this](std::uint64_t field) { return (header_.sample_type & field) != 0; };
  SampleRecord sample;
  if (has(PERF_SAMPLE_IP)) fields.Take<std::uint64_t>();
  sample.pid = fields.Take<std::uint32_t>();
  fields.Take<std::uint32_t>();  // tid
  fields.Take<std::uint64_t>();  // time
  if (has(PERF_SAMPLE_PERIOD)) sample.period = fields.Take<std::uint64_t>();
  sample.chain = fields.TakeNumbers(fields.Take<std::uint64_t>());
  if (has(PERF_SAMPLE_REGS_USER)) {
    const auto abi = fields.Take<std::uint64_t>();
    const int count = abi == PERF_SAMPLE_REGS_ABI_NONE ? 0 : std::popcount(header_.registers);
    sample.state.registers = fields.TakeNumbers(static_cast<std::uint64_t>(count));
    // A 32-bit process has other registers, which are unwound by the kernel's chain only.
    if (abi == PERF_SAMPLE_REGS_ABI_64) sample.state.mask = header_.registers;
  }
  if (has(PERF_SAMPLE_STACK_USER)) {
    const std::string_view copy = fields.TakeBytes(fields.Take<std::uint64_t>());
    // The number of valid bytes follows, unless nothing was copied.
    const std::uint64_t valid = copy.empty() ? 0 : fields.Take<std::uint64_t>();
    sample.state.stack = copy.substr(0, std::min<std::uint64_t>(valid, copy.size()));
  }
  if (!fields.ok()) return false;
  const auto event = std::ranges::lower_bound(events_, id, {}, &wire::ProfileEvent::id);
  if (event == events_.end() || event->id != id) return false;
  sample.kind = event->kind;
  consumer.OnSample(sample);
  return true;
}

}  // namespace benchd
