#include "daemon/wire/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::wire {
namespace {

// The first byte of a packet: the location of its record.
constexpr char kInline = 0;
constexpr char kInMemory = 1;
constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
// Far beyond any pause of a healthy process. A stuck process must not block us forever.
constexpr int kSendTimeoutMs = 30'000;

Error Malformed(const char* why) {
  return Error{ErrorCode::kInvalidArgument, std::string("packet: ") + why,
               "install benchd and benchd-runner from the same build and restart both"};
}

Result<UniqueFd> SealedMemory(std::string_view record) {
  UniqueFd memory(memfd_create("benchd-record", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return SystemError("memfd_create", errno);
  TRY_VOID(WriteAll(memory.get(), record, "writing a record to memory"));
  if (fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0) return SystemError("F_ADD_SEALS", errno);
  return memory;
}

Result<void> SendPacket(int socket, const msghdr& header) {
  while (sendmsg(socket, &header, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
      return Error{ErrorCode::kUnavailable, "sending a record: the connection is closed", {}};
    }
    if (errno != EAGAIN) return SystemError("sending a record", errno);
    pollfd ready{socket, POLLOUT, 0};
    if (poll(&ready, 1, kSendTimeoutMs) == 0) {
      return Error{ErrorCode::kUnavailable, "sending a record: the other side does not read", {}};
    }
  }
  return {};
}

/// Returns the descriptor that came with a packet; closes any further ones.
UniqueFd TakeDescriptor(msghdr& header) {
  UniqueFd taken;
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      taken.Reset(fd);
    }
  }
  return taken;
}

/// Reads the record in `memory`, which must be sealed, so that neither its size nor its bytes
/// change.
Result<std::string> ReadSealed(int memory) {
  const int seals = fcntl(memory, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) return Malformed("the memory file is not sealed");
  struct stat info {};
  if (fstat(memory, &info) != 0) return SystemError("fstat of a record", errno);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size <= kInlineBytes || size > kMaxRecordBytes) return Malformed("wrong record size");
  auto record = ReadStart(memory, size, "a record");
  return record ? std::move(record) : Malformed("the record cannot be read");
}

}  // namespace

Result<void> SendRecord(int socket, std::string_view record) {
  if (record.empty() || record.size() > kMaxRecordBytes) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("record: {} bytes; must be 1 to {} bytes", record.size(), kMaxRecordBytes),
        {}};
  }
  UniqueFd memory;
  char kind = kInline;
  if (record.size() > kInlineBytes) {
    TRY(auto sealed, SealedMemory(record));
    memory = std::move(sealed);
    kind = kInMemory;
    record = {};
  }
  std::array<iovec, 2> parts{iovec{&kind, 1},
                             iovec{const_cast<char*>(record.data()), record.size()}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  if (memory) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = memory.get();
    std::memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
  }
  return SendPacket(socket, header);
}

Result<std::string> ReceiveRecord(int socket) {
  char kind = kInline;
  char bytes[kInlineBytes];  // not initialised, so that only the pages of a packet are touched
  std::array<iovec, 2> parts{iovec{&kind, 1}, iovec{bytes, sizeof(bytes)}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = -1;
  do {
    count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    if (errno == ECONNRESET) return std::string();
    if (errno == EAGAIN) {
      return Error{ErrorCode::kResourceExhausted, "receiving a record: no data yet", {}};
    }
    return SystemError("receiving a record", errno);
  }
  UniqueFd memory = TakeDescriptor(header);
  if (count == 0) return std::string();
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return Malformed("too large");
  const auto size = static_cast<std::size_t>(count) - 1;
  if (kind == kInMemory && size == 0 && memory) return ReadSealed(memory.get());
  if (kind != kInline || size == 0 || memory) return Malformed("unknown kind");
  return std::string(bytes, size);
}

}  // namespace benchd::wire
