#include "daemon/rpc/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace benchd::rpc {
namespace {

// The length of a session ID, which consists of lower-case letters and digits.
constexpr std::size_t kIdLength = 8;

bool IsIdCharacter(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

std::string_view SessionWord(std::string_view session) {
  if (session.empty()) return "-";
  return session.size() <= kIdLength && std::ranges::all_of(session, IsIdCharacter) ? session : "?";
}

}  // namespace

std::string_view Audit::ResultWord(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied ? "denied" : NameOf(code);
}

void Audit::Write(const Caller& caller, std::string_view action, std::string_view session,
                  std::string_view result) const {
  log_(fmt::format("audit: uid={} pid={} action={} session={} result={}", caller.uid, caller.pid,
                   action, SessionWord(session), result));
}

}  // namespace benchd::rpc
