#include "core/model/warning.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/wording.h"

namespace benchd {
namespace {

// The compiler ensures that every code in use has a row (WarningCode), and tests/layering that no
// warning is created in another way.
TEST(WarningTest, EveryCodeHasOneRow) {
  std::set<std::string_view> codes;
  for (const WarningKind& kind : kWarningKinds) {
    EXPECT_TRUE(codes.insert(kind.code).second) << kind.code;
    EXPECT_FALSE(NameOf(kind.severity).empty()) << kind.code;
  }
}

TEST(WarningTest, IsMadeWithItsCodesSeverityAndHint) {
  const Warning made = MakeWarning("resolution", "too close", "parse", "candidate");
  EXPECT_EQ(made, (Warning{.code = "resolution",
                           .message = "too close",
                           .benchmark = "parse",
                           .arm = "candidate",
                           .severity = Severity::kInvalidates,
                           .hint = std::string(FindWarningKind("resolution")->hint)}));
  EXPECT_WORDING(made.hint);
}

TEST(WarningTest, KeptWithoutSeverityItHasThatOfItsCode) {
  for (const WarningKind& kind : kWarningKinds) {
    Warning kept{.code = std::string(kind.code), .message = "kept"};
    CompleteWarning(kept);
    EXPECT_EQ(kept.severity, kind.severity) << kind.code;
    EXPECT_EQ(kept.hint, kind.hint) << kind.code;
  }
  Warning unknown{.code = "of_a_newer_daemon", .message = "kept", .severity = Severity::kNote};
  CompleteWarning(unknown);
  EXPECT_EQ(unknown.severity, Severity::kCaution);
}

}  // namespace
}  // namespace benchd
