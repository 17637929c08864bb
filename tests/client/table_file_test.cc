#include "client/table_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/support/temp_folder.h"

namespace benchd::client {
namespace {

// Everything from here on; the error's message in its place.
std::string RestOf(TableFile& file) {
  std::string rest;
  for (;;) {
    const Result<std::string_view> piece = file.Read();
    if (!piece) return piece.error().message;
    if (piece->empty()) return rest;
    rest += *piece;
  }
}

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(TableFileTest, AFileIsReadAgainFromItsBeginning) {
  const TempFolder dir;
  const std::string text(150'000, 'x');
  Write(dir / "t", text);
  auto file = TableFile::Open(dir / "t");
  ASSERT_TRUE(file);
  EXPECT_TRUE(RestOf(*file) == text);
  ASSERT_TRUE(file->Rewind());
  EXPECT_TRUE(RestOf(*file) == text);
}

// Whoever reads twice builds on having read the same: another row may name another arm.
TEST(TableFileTest, AFileThatChangedSinceTheFirstReadingIsRefused) {
  const TempFolder dir;
  Write(dir / "t", "arm,x\n");
  auto file = TableFile::Open(dir / "t");
  ASSERT_TRUE(file);
  EXPECT_EQ(RestOf(*file), "arm,x\n");
  Write(dir / "t", "arm,x\na,1\n");
  ASSERT_TRUE(file->Rewind());
  EXPECT_EQ(RestOf(*file), (dir / "t") + ": it changes while it is read");
}

TEST(TableFileTest, APipeGivesTheSameAgainAndNothingThatCameLater) {
  const TempFolder dir;
  const std::string text(150'000, 'x');
  ASSERT_EQ(mkfifo((dir / "p").c_str(), 0600), 0);
  std::thread writer([&] { Write(dir / "p", text); });
  auto file = TableFile::Open(dir / "p");
  ASSERT_TRUE(file);
  EXPECT_TRUE(RestOf(*file) == text);
  writer.join();
  // It can be opened at once: the reader has it open still.
  Write(dir / "p", "later");
  ASSERT_TRUE(file->Rewind());
  EXPECT_TRUE(RestOf(*file) == text);
}

}  // namespace
}  // namespace benchd::client
