#include "daemon/session/same_machine.h"

#include <string>
#include <string_view>

namespace benchd {
namespace {

const std::string* FactOf(const Environment& environment, std::string_view wanted) {
  for (const auto& [name, value] : environment.facts) {
    if (name == wanted) return &value;
  }
  return nullptr;
}

bool Differs(const Environment& before, const Environment& now, std::string_view fact) {
  const std::string* const was = FactOf(before, fact);
  const std::string* const is = FactOf(now, fact);
  return was != nullptr && is != nullptr && *was != *is;
}

}  // namespace

Result<MachineAgain> CompareMachines(const Environment& before, const Environment& now) {
  for (const char* fact : {"kernel", "cpu", "microcode"}) {
    if (!Differs(before, now, fact)) continue;
    return Error{ErrorCode::kFailedPrecondition,
                 std::string("session: the machine has another ") + fact +
                     " than when it began: '" + *FactOf(before, fact) + "' then, '" +
                     *FactOf(now, fact) + "' now",
                 "submit it again; the blocks measured before are kept"};
  }
  return Differs(before, now, "boot_id") ? MachineAgain::kRebooted : MachineAgain::kSame;
}

}  // namespace benchd
