#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// systemd's word on which CPUs a unit may use. A cpuset that systemd does not know about is undone
/// by its next reload, so that it has to be asked.
///
/// This is where there is no systemd, or none of ours to ask: kUnavailable is all it answers.
class UnitProperties {
 public:
  virtual ~UnitProperties() = default;

  /// AllowedCPUs of a unit, a CPU list; empty = all.
  virtual Result<std::string> AllowedCpus(std::string_view unit);

  /// Sets it until the next boot; an empty list takes back what was set so.
  virtual Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus);
};

/// How systemctl is called; other values than these are for tests.
struct SystemctlPlace {
  std::string program = "systemctl";        ///< a name is looked for in /usr/bin and /bin
  std::string run_folder = "/run/systemd";  ///< where systemd keeps what goes with the boot
  std::chrono::milliseconds limit{10'000};  ///< of one call
};

/// By the program systemctl. Blocks for as long as that takes (10 s a call at most).
///
/// `systemctl set-property --runtime` leaves a drop-in for the unit below /run, also for an empty
/// list; here that is removed with the list. systemd has taken the empty list already and a reload
/// finds nothing else, so that none is needed; until the next one `systemctl status` may say that
/// the unit's files have changed.
///
/// Its child is reaped by its pidfd before a call returns, so that nobody else's loop sees more of
/// it than a signal; one that does not even die when killed is left to whoever reaps orphans.
class SystemctlProperties : public UnitProperties {
 public:
  explicit SystemctlProperties(SystemctlPlace place = {}) : place_(std::move(place)) {}

  /// @errors kDeadlineExceeded; kFailedPrecondition with the first line of what systemctl said.
  Result<std::string> AllowedCpus(std::string_view unit) override;
  Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus) override;

 private:
  Result<std::string> Call(std::vector<std::string> arguments) const;
  void RemoveDropIn(std::string_view unit) const;

  SystemctlPlace place_;
};

}  // namespace benchd
