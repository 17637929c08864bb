#include "core/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(FileTest, ReadsBackWhatWasWrittenWhateverItsSize) {
  for (const std::size_t size : {0U, 1U, 65536U, 200000U}) {
    const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
    const std::string text(size, 'x');
    ASSERT_TRUE(WriteAll(file.get(), text, "memory"));
    lseek(file.get(), 0, SEEK_SET);
    const auto read = ReadAll(file.get(), "memory");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, text);
  }
}

TEST(FileTest, StopsBeyondTheLimitAndNotAtIt) {
  const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  ASSERT_TRUE(WriteAll(file.get(), std::string(300000, 'x'), "memory"));
  lseek(file.get(), 0, SEEK_SET);
  EXPECT_EQ(ReadAll(file.get(), "memory", 300000)->size(), 300000U);
  lseek(file.get(), 0, SEEK_SET);
  const auto cut = ReadAll(file.get(), "memory", 1000);
  EXPECT_GT(cut->size(), 1000U);
  EXPECT_LT(cut->size(), 300000U);
}

TEST(FileTest, ReadsTheStartWhateverTheOffsetAndRefusesAShorterFile) {
  const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  ASSERT_TRUE(WriteAll(file.get(), "start and end", "memory"));
  EXPECT_EQ(ReadStart(file.get(), 5, "memory").value_or(""), "start");
  EXPECT_FALSE(ReadStart(file.get(), 100, "memory"));
}

TEST(FileTest, MakesAFolderWithItsParents) {
  const TempFolder dir;
  ASSERT_TRUE(MakeFolders(dir / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b/c"));
  EXPECT_TRUE(MakeFolders(dir / "a/b/c"));
  dir.Put("f", "");
  EXPECT_TRUE(MakeFolders(dir / "f"));
  EXPECT_FALSE(MakeFolders(dir / "f/below"));
}

TEST(FileTest, NamesTheFileThatCannotBeReadOrWritten) {
  const UniqueFd folder(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_WORDING(ReadAll(folder.get(), "/").error());
  EXPECT_WORDING(WriteAll(folder.get(), "x", "/").error());
}

}  // namespace
}  // namespace benchd
