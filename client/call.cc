#include "client/call.h"

#include <array>
#include <cstddef>
#include <thread>

namespace benchd::client {

bool WaitToAskAgain(const grpc::Status& status, int attempt, std::chrono::milliseconds patience) {
  constexpr std::array kPauses = {std::chrono::milliseconds(300), std::chrono::milliseconds(1500)};
  const auto index = static_cast<std::size_t>(attempt - 1);
  if (!IsTooManyRequests(status) || index >= kPauses.size() || kPauses[index] > patience) {
    return false;
  }
  std::this_thread::sleep_for(kPauses[index]);
  return true;
}

}  // namespace benchd::client
