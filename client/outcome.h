#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace benchd::client {

/// What benchctl's exit code says; scripts rely on the numbers.
enum class ExitCode : int {
  kPass = 0,          ///< also: the command did what it was asked
  kRegression = 1,    ///< at least one gate is a regression
  kUsage = 2,         ///< wrong usage or an invalid request
  kUndecided = 3,     ///< the session ended before every gate was decided
  kFailed = 4,        ///< the session failed
  kRefused = 5,       ///< no daemon, or it refused
  kCancelled = 6,     ///< somebody cancelled the session
  kBisectSkip = 125,  ///< --bisect: this commit says nothing
  kBisectStop = 128,  ///< --bisect: stop, without a word on this commit
  kInterrupted = 130  ///< SIGINT or SIGTERM ended benchctl
};

/// Why a command ends early: printed as `error: MESSAGE` and `hint: HINT` on stderr.
///
/// `message` reads "WHAT: WHY" on one line; an empty hint is left out.
struct ClientError {
  ExitCode exit = ExitCode::kUsage;
  std::string message;
  std::string hint;

  /// The same error with what was being done in front.
  ClientError Within(std::string_view what) && {
    message = std::string(what) + ": " + message;
    return std::move(*this);
  }
  bool operator==(const ClientError&) const = default;
};

/// A wrong use of the command line or a file of the user's (exit 2).
inline ClientError UsageError(std::string message, std::string hint = "") {
  return {ExitCode::kUsage, std::move(message), std::move(hint)};
}

/// No daemon, or one that cannot be used (exit 5).
inline ClientError ConnectionError(std::string message, std::string hint = "") {
  return {ExitCode::kRefused, std::move(message), std::move(hint)};
}

/// A value or the error that stands in its place. benchctl has its own small type because it may
/// include nothing of the daemon's.
template <typename T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Outcome(ClientError error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  ClientError& error() & { return std::get<1>(state_); }
  const ClientError& error() const& { return std::get<1>(state_); }
  ClientError&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, ClientError> state_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] Outcome<void> {
 public:
  Outcome() = default;
  Outcome(ClientError error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_.has_value(); }
  ClientError& error() & { return *error_; }
  const ClientError& error() const& { return *error_; }
  ClientError&& error() && { return *std::move(error_); }

 private:
  std::optional<ClientError> error_;
};

}  // namespace benchd::client
