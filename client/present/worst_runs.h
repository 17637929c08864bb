#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"

namespace benchd::client {

/// The runs that took far longer than the others of their arm, and what disturbed them.
///
/// Takes the measured runs of a session in their order, judged by the metric of each benchmark's
/// first gate; where higher is better, none is told.
class WorstRuns {
 public:
  /// @param report  of the session, for its gates
  explicit WorstRuns(const v1::Update& report);

  void Take(const v1::Run& run);

  /// The three worst of those beyond Tukey's outer fence, each on a line with what the kernel
  /// counted more of than in the median run of its arm; empty where there is none.
  std::string Render(const Style& style) const;

 private:
  static constexpr std::size_t kCauses = 5;
  struct Taken {
    std::size_t number = 0;  ///< from 1, as in the column `order` of the CSV
    double value = 0;
    std::array<std::optional<double>, kCauses> causes{};
  };
  struct Metric {
    std::string name;
    std::string unit;
  };
  using ArmKey = std::pair<std::string, std::string>;  // benchmark and arm
  struct Worst;

  std::vector<Worst> Find() const;
  static std::string CauseText(std::size_t cause, double value, const Style& style);
  std::string LineOf(const Worst& worst, const Style& style) const;

  std::map<std::string, Metric, std::less<>> metrics_;  // by benchmark
  std::map<ArmKey, std::vector<Taken>> arms_;
  std::size_t runs_ = 0;
};

}  // namespace benchd::client
