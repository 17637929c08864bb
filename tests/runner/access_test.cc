// Which users children may run as: the rules alone, and a runner to which benchd sends false
// requests.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <sys/fanotify.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/launch/callers.h"
#include "tests/runner/service_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::uint32_t kNoId = UINT32_MAX;
/// Uids that exist nowhere in these tests.
constexpr uid_t kBenchd = 65533;
constexpr uid_t kUnknown = 54321;
constexpr uid_t kAsker = 65530;  // callers.cc

AccessRules RulesFor(std::vector<std::string> users = {}, bool allow_root = false) {
  return {.hold = true,
          .benchd = kBenchd,
          .allow_root = allow_root,
          .group = "benchd",
          .users = std::move(users)};
}

wire::UserRecord Alice() {
  return {.known = true, .name = "alice", .gid = 1000, .groups = {27, 990}, .socket_gid = 990};
}

Caller AsAlice(std::vector<std::uint32_t> groups = {}) {
  Caller caller;
  caller.uid = caller.gid = 1000;
  caller.groups = std::move(groups);
  return caller;
}

TEST(AccessTest, AMemberOfTheGroupKeepsTheGroupsThatTheDatabaseKnows) {
  const auto admitted = AdmitCaller(RulesFor(), Alice(), AsAlice({6, 27, 1000, 999}));
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ(admitted->groups, (std::vector<std::uint32_t>{27, 1000}));
  EXPECT_TRUE(AdmitCaller(RulesFor(), Alice(), AsAlice())->groups.empty())
      << "a caller that gave groups up does not get them back";
}

TEST(AccessTest, AGidThatDoesNotBelongToTheUserIsRefused) {
  Caller caller = AsAlice();
  caller.gid = 6;
  EXPECT_FALSE(AdmitCaller(RulesFor(), Alice(), caller));
  caller.gid = 27;
  EXPECT_TRUE(AdmitCaller(RulesFor(), Alice(), caller)) << "as newgrp(1) does";
}

TEST(AccessTest, AUserWhoIsNotAMemberMustBeNamed) {
  wire::UserRecord record = Alice();
  record.groups = {27};
  EXPECT_FALSE(AdmitCaller(RulesFor(), record, AsAlice()));
  EXPECT_TRUE(AdmitCaller(RulesFor({"bob", "alice"}), record, AsAlice()));
  EXPECT_TRUE(AdmitCaller(RulesFor({"1000"}), record, AsAlice()));
  record.gid = 990;
  EXPECT_FALSE(AdmitCaller(RulesFor(), record, AsAlice())) << "it is no longer in group 1000";
  record.groups = {1000};
  EXPECT_TRUE(AdmitCaller(RulesFor(), record, AsAlice())) << "through its primary group";
  record.socket_gid.reset();
  EXPECT_FALSE(AdmitCaller(RulesFor(), record, AsAlice())) << "there is no such group";
}

TEST(AccessTest, ASystemUserMustBeNamedEvenIfItIsAMember) {
  wire::UserRecord record = Alice();
  record.name = "jenkins";
  record.gid = 113;
  Caller caller;
  caller.uid = 999;
  caller.gid = 113;
  EXPECT_FALSE(AdmitCaller(RulesFor(), record, caller));
  EXPECT_TRUE(AdmitCaller(RulesFor({"jenkins"}), record, caller));
}

TEST(AccessTest, AnUnknownUserHasNoGroups) {
  Caller caller;
  caller.uid = caller.gid = kUnknown;
  caller.groups = {0, 6, 990};
  const wire::UserRecord unknown{.socket_gid = 990};
  EXPECT_FALSE(AdmitCaller(RulesFor(), unknown, caller));
  const AccessRules named = RulesFor({std::to_string(kUnknown)});
  const auto admitted = AdmitCaller(named, unknown, caller);
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_TRUE(admitted->groups.empty());
  caller.gid = 990;
  EXPECT_FALSE(AdmitCaller(named, unknown, caller));
}

