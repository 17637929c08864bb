#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Gets and sets the CPUs that systemd allows a unit to use. systemd's next reload undoes a cpuset
/// that it does not know of, so changes must go through systemd.
///
/// This base class is for machines without a usable systemd: every call fails with kUnavailable.
class UnitProperties {
 public:
  virtual ~UnitProperties() = default;

  /// AllowedCPUs of a unit, a CPU list; empty: all.
  virtual Result<std::string> AllowedCpus(std::string_view unit);

  /// Sets it until the next boot; an empty list removes that setting.
  virtual Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus);
};

/// How to call systemctl; tests use other values.
struct SystemctlPlace {
  std::string program = "systemctl";        ///< a plain name is searched in /usr/bin and /bin
  std::string run_folder = "/run/systemd";  ///< systemd's files that last until the next boot
  std::chrono::milliseconds limit{10'000};  ///< per call
};

/// Calls the program systemctl. Blocks until it returns (10 s per call at most).
///
/// `systemctl set-property --runtime` leaves a drop-in for the unit below /run, even for an empty
/// list; this class then removes the drop-in. No reload is needed, because systemd has already
/// applied the empty list. Until the next reload, `systemctl status` may report that the unit's
/// files have changed.
///
/// The child is reaped by its pidfd before a call returns, so other event loops see at most its
/// SIGCHLD. A child that survives SIGKILL is left to the process that reaps orphans.
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
