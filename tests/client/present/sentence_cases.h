#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/app/exit_code.h"  // before kPass, which its ExitCode::kPass would shadow
#include "client/present/sentence.h"
#include "tests/client/samples.h"

// Gates and sessions with chosen verdicts, and the sentences about them.

namespace benchd::client {

inline constexpr Style kUtf8{false, true, 0};
inline constexpr v1::Verdict kPass = v1::VERDICT_PASS;
inline constexpr v1::Verdict kWorse = v1::VERDICT_REGRESSION;
inline constexpr v1::Verdict kOpen = v1::VERDICT_UNDECIDED;

struct Ends {
  double lo, estimate, hi;
};

inline v1::Comparison Of(v1::Comparison gate, const std::string& metric, const std::string& unit,
                         v1::Better better = v1::BETTER_LOWER) {
  gate.set_metric(metric);
  gate.set_unit(unit);
  gate.set_better(better);
  return gate;
}

inline v1::Update With(const std::vector<v1::Comparison>& gates, v1::Verdict verdict) {
  v1::Update update = RegressionUpdate();
  update.clear_comparisons();
  update.clear_warnings();
  for (const v1::Comparison& gate : gates) *update.add_comparisons() = gate;
  update.set_verdict(verdict);
  return update;
}

/// What a session or table was asked, as far as a forecast needs it.
struct Asked {
  SessionSpec spec;
  DataSource source = DataSource::kSession;
};

/// A name, and below it the sentences that the session of one gate gets.
class Cases {
 public:
  void Add(const std::string& name, const v1::Comparison& gate, const Asked& asked = {}) {
    Add(name, With({gate}, gate.verdict()), asked);
  }
  void Add(const std::string& name, const v1::Update& update, const Asked& asked = {}) {
    text_ += "# " + name + "\n";
    const v1::Update found = WithFindings(update, asked.spec, asked.source);
    for (const std::string& line : VerdictSentences(found, kUtf8)) text_ += line + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace benchd::client