TEST(AccessTest, RootNeedsAllowRootAndBenchdIsAlwaysRefused) {
  wire::UserRecord record{.known = true, .name = "root", .gid = 0, .groups = {}, .socket_gid = 990};
  EXPECT_FALSE(AdmitCaller(RulesFor({"root", "0"}), record, Caller{}));
  EXPECT_TRUE(AdmitCaller(RulesFor({}, true), record, Caller{}));
  record = Alice();
  record.name = "benchd";
  Caller caller = AsAlice();
  caller.uid = kBenchd;
  EXPECT_FALSE(AdmitCaller(RulesFor({"benchd", std::to_string(kBenchd)}, true), record, caller));
}

TEST(AccessTest, InUserModeEveryCallerIsAdmitted) {
  EXPECT_TRUE(AdmitCaller({}, {}, Caller{}));
  EXPECT_TRUE(CheckUid({}, 0));
}

/// A runner that listens, as root, and a benchd that sends arbitrary requests. The socket's group
/// is nogroup, so that the user nobody is a member and all other users, such as daemon, are not.
class ForgedRequestTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  }

  void StartService(const std::string& access) {
    const std::string config = "[runner]\nuser = " + std::to_string(kBenchd) +
                               "\n[socket]\ngroup = \"nogroup\"\n[access]\n" + access;
    service_.emplace(folder_, std::vector<std::string>{"--config", folder_.Put("c.toml", config)});
    ASSERT_NE(service_->ReadLine().find("ready"), std::string::npos);
    ASSERT_EQ(seteuid(kBenchd), 0);
    connection_ = service_->Connect();
    ASSERT_EQ(seteuid(0), 0);
    ASSERT_TRUE(IsServed(connection_.get()));
  }

  void Send(const wire::Message& message) const {
    ASSERT_TRUE(wire::SendRecord(connection_.get(), wire::Encode(message)));
  }
  template <typename Wanted>
  Wanted Await() const {
    auto record = wire::ReceiveRecord(connection_.get());
    EXPECT_TRUE(record && !record->empty()) << "the runner has exited";
    const Error gone{ErrorCode::kUnavailable, "no answer", {}};
    const auto decoded = record ? wire::Decode(*record) : Result<wire::Record>(gone);
    const auto* const wanted = decoded ? std::get_if<Wanted>(&decoded->message) : nullptr;
    EXPECT_NE(wanted, nullptr);
    if (wanted != nullptr) return *wanted;
    if constexpr (std::is_default_constructible_v<Wanted>) {
      return Wanted{};
    } else {
      return gone;
    }
  }

  /// What `id` prints as that caller, "UID GID GROUPS", or the error's code and message.
  std::string Become(std::uint32_t uid, std::uint32_t gid, std::vector<std::uint32_t> groups) {
    Caller caller;
    caller.uid = uid;
    caller.gid = gid;
    caller.groups = std::move(groups);
    Send(wire::Resolve{{.caller = caller, .program = "true", .path = "/usr/bin", .cwd = "/"}});
    const auto resolved = Await<Result<ProgramIdentity>>();
    ChildSpec child = ScriptOf("echo $(id -u) $(id -g) $(id -G)");
    child.caller = caller;
    child.output = OutputKind::kLog;
    // Sent at once, in an attempt to run before the answer of the lookup.
    Send(wire::OpenChild{0, child});
    Send(wire::RunBatch{{.runs = {{}}}});
    const auto opened = Await<Result<void>>();
    const auto finished = Await<wire::BatchFigures>();
    Send(wire::CloseChildren{});
    EXPECT_TRUE(Await<Result<void>>());
    EXPECT_EQ(resolved.has_value(), opened.has_value()) << "both decide alike";
    if (!opened) {
      EXPECT_TRUE(finished.runs.empty());
      return std::string(NameOf(opened.error().code)) + ": " + opened.error().message;
    }
    if (finished.runs.empty()) return "no run";
    return finished.runs.front().output;
  }

  TempFolder folder_;
  std::optional<Service> service_;
  UniqueFd connection_;
};

TEST_F(ForgedRequestTest, AMemberKeepsItsIdsAndOnlyItsOwnGroups) {
  StartService("");
  EXPECT_EQ(Become(kNobodyId, kNobodyId, {kNobodyId, 0, 6, 12345}), "65534 65534 65534\n");
}

