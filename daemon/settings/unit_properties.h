#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Gets and sets the CPUs that systemd allows a unit to use. A cpuset must be changed through
/// systemd, because systemd's next reload undoes any other change.
///
/// This base class is for machines without a usable systemd; all calls fail with kUnavailable.
class UnitProperties {
 public:
  virtual ~UnitProperties() = default;

  /// Returns AllowedCPUs of a unit as a CPU list; empty means all CPUs.
  virtual Result<std::string> AllowedCpus(std::string_view unit);

  /// Sets AllowedCPUs of a unit until the next boot; an empty list removes the setting.
  virtual Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus);
};

/// The program systemctl and its environment; tests use other values.
struct SystemctlPlace {
  std::string program = "systemctl";        ///< a name without '/' is searched in /usr/bin and /bin
  std::string run_folder = "/run/systemd";  ///< the folder of systemd's files that a reboot deletes
  std::chrono::milliseconds limit{10'000};  ///< per call
};

/// Uses the program systemctl. Calls block until it exits, 10 s at most.
///
/// `systemctl set-property --runtime` creates a drop-in for the unit below /run, even for an empty
/// list. In that case this class removes the drop-in. A reload is not needed, because systemd has
/// already applied the empty list. Until the next reload, `systemctl status` may report that the
/// unit's files have changed.
///
/// The child is reaped through its pidfd before a call returns, so event loops see its SIGCHLD at
/// most. A child that does not die after SIGKILL is left to the process that reaps orphans.
class SystemctlProperties : public UnitProperties {
 public:
  explicit SystemctlProperties(SystemctlPlace place = {}) : place_(std::move(place)) {}

  /// @errors kDeadlineExceeded; kFailedPrecondition with the first line of systemctl's message
  Result<std::string> AllowedCpus(std::string_view unit) override;
  Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus) override;

 private:
  Result<std::string> Call(std::vector<std::string> arguments) const;
  void RemoveDropIn(std::string_view unit) const;

  SystemctlPlace place_;
};

}  // namespace benchd
