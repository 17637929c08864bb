#include "daemon/store/bundle_files.h"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/store/store_fixture.h"

namespace benchd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint32_t kUser = 1000;
const std::string kText = "# v2 git bundle\nthe rest is git's";

BundleClaim ClaimFor(const std::string& text) {
  BundleClaim claim{text.size(), {}};
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  sha256_digest(&context, claim.sha256.size(), claim.sha256.data());
  return claim;
}

class BundleFilesTest : public testing::Test {
 protected:
  BundleFiles Open() {
    Result<BundleFiles> files = BundleFiles::Open(folder_.path());
    EXPECT_TRUE(files) << files.error().message;
    return std::move(*files);
  }
  /// The names in the folder.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "bundles")) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  /// Sends all of a text.
  Result<void> Send(const BundleFiles& files, const std::string& text, const BundleClaim& claim,
                    const BundleLimits& limits = {}, const std::string& session = "") {
    Result<BundleUpload> upload = files.Begin(kUser, claim, limits);
    if (!upload) return upload.error();
    Result<void> done = upload->Append(text);
    if (done) done = upload->Finish();
    if (done && !session.empty()) done = upload->KeepFor(SessionId{session});
    return done;
  }
  Error RefusalToTake(const BundleFiles& files, const std::string& text, const BundleClaim& claim) {
    const Result<void> refused = Send(files, text, claim);
    EXPECT_FALSE(refused) << text;
    if (refused) return {};
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument) << text;
    return refused.error();
  }

  TempFolder folder_;
};