TEST_F(ForgedRequestTest, EveryOtherCallerIsRefused) {
  StartService("");
  EXPECT_WORDING(Become(0, 0, {}));
  EXPECT_WORDING(Become(kNoId, kNobodyId, {}));
  EXPECT_WORDING(Become(kNobodyId, kNoId, {}));
  EXPECT_WORDING(Become(kBenchd, kBenchd, {}));
  EXPECT_WORDING(Become(kNobodyId, 0, {}));
  EXPECT_WORDING(Become(kNobodyId, 6, {}));
  EXPECT_WORDING(Become(1, 1, {}));
  EXPECT_WORDING(Become(kAsker, kAsker, {}));
  EXPECT_WORDING(Become(kUnknown, kUnknown, {kNobodyId}));
}

/// Suspends every process that is about to execute a program until it has been inspected.
class ExecWatch {
 public:
  explicit ExecWatch(const char* program)
      : events_(fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC)) {
    if (!events_ ||
        fanotify_mark(events_.get(), FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, AT_FDCWD, program) != 0) {
      events_.Reset();
    }
  }
  explicit operator bool() const { return static_cast<bool>(events_); }

  /// /proc/PID/status of the next such grandchild of `grandparent`; empty if there is none.
  std::string StatusOfNext(pid_t grandparent) const {
    constexpr int kTimeoutMs = 60'000;
    pollfd ready{events_.get(), POLLIN, 0};
    while (poll(&ready, 1, kTimeoutMs) == 1) {
      fanotify_event_metadata event{};
      if (read(events_.get(), &event, sizeof(event)) != static_cast<ssize_t>(sizeof(event))) break;
      const UniqueFd program(event.fd);
      const std::string status = StatusOf(std::to_string(event.pid));
      const bool ours = ParentIn(StatusOf(ParentIn(status))) == std::to_string(grandparent);
      const fanotify_response allowed{event.fd, FAN_ALLOW};
      EXPECT_EQ(write(events_.get(), &allowed, sizeof(allowed)),
                static_cast<ssize_t>(sizeof(allowed)));
      if (ours) return status;
    }
    return {};
  }

 private:
  static std::string StatusOf(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/status");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string ParentIn(const std::string& status) {
    constexpr std::string_view kKey = "\nPPid:\t";
    const std::size_t at = status.find(kKey);
    if (at == std::string::npos) return "0";
    const std::size_t begin = at + kKey.size();
    return status.substr(begin, status.find('\n', begin) - begin);
  }

  UniqueFd events_;
};

// A process of the same user could trace the helper and change its answer.
TEST_F(ForgedRequestTest, TheHelperThatReadsTheUserDatabaseHasAUidOfItsOwn) {
  const auto watch = std::make_unique<ExecWatch>("/usr/bin/getent");
  if (!*watch) GTEST_SKIP() << "fanotify does not report programs here";
  StartService("");
  Caller caller;
  caller.uid = caller.gid = kNobodyId;
  Send(wire::Resolve{{.caller = caller, .program = "true", .path = "/usr/bin", .cwd = "/"}});
  const std::string status = watch->StatusOfNext(service_->pid());
  const std::string id = std::to_string(kAsker);
  const std::string ids = id + "\t" + id + "\t" + id + "\t" + id + "\n";
  EXPECT_NE(status.find("\nUid:\t" + ids), std::string::npos) << status;
  EXPECT_NE(status.find("\nGid:\t" + ids), std::string::npos) << status;
}

TEST_F(ForgedRequestTest, TheConfigurationCanAdmitFurtherUsers) {
  const passwd* const daemon = getpwnam("daemon");
  if (daemon == nullptr) GTEST_SKIP() << "the user daemon does not exist here";
  StartService("allow_root = true\nusers = [\"daemon\", " + std::to_string(kUnknown) + ", " +
               std::to_string(kBenchd) + "]\n");
  const std::string uid = std::to_string(daemon->pw_uid);
  const std::string gid = std::to_string(daemon->pw_gid);
  EXPECT_EQ(Become(daemon->pw_uid, daemon->pw_gid, {}), uid + " " + gid + " " + gid + "\n");
  EXPECT_EQ(Become(kUnknown, kUnknown, {0, 6, kNobodyId}), "54321 54321 54321\n");
  EXPECT_EQ(Become(0, 0, {6}), "0 0 0\n");
  EXPECT_WORDING(Become(kBenchd, kBenchd, {}));
}

}  // namespace
}  // namespace benchd
