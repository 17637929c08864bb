#include "core/base/result.h"

#include <cerrno>
#include <cstring>

namespace benchd {
namespace {

ErrorCode CodeOf(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
      return ErrorCode::kPermissionDenied;
    case EEXIST:
    case EADDRINUSE:
      return ErrorCode::kAlreadyExists;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case EDQUOT:
      return ErrorCode::kResourceExhausted;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
      return ErrorCode::kUnavailable;
    case EINVAL:
    case E2BIG:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

Error InvalidArgument(std::string_view field, std::string_view why, std::string_view hint) {
  std::string message(field);
  message.append(": ").append(why);
  return Error{ErrorCode::kInvalidArgument, std::move(message), std::string(hint)};
}

Error SystemError(std::string_view what, int errno_value) {
  std::string message(what);
  message.append(": ").append(std::strerror(errno_value));
  return Error{CodeOf(errno_value), std::move(message), {}};
}

}  // namespace benchd
