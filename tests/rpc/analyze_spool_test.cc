#include "daemon/rpc/analyze_spool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/rpc/rpc_support.h"

namespace benchd::rpc {
namespace {

std::string ReadAll(AnalyzeSpool& spool) {
  std::string all;
  for (;;) {
    const Result<std::string_view> piece = spool.Read();
    EXPECT_TRUE(piece) << piece.error().message;
    if (!piece || piece->empty()) return all;
    all += *piece;
  }
}

TEST(AnalyzeSpoolTest, GivesBackWhatItTookAsOftenAsItIsAsked) {
  const TempFolder dir;
  Result<AnalyzeSpool> spool = AnalyzeSpool::Make(dir / "");
  ASSERT_TRUE(spool) << spool.error().message;
  std::string written;
  for (int i = 0; i < 50; ++i) {
    const std::string piece(static_cast<std::size_t>(i) * 100, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(spool->Append(piece));
    written += piece;
  }
  EXPECT_EQ(spool->bytes(), written.size());
  EXPECT_EQ(ReadAll(*spool), written);
  ASSERT_TRUE(spool->Rewind());
  EXPECT_EQ(ReadAll(*spool), written);
}

TEST(AnalyzeSpoolTest, LeavesNothingInItsFolder) {
  const TempFolder dir;
  Result<AnalyzeSpool> spool = AnalyzeSpool::Make(dir / "");
  ASSERT_TRUE(spool && spool->Append("arm,t\n"));
  EXPECT_TRUE(std::filesystem::is_empty(dir / "")) << "also while it is used";
}

TEST(AnalyzeSpoolTest, HasALimitAndSaysSo) {
  const TempFolder dir;
  Result<AnalyzeSpool> spool =
      AnalyzeSpool::Make(dir / "", {.most_bytes = std::uint64_t{3} << 20U});
  ASSERT_TRUE(spool);
  const std::string mebibyte(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(spool->Append(mebibyte));
  const Result<void> refused = spool->Append("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message, "table: over 3 MiB");
}

TEST(AnalyzeSpoolTest, LeavesRoomOnTheDiskForOthers) {
  const TempFolder dir;
  const std::uint64_t more_than_any_disk = ~std::uint64_t{0} >> 1U;
  Result<AnalyzeSpool> spool = AnalyzeSpool::Make(
      dir / "", {.keep_free_bytes = more_than_any_disk, .look_every_bytes = 1000});
  ASSERT_TRUE(spool);
  ASSERT_TRUE(spool->Append(std::string(1000, 'x')));
  const Result<void> refused = spool->Append("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message, "storing the table: the daemon's disk is nearly full");
}

TEST(AnalyzeSpoolTest, SaysWhyThereIsNone) {
  const Result<AnalyzeSpool> spool = AnalyzeSpool::Make("/nowhere/at/all");
  ASSERT_FALSE(spool);
  EXPECT_EQ(spool.error().message, "storing the table: No such file or directory");
}

}  // namespace
}  // namespace benchd::rpc
