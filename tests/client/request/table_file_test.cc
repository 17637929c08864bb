#include "client/request/table_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

// The rest of the file, or the message of the error.
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

TEST(TableFileTest, AFileIsReadToItsEnd) {
  const TempFolder dir;
  const std::string text(150'000, 'x');
  Write(dir / "t", text);
  auto file = TableFile::Open(dir / "t");
  ASSERT_TRUE(file);
  EXPECT_TRUE(RestOf(*file) == text);
}

// A number whose last digits are not written yet is a different number.
TEST(TableFileTest, AFileThatChangesWhileItIsReadIsRefused) {
  const TempFolder dir;
  Write(dir / "t", "arm,x\n");
  auto file = TableFile::Open(dir / "t");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Read());
  Write(dir / "t", "arm,x\na,1\n");
  const std::string said = RestOf(*file);
  EXPECT_TRUE(said.starts_with((dir / "t") + ": ")) << said;
  EXPECT_WORDING(said, {{dir.path(), "DIR"}});
}

TEST(TableFileTest, APipeIsReadToItsEnd) {
  const TempFolder dir;
  const std::string text(150'000, 'x');
  ASSERT_EQ(mkfifo((dir / "p").c_str(), 0600), 0);
  std::thread writer([&] { Write(dir / "p", text); });
  auto file = TableFile::Open(dir / "p");
  ASSERT_TRUE(file);
  EXPECT_TRUE(RestOf(*file) == text);
  writer.join();
}

TEST(TableFileTest, AFileOverItsLimitIsAWrongRequest) {
  const TempFolder dir;
  Write(dir / "t", std::string(std::size_t{2} << 20, 'x'));
  EXPECT_EQ(TableFile::Open(dir / "t")->ReadAll(std::size_t{2} << 20)->size(), 2U << 20);
  const auto refused = TableFile::Open(dir / "t")->ReadAll(std::size_t{1} << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument) << "exit code 2";
  EXPECT_WORDING(refused.error(), {{dir.path(), "DIR"}});
}

}  // namespace
}  // namespace benchd::client
