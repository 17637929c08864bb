#include "daemon/queue/access.h"

#include <gtest/gtest.h>

#include "tests/support/wording.h"

namespace benchd {
namespace {

Caller UserWith(std::uint32_t uid, std::vector<std::uint32_t> groups = {}) {
  Caller caller;
  caller.uid = uid;
  caller.gid = uid;
  caller.groups = std::move(groups);
  caller.limits = {{0, 1, 1}};
  return caller;
}

SessionSpec SpecOf(Caller caller, std::int32_t priority = 0) {
  SessionSpec spec;
  spec.caller = std::move(caller);
  spec.priority = priority;
  return spec;
}

TEST(AccessTest, LetsTheOwnerRootAndTheAdminGroupUseASession) {
  AccessPolicy policy;
  policy.admin_gid = 77;
  EXPECT_TRUE(MayUse(policy, UserWith(1000), 1000));
  EXPECT_TRUE(MayUse(policy, UserWith(0), 1000));
  EXPECT_TRUE(MayUse(policy, UserWith(1001, {5, 77}), 1000));
  EXPECT_FALSE(MayUse(policy, UserWith(1001, {5}), 1000));
}

TEST(AccessTest, CountsAPrimaryGroupAsMembership) {
  AccessPolicy policy;
  policy.admin_gid = 1001;
  EXPECT_TRUE(IsAdmin(policy, UserWith(1001)));
}

TEST(AccessTest, HasNoAdminGroupIfNoneIsSet) {
  EXPECT_FALSE(IsAdmin(AccessPolicy{}, UserWith(1001, {0})));
}

TEST(AccessTest, RefusesRootsBenchmarksUnlessAllowed) {
  AccessPolicy policy;
  const Result<void> refused = CheckMaySubmit(policy, SpecOf(UserWith(0)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(refused.error().hint.find("allow_root"), std::string::npos);
  EXPECT_WORDING(refused.error());
  policy.allow_root = true;
  EXPECT_TRUE(CheckMaySubmit(policy, SpecOf(UserWith(0))));
}

TEST(AccessTest, LetsRootRunBenchmarksInItsOwnUserDaemon) {
  AccessPolicy policy;
  policy.single_user = true;
  EXPECT_TRUE(CheckMaySubmit(policy, SpecOf(UserWith(0))));
}

TEST(AccessTest, RefusesACallerWithUnknownLimitsExceptInUserMode) {
  Caller caller = UserWith(1000);
  caller.pid = 4711;
  caller.limits.clear();
  AccessPolicy policy;
  const Result<void> refused = CheckMaySubmit(policy, SpecOf(caller));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(refused.error().message.find("4711"), std::string::npos);
  EXPECT_WORDING(refused.error());
  policy.single_user = true;
  EXPECT_TRUE(CheckMaySubmit(policy, SpecOf(caller)));
}

TEST(AccessTest, LetsOnlyAdminsRaiseThePriority) {
  EXPECT_FALSE(CheckMaySubmit(AccessPolicy{}, SpecOf(UserWith(1000), 1)));
  EXPECT_TRUE(CheckMaySubmit(AccessPolicy{}, SpecOf(UserWith(1000), -1)));
}

TEST(AccessTest, LetsOnlyAdminsLeaveSettingsOut) {
  SessionSpec spec = SpecOf(UserWith(1000));
  spec.settings_off = {"governor"};
  const Result<void> refused = CheckMaySubmit(AccessPolicy{}, spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(refused.error());
  AccessPolicy policy;
  policy.admin_gid = spec.caller.gid;
  EXPECT_TRUE(CheckMaySubmit(policy, spec));
}

TEST(AccessTest, NamesTheActionThatIsForAdmins) {
  const Result<void> refused = CheckMayAdminister(AccessPolicy{}, UserWith(1000), "drain");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(refused.error());
  EXPECT_TRUE(CheckMayAdminister(AccessPolicy{}, UserWith(0), "drain"));
}

TEST(AccessTest, LetsOnlyAdminsAndThePushersGroupReadAllSummaries) {
  AccessPolicy policy;
  policy.admin_gid = 77;
  policy.push_gid = 78;
  EXPECT_TRUE(CheckMayReadAll(policy, UserWith(1000, {77})));
  EXPECT_TRUE(CheckMayReadAll(policy, UserWith(1000, {78})));
  EXPECT_FALSE(IsAdmin(policy, UserWith(1000, {78})));
  const Result<void> refused = CheckMayReadAll(policy, UserWith(1000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(refused.error());
}

}  // namespace
}  // namespace benchd
