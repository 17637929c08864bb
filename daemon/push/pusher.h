#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "core/base/result.h"
#include "core/model/summary.h"
#include "daemon/push/postgres.h"
#include "daemon/push/push_config.h"

namespace benchd::push {

/// What of a summary is sent, in the order of PushedColumns(): never whose it is.
Postgres::Row RowOf(const GateSummary& summary, const PushConfig& config);
const std::vector<const char*>& PushedColumns();

/// How far the summaries of a benchd have been sent: its number, and the session that had it, by
/// which a database that began anew is known. A file of one line.
class Position {
 public:
  explicit Position(std::filesystem::path file) : file_(std::move(file)) {}

  struct Place {
    std::uint64_t number = 0;
    std::string session;
    bool operator==(const Place&) const = default;
  };
  /// The beginning where there is no file, or one that cannot be understood.
  Place Read() const;
  /// On the disk when it returns. @errors the system call that failed.
  Result<void> Write(const Place& place) const;

 private:
  std::filesystem::path file_;
};

/// Sends what is new at benchd to the database.
class Pusher {
 public:
  Pusher(const PushConfig& config, v1::HistoryService::Stub& benchd, Position position)
      : config_(config), benchd_(benchd), position_(std::move(position)) {}

  /// Sends everything that there is now, a page at a time; each is in the database before the
  /// position moves on, and one that was sent twice is there once.
  /// @return how many summaries were sent
  /// @errors kUnavailable: benchd or the database does not answer; else what refuses.
  Result<std::uint64_t> Push();

 private:
  Result<std::vector<GateSummary>> After(std::uint64_t number, std::uint32_t limit);
  Result<Position::Place> Begin();

  const PushConfig& config_;
  v1::HistoryService::Stub& benchd_;
  Position position_;
};

}  // namespace benchd::push