TEST_F(BundleFilesTest, ASessionHasWhatWasSentUntilItIsRemoved) {
  const BundleFiles files = Open();
  Result<BundleUpload> upload = files.Begin(kUser, ClaimFor(kText), {});
  ASSERT_TRUE(upload) << upload.error().message;
  ASSERT_TRUE(upload->Append(kText.substr(0, 20)));
  ASSERT_TRUE(upload->Append(""));
  ASSERT_TRUE(upload->Append(kText.substr(20)));
  ASSERT_TRUE(upload->Finish());
  {
    const BundleUpload moved = std::move(*upload);
    EXPECT_EQ(Names().size(), 1U) << "moved, not deleted";
  }
  EXPECT_THAT(Names(), IsEmpty()) << "it was not claimed";
  ASSERT_TRUE(Send(files, kText, ClaimFor(kText), {}, "abc"));
  EXPECT_THAT(Names(), ElementsAre("1000-abc"));
  EXPECT_EQ(ModeOf(folder_ / "bundles"), 0700);
  EXPECT_EQ(ModeOf(folder_ / "bundles/1000-abc"), 0600);
  EXPECT_EQ(*files.Read(SessionId{"abc"}, 0, 20), kText.substr(0, 20));
  EXPECT_EQ(*files.Read(SessionId{"abc"}, 20, 1000), kText.substr(20));
  EXPECT_EQ(*files.Read(SessionId{"abc"}, kText.size(), 1000), "");
  EXPECT_EQ(files.Read(SessionId{"ab"}, 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(files.Remove(SessionId{"abc"}));
  EXPECT_TRUE(files.Remove(SessionId{"abc"})) << "removing nothing succeeds";
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(BundleFilesTest, WhatIsNotAsAnnouncedIsRefusedAndLeavesNothing) {
  const BundleFiles files = Open();
  const BundleClaim claim = ClaimFor(kText);
  EXPECT_WORDING(RefusalToTake(files, kText + "x", claim));
  EXPECT_WORDING(RefusalToTake(files, kText.substr(0, 30), claim));
  std::string changed = kText;
  changed.back() = 'x';
  EXPECT_WORDING(RefusalToTake(files, changed, claim));
  for (const char* text : {"PK\x03\x04 and so on", "# v2 git bundl", "# v4 git bundle\n", "\n"}) {
    EXPECT_WORDING(RefusalToTake(files, text, ClaimFor(text))) << text;
  }
  EXPECT_WORDING(RefusalToTake(files, "", ClaimFor("")));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(BundleFilesTest, OneBundleAndAllOfAUserAreBounded) {
  const BundleFiles files = Open();
  const std::uint64_t kMib = std::uint64_t{1} << 20U;
  const BundleLimits limits{.bytes = 2 * kMib, .bytes_a_user = 3 * kMib};
  const BundleClaim two{2 * kMib, {}};
  EXPECT_WORDING(files.Begin(kUser, {2 * kMib + 1, {}}, limits).error());
  EXPECT_EQ(files.Begin(kUser, {UINT64_MAX, {}}, limits).error().code,
            ErrorCode::kResourceExhausted);
  // An upload in progress counts with its final size.
  Result<BundleUpload> first = files.Begin(kUser, two, limits);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_WORDING(files.Begin(kUser, two, limits).error());
  EXPECT_TRUE(files.Begin(kUser, {kMib, {}}, limits));
  EXPECT_TRUE(files.Begin(kUser + 1, two, limits)) << "another user's";
  EXPECT_TRUE(files.Begin(100, two, limits)) << "a uid that is a prefix of another";
}

TEST_F(BundleFilesTest, FewOfAUserAreOnTheirWayAtOnce) {
  const BundleFiles files = Open();
  std::vector<BundleUpload> uploads;
  for (std::size_t i = 0; i < BundleLimits().uploads_a_user; ++i) {
    Result<BundleUpload> upload = files.Begin(kUser, ClaimFor(kText), {});
    ASSERT_TRUE(upload) << upload.error().message;
    uploads.push_back(std::move(*upload));
  }
  EXPECT_WORDING(files.Begin(kUser, ClaimFor(kText), {}).error());
  EXPECT_TRUE(files.Begin(kUser + 1, ClaimFor(kText), {}));
  uploads.pop_back();
  EXPECT_TRUE(files.Begin(kUser, ClaimFor(kText), {}));
}

TEST_F(BundleFilesTest, SweepsWhatBelongsToNoSession) {
  const BundleFiles files = Open();
  for (const char* name : {"1000-a", "1000-b", "1000-Xy12zz.part", "note"}) {
    std::ofstream(folder_ / ("bundles/" + std::string(name))) << "x";
  }
  ASSERT_TRUE(files.Sweep({SessionId{"a"}}));
  EXPECT_THAT(Names(), UnorderedElementsAre("1000-a", "note"));
}

class BundleRecordsTest : public StoreTest {
 protected:
  BundleRecordsTest() { Open(); }
  Result<BundleUpload> Sent() {
    Result<BundleUpload> upload = records_->BeginBundle(kUser, ClaimFor(kText), {});
    EXPECT_TRUE(upload && records_->AppendBundle(&*upload, kText));
    EXPECT_TRUE(upload && records_->FinishBundle(&*upload));
    return upload;
  }
  bool Has(const std::string& id) const {
    return std::filesystem::exists(state_ / "bundles" / ("1000-" + id));
  }
};

TEST_F(BundleRecordsTest, ABundleComesAndGoesWithItsSession) {
  Result<BundleUpload> upload = Sent();
  ASSERT_TRUE(records_->Insert(PlainRecord("a"), Happened("submitted"), &*upload));
  EXPECT_TRUE(Has("a"));
  Open();
  EXPECT_TRUE(Has("a")) << "after a restart of benchd";
  EXPECT_EQ(*records_->ReadBundle(SessionId{"a"}, 0, 100), kText);
  End(SessionId{"a"}, 1);
  EXPECT_FALSE(Has("a"));
}

TEST_F(BundleRecordsTest, ASessionThatIsNotKeptKeepsNoBundle) {
  Insert("a");
  {
    Result<BundleUpload> upload = Sent();
    EXPECT_FALSE(records_->Insert(PlainRecord("a"), Happened("submitted"), &*upload)) << "twice";
  }
  EXPECT_TRUE(std::filesystem::is_empty(state_ / "bundles"));
}

}  // namespace
}  // namespace benchd::store
