#include "client/core_error.h"

#include "client/render/text.h"
#include "proto/convert/utf8.h"

namespace benchd::client {
namespace {

ExitCode ExitFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kUnimplemented:
      return ExitCode::kUsage;
    default:
      return ExitCode::kRefused;
  }
}

}  // namespace

ClientError FromError(const Error& error) {
  return {ExitFor(error.code), OneLine(convert::Utf8Lossy(error.message)),
          OneLine(convert::Utf8Lossy(error.hint))};
}

}  // namespace benchd::client
