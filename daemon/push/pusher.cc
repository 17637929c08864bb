#include "daemon/push/pusher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::push {
namespace {

constexpr std::uint32_t kPage = 500;
constexpr std::chrono::seconds kTimeout{30};

/// Formats a number as the shortest text that converts back to the same double. PostgreSQL accepts
/// this form.
std::optional<std::string> Number(std::optional<double> value) {
  if (!value) return std::nullopt;
  return nlohmann::json(*value).dump();
}

/// Removes NUL and replaces invalid UTF-8, because PostgreSQL accepts neither.
std::string Text(const std::string& text) {
  std::string clean = Utf8Lossy(text);
  std::erase(clean, '\0');
  return clean;
}

std::optional<std::string> IdOf(const std::optional<Commit>& commit) {
  return commit ? std::optional(Text(commit->id)) : std::nullopt;
}

}  // namespace

const std::vector<const char*>& PushedColumns() {
  static const std::vector<const char*> columns{"session",
                                                "position",
                                                "ended_at",
                                                "benchmark",
                                                "series",
                                                "metric",
                                                "unit",
                                                "better",
                                                "reference",
                                                "candidate",
                                                "reference_commit",
                                                "candidate_commit",
                                                "candidate_description",
                                                "n_reference",
                                                "n_candidate",
                                                "mean_reference",
                                                "mean_candidate",
                                                "change",
                                                "change_lo",
                                                "change_hi",
                                                "verdict",
                                                "hardware",
                                                "kernel",
                                                "settings",
                                                "command",
                                                "labels"};
  return columns;
}

Postgres::Row RowOf(const GateSummary& summary, const PushConfig& config) {
  const auto effect = [&summary](auto member) -> std::optional<double> {
    return summary.change ? std::optional<double>((*summary.change).*member) : std::nullopt;
  };
  const auto end = [&summary](auto member) -> std::optional<double> {
    return summary.change ? (*summary.change).*member : std::nullopt;
  };
  // A table without a column for it would take the values of a machine that changed for those of
  // the code. Readers leave out rows without a mean.
  const auto mean = [&summary](const std::optional<double>& of) {
    return summary.control_changed ? std::nullopt : of;
  };
  std::optional<std::string> labels;
  if (config.labels) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [name, value] : summary.labels) object[Text(name)] = Text(value);
    labels = object.dump();
  }
  return {Text(summary.session.value),
          std::to_string(summary.position),
          FormatRfc3339(summary.ended_at),
          Text(summary.benchmark),
          Text(summary.series),
          Text(summary.metric),
          Text(summary.unit),
          summary.better ? std::optional(std::string(NameOf(*summary.better))) : std::nullopt,
          Text(summary.reference),
          Text(summary.candidate),
          IdOf(summary.reference_commit),
          IdOf(summary.candidate_commit),
          summary.candidate_commit ? std::optional(Text(summary.candidate_commit->description))
                                   : std::nullopt,
          std::to_string(summary.n_reference),
          std::to_string(summary.n_candidate),
          Number(mean(summary.mean_reference)),
          Number(mean(summary.mean_candidate)),
          Number(effect(&Effect::estimate)),
          Number(end(&Effect::lo)),
          Number(end(&Effect::hi)),
          std::string(NameOf(summary.verdict)),
          Text(summary.machine),
          Text(summary.kernel),
          Text(summary.settings),
          config.commands ? std::optional(Text(summary.command)) : std::nullopt,
          labels};
}

Position::Place Position::Read() const {
  std::ifstream in(file_);
  Place place;
  return in >> place.number >> place.session ? place : Place{};
}

Result<void> Position::Write(const Place& place) const {
  const std::string fresh = file_.string() + ".new";
  const std::string text = fmt::format("{} {}\n", place.number, place.session);
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd.get() < 0) return SystemError("creating " + fresh, errno);
  const ssize_t written = ::write(fd.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fsync(fd.get()) != 0 ||
      ::rename(fresh.c_str(), file_.c_str()) != 0) {
    return SystemError("writing " + file_.string(), errno);
  }
  return {};
}

Result<std::vector<GateSummary>> Pusher::After(std::uint64_t number, std::uint32_t limit) {
  v1::ListSummariesRequest request;
  request.set_all(true);
  request.set_oldest_first(true);
  request.set_after(number);
  request.set_page_size(limit);
  v1::ListSummariesResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  const grpc::Status status = benchd_.ListSummaries(&context, request, &response);
  if (!status.ok()) {
    const bool refused = status.error_code() == grpc::StatusCode::PERMISSION_DENIED;
    return Error{refused ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable,
                 "benchd: " + OnOneLine(status.error_message()),
                 refused ? "run benchd-push as a member of the group benchd-push" : ""};
  }
  std::vector<GateSummary> summaries;
  for (const v1::Summary& proto : response.summaries()) {
    Result<GateSummary> summary = convert::FromProto(proto);
    if (!summary) return std::move(summary).error().Within("benchd");
    summaries.push_back(std::move(*summary));
  }
  return summaries;
}

/// Returns the position at which the last call ended. If benchd has another database now, returns
/// the position before the first summary.
Result<Position::Place> Pusher::Begin() {
  Position::Place place = position_.Read();
  if (place.number == 0) return Position::Place{};
  TRY(std::vector<GateSummary> there, After(place.number - 1, 1));
  const bool same = !there.empty() && there.front().number == place.number &&
                    there.front().session.value == place.session;
  return same ? place : Position::Place{};
}

Result<std::uint64_t> Pusher::Push() {
  TRY(Position::Place place, Begin());
  std::optional<Postgres> database;
  std::uint64_t sent = 0;
  for (;;) {
    TRY(std::vector<GateSummary> page, After(place.number, kPage));
    if (page.empty()) return sent;
    std::vector<Postgres::Row> rows;
    for (const GateSummary& summary : page) {
      if (config_.Sends(summary.benchmark)) rows.push_back(RowOf(summary, config_));
    }
    if (!database) {
      TRY(Postgres connected, Postgres::Connect(config_.url));
      database = std::move(connected);
      TRY_VOID(database->CheckSchema());
    }
    TRY_VOID(database->Insert(PushedColumns(), rows));
    sent += rows.size();
    place = {page.back().number, page.back().session.value};
    TRY_VOID(position_.Write(place));
  }
}

}  // namespace benchd::push
