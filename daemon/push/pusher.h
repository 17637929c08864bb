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

/// Returns the fields of a summary that are sent, in the order of PushedColumns(). They never
/// include the user.
Postgres::Row RowOf(const GateSummary& summary, const PushConfig& config);
const std::vector<const char*>& PushedColumns();

/// How far the summaries of a benchd have been sent: the number of the last one and its session, by
/// which a new database is recognised. Stored as a file of one line.
class Position {
 public:
  explicit Position(std::filesystem::path file) : file_(std::move(file)) {}

  struct Place {
    std::uint64_t number = 0;
    std::string session;
    bool operator==(const Place&) const = default;
  };
  /// Returns the beginning if the file is missing or invalid.
  Place Read() const;
  /// The data is on disk when it returns. @errors of the system call that failed.
  Result<void> Write(const Place& place) const;

 private:
  std::filesystem::path file_;
};

/// Sends benchd's new summaries to the database.
class Pusher {
 public:
  Pusher(const PushConfig& config, v1::HistoryService::Stub& benchd, Position position)
      : config_(config), benchd_(benchd), position_(std::move(position)) {}

  /// Sends all current summaries, one page at a time. Each page is in the database before the
  /// position advances, and a page that is sent twice is stored once.
  /// @return the number of summaries sent
  /// @errors kUnavailable if benchd or the database does not answer; otherwise the error of the one
  ///         that refuses.
  Result<std::uint64_t> Push();

 private:
  Result<std::vector<GateSummary>> After(std::uint64_t number, std::uint32_t limit);
  Result<Position::Place> Begin();

  const PushConfig& config_;
  v1::HistoryService::Stub& benchd_;
  Position position_;
};

}  // namespace benchd::push
