#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/settings/unit_properties.h"

namespace benchd {

/// A systemd that stores every value that it is given.
class FakeUnits : public UnitProperties {
 public:
  Result<std::string> AllowedCpus(std::string_view unit) override {
    if (refusal) return *refusal;
    const auto found = allowed.find(unit);
    return found == allowed.end() ? std::string() : found->second;
  }

  Result<void> SetAllowedCpus(std::string_view unit, std::string_view cpus) override {
    if (refusal) return *refusal;
    calls.push_back(std::string(unit) + "=" + std::string(cpus));
    if (unit == refused_unit) {
      return Error{ErrorCode::kFailedPrecondition, refused_unit + ": refused", {}};
    }
    allowed[std::string(unit)] = cpus;
    if (on_set) on_set(std::string(unit), std::string(cpus));
    return {};
  }

  /// The units that are restricted to some CPUs: "bench.slice=1-3 user.slice=0".
  std::string Confined() const {
    std::string text;
    for (const auto& [unit, cpus] : allowed) {
      if (!cpus.empty()) text.append(text.empty() ? "" : " ").append(unit).append("=").append(cpus);
    }
    return text;
  }

  std::map<std::string, std::string, std::less<>> allowed;
  std::optional<Error> refusal;    ///< for every call
  std::string refused_unit;        ///< the only unit whose CPUs cannot be set
  std::vector<std::string> calls;  ///< requested changes, in order: "bench.slice=1-3"
  /// Simulates its effect on the control groups.
  std::function<void(const std::string& unit, const std::string& cpus)> on_set;
};

}  // namespace benchd
