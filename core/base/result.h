#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/fields.h"

namespace benchd {

/// The kind of failure. It determines the gRPC status (rpc/status_mapping.cc) and thus the exit
/// code.
enum class ErrorCode {
  kInvalidArgument,     ///< the request is invalid; a retry will not help
  kNotFound,            ///< the session, program or file does not exist
  kAlreadyExists,       ///< for example another daemon, or the same name
  kPermissionDenied,    ///< the caller lacks the permission
  kFailedPrecondition,  ///< valid request, but not now or not on this machine (draining, strict
                        ///< isolation)
  kResourceExhausted,   ///< a limit was reached
  kUnavailable,         ///< the other process has exited; a retry may work
  kCancelled,           ///< cancelled on request
  kDeadlineExceeded,    ///< a run or a step took longer than allowed
  kUnimplemented,       ///< declared, but not yet implemented
  kInternal,            ///< a bug in benchd
};
BENCHD_NAMES(ErrorCode, "invalid_argument", "not_found", "already_exists", "permission_denied",
             "failed_precondition", "resource_exhausted", "unavailable", "cancelled",
             "deadline_exceeded", "unimplemented", "internal")

/// A failure, printed for the user as `error: MESSAGE`, followed by `hint: HINT` if there is a
/// hint.
///
/// `message` has the form "WHAT: WHY" without a full stop. `hint` may be empty.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;

  /// Prefixes the message with the step that failed: "storing a sample: disk is full".
  Error Within(std::string_view step) && {
    message = std::string(step) + ": " + message;
    return std::move(*this);
  }

  bool operator==(const Error&) const = default;
};
BENCHD_FIELDS(Error, code, message, hint)

/// A value or an Error, with the member names of std::expected (C++23).
///
/// Reading the side that is absent is a bug, which an assertion catches.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *Checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(*Checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return Checked(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *CheckedError(); }
  const Error& error() const& { return *const_cast<Result*>(this)->CheckedError(); }
  Error&& error() && { return std::move(*CheckedError()); }

  template <typename U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  T* Checked() {
    assert(has_value());
    return std::get_if<0>(&state_);
  }
  Error* CheckedError() {
    assert(!has_value());
    return std::get_if<1>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Success without a value, or an Error. A function returns `{}` on success.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }

  Error& error() & {
    assert(failed_);
    return error_;
  }
  const Error& error() const& {
    assert(failed_);
    return error_;
  }
  Error&& error() && {
    assert(failed_);
    return std::move(error_);
  }

 private:
  bool failed_ = false;
  Error error_;
};

/// Returns the error kInvalidArgument "FIELD: WHY". `field` is the option or proto field that the
/// user can change.
Error InvalidArgument(std::string_view field, std::string_view why, std::string_view hint = {});

/// Returns the error of a failed system call: "WHAT: No such file or directory". Its code depends
/// on `errno_value`.
Error SystemError(std::string_view what, int errno_value);

}  // namespace benchd
