#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "core/base/result.h"
#include "core/model/summary.h"
#include "daemon/config/config.h"
#include "daemon/push/postgres.h"

namespace benchd::push {

/// Returns the fields of a summary that are sent, in the order of PushedColumns(). The user is
/// never among them.
Postgres::Row RowOf(const GateSummary& summary, const PushConfig& config);
const std::vector<const char*>& PushedColumns();

/// The number and the session of the last summary that was sent. If they no longer match, benchd
/// has a new database. Stored in a file of one line.
class Position {
 public:
  explicit Position(std::filesystem::path file) : file_(std::move(file)) {}

  struct Place {
    std::uint64_t number = 0;
    std::string session;
    bool operator==(const Place&) const = default;
  };
  /// Reads the position. If the file is missing or invalid, returns the position before the first
  /// summary.
  Place Read() const;
  /// Writes the position. The data is on disk when the function returns.
  /// @errors those of the system call that failed.
  Result<void> Write(const Place& place) const;

 private:
  std::filesystem::path file_;
};

/// Sends benchd's new summaries to the database.
class Pusher {
 public:
  Pusher(const PushConfig& config, v1::HistoryService::Stub& benchd, Position position)
      : config_(config), benchd_(benchd), position_(std::move(position)) {}

  /// Sends all new summaries, one page at a time. A page is in the database before the position
  /// advances. If it is sent twice, it is stored only once.
  /// @return the number of summaries sent
  /// @errors kUnavailable if benchd or the database does not answer; otherwise the error with which
  ///         benchd or the database refuses the request.
  Result<std::uint64_t> Push();

 private:
  Result<std::vector<GateSummary>> After(std::uint64_t number, std::uint32_t limit);
  Result<Position::Place> Begin();

  const PushConfig& config_;
  v1::HistoryService::Stub& benchd_;
  Position position_;
};

}  // namespace benchd::push
