#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd::wire {

/// Records up to this size travel in the packet itself; larger ones in a sealed memfd that is sent
/// with it.
inline constexpr std::size_t kInlineBytes = 32 * 1024;
/// The largest record. The connection of a peer that sends more is closed.
inline constexpr std::size_t kMaxRecordBytes = 8 * 1024 * 1024;

/// Sends one record over a SOCK_SEQPACKET socket; blocks until the kernel has accepted it.
/// @errors kUnavailable if the other side has closed the connection; kInvalidArgument over
///         kMaxRecordBytes.
Result<void> SendRecord(int socket, std::string_view record);

/// Receives one record. An empty string means that the other side closed the connection.
/// @errors kResourceExhausted on a non-blocking socket without data; kInvalidArgument for a packet
///         that SendRecord() cannot have produced.
Result<std::string> ReceiveRecord(int socket);

}  // namespace benchd::wire
