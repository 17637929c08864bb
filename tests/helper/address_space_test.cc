#include "daemon/helper/address_space.h"

#include <gtest/gtest.h>

#include <string>

namespace benchd {
namespace {

MappingRecord Mapped(std::uint32_t pid, std::uint64_t start, std::uint64_t bytes,
                     std::string_view path, std::uint64_t offset = 0) {
  return {pid, start, bytes, offset, {path, {}, 1}};
}

/// "path+offset", or "" for an unknown address.
std::string At(const AddressSpaces& spaces, std::uint32_t pid, std::uint64_t address) {
  const auto place = spaces.Find(pid, address);
  if (!place) return "";
  return spaces.files()[place->file].path + "+" + std::to_string(place->offset);
}

TEST(AddressSpacesTest, FindsThePlaceInTheFile) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, 1000, 100, "/a", 4096));
  EXPECT_EQ(At(spaces, 1, 1000), "/a+4096");
  EXPECT_EQ(At(spaces, 1, 1099), "/a+4195");
  EXPECT_EQ(At(spaces, 1, 1100), "");
  EXPECT_EQ(At(spaces, 1, 999), "");
  EXPECT_EQ(At(spaces, 2, 1000), "") << "another process";
}

TEST(AddressSpacesTest, ALaterMappingReplacesWhatItOverlaps) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, 1000, 1000, "/a"));
  spaces.Map(Mapped(1, 1200, 100, "/b"));
  EXPECT_EQ(At(spaces, 1, 1199), "/a+199");
  EXPECT_EQ(At(spaces, 1, 1200), "/b+0");
  EXPECT_EQ(At(spaces, 1, 1299), "/b+99");
  EXPECT_EQ(At(spaces, 1, 1300), "/a+300");
  spaces.Map(Mapped(1, 500, 2000, "/c"));
  EXPECT_EQ(At(spaces, 1, 1250), "/c+750");
  EXPECT_EQ(At(spaces, 1, 1999), "/c+1499");
}

TEST(AddressSpacesTest, AChildHasTheMappingsOfItsParentAtThatTime) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, 1000, 100, "/a"));
  spaces.Fork(2, 1);
  spaces.Map(Mapped(1, 2000, 100, "/b"));
  spaces.Map(Mapped(2, 3000, 100, "/c"));
  EXPECT_EQ(At(spaces, 2, 1000), "/a+0");
  EXPECT_EQ(At(spaces, 2, 2000), "");
  EXPECT_EQ(At(spaces, 1, 3000), "");
  EXPECT_EQ(At(spaces, 2, 3000), "/c+0");
  spaces.Fork(3, 99);
  EXPECT_EQ(At(spaces, 3, 1000), "") << "its parent is unknown";
}

TEST(AddressSpacesTest, AnotherProgramStartsWithoutMappings) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, 1000, 100, "/a"));
  spaces.Fork(2, 1);
  spaces.Exec(2);
  EXPECT_EQ(At(spaces, 2, 1000), "");
  EXPECT_EQ(At(spaces, 1, 1000), "/a+0");
  spaces.Map(Mapped(2, 1000, 100, "/b"));
  EXPECT_EQ(At(spaces, 2, 1000), "/b+0");
}

TEST(AddressSpacesTest, AFileIsKnownByItsPathAndIdentity) {
  AddressSpaces spaces;
  spaces.Map({1, 1000, 100, 0, {"/a", "id", 0}});
  spaces.Map({2, 1000, 100, 0, {"/a", "id", 0}});
  spaces.Map({3, 1000, 100, 0, {"/a", "other", 0}});
  ASSERT_EQ(spaces.files().size(), 2U);
  EXPECT_EQ(spaces.files()[1].build_id, "other");
}

TEST(AddressSpacesTest, MemoryWithoutAFileIsOneFileWithAddresses) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, 1000, 100, "//anon"));
  spaces.Map(Mapped(1, 2000, 100, "/memfd:jit (deleted)"));
  spaces.Map(Mapped(1, 3000, 100, "[anon:code]"));
  spaces.Map(Mapped(1, 4000, 100, "[vdso]"));
  EXPECT_EQ(spaces.files().size(), 2U);
  const auto place = spaces.Find(1, 2050);
  ASSERT_TRUE(place);
  EXPECT_EQ(spaces.files()[place->file].kind, CodeKind::kAnonymous);
  EXPECT_EQ(place->offset, 2050U);
  EXPECT_EQ(place->pid, 1U);
  const auto vdso = spaces.Find(1, 4010);
  ASSERT_TRUE(vdso);
  EXPECT_EQ(spaces.files()[vdso->file].kind, CodeKind::kVdso);
  EXPECT_EQ(vdso->offset, 10U);
  EXPECT_EQ(vdso->pid, 0U);
}

TEST(AddressSpacesTest, ImpossibleMappingsAreIgnored) {
  AddressSpaces spaces;
  spaces.Map(Mapped(1, ~std::uint64_t{0} - 10, 100, "/a"));
  spaces.Map(Mapped(1, 1000, 0, "/a"));
  EXPECT_EQ(At(spaces, 1, ~std::uint64_t{0} - 5), "");
  EXPECT_EQ(At(spaces, 1, 1000), "");
}

TEST(AddressSpacesTest, ForgetsTheProcessThatExitedFirstIfThereAreTooMany) {
  AddressSpaces spaces;
  constexpr auto kMost = static_cast<std::uint32_t>(AddressSpaces::kMostProcesses);
  for (std::uint32_t pid = 1; pid <= kMost; ++pid) spaces.Map(Mapped(pid, 1000, 100, "/a"));
  spaces.Map(Mapped(kMost + 1, 1000, 100, "/a"));
  EXPECT_EQ(At(spaces, kMost + 1, 1000), "") << "all others are alive";
  spaces.Exit(7);
  EXPECT_EQ(At(spaces, 7, 1000), "/a+0") << "other threads may be alive";
  spaces.Map(Mapped(kMost + 1, 1000, 100, "/a"));
  EXPECT_EQ(At(spaces, kMost + 1, 1000), "/a+0");
  EXPECT_EQ(At(spaces, 7, 1000), "");
}

TEST(AddressSpacesTest, AReusedProcessNumberIsNotForgotten) {
  AddressSpaces spaces;
  constexpr auto kMost = static_cast<std::uint32_t>(AddressSpaces::kMostProcesses);
  for (std::uint32_t pid = 1; pid <= kMost; ++pid) spaces.Map(Mapped(pid, 1000, 100, "/a"));
  spaces.Exit(7);
  spaces.Fork(7, 1);
  spaces.Map(Mapped(kMost + 1, 1000, 100, "/a"));
  EXPECT_EQ(At(spaces, 7, 1000), "/a+0");
  EXPECT_EQ(At(spaces, kMost + 1, 1000), "");
}

TEST(AddressSpacesTest, LimitsTheMappingsOfAllProcesses) {
  AddressSpaces spaces;
  const std::size_t most = AddressSpaces::kMostMappings;
  for (std::uint64_t i = 0; i < most + 10; ++i) spaces.Map(Mapped(1, i * 100, 100, "/a"));
  EXPECT_EQ(At(spaces, 1, (most - 1) * 100), "/a+0");
  EXPECT_EQ(At(spaces, 1, most * 100), "");
  // Shared until one of them changes its own.
  for (std::uint32_t pid = 2; pid < 1000; ++pid) spaces.Fork(pid, 1);
  EXPECT_EQ(At(spaces, 999, 0), "/a+0");
  spaces.Map(Mapped(999, 0, 100, "/b"));
  EXPECT_EQ(At(spaces, 999, 100), "") << "rather than a mapping that may be out of date";
  for (std::uint32_t pid = 1; pid < 999; ++pid) spaces.Exec(pid);
  spaces.Map(Mapped(1, 0, 100, "/b"));
  EXPECT_EQ(At(spaces, 1, 0), "/b+0");
}

TEST(AddressSpacesTest, LimitsTheFiles) {
  AddressSpaces spaces;
  for (std::size_t i = 0; i < AddressSpaces::kMostFiles + 10; ++i) {
    spaces.Map(Mapped(1, i * 100, 100, "/" + std::to_string(i)));
  }
  EXPECT_EQ(spaces.files().size(), AddressSpaces::kMostFiles);
}

}  // namespace
}  // namespace benchd
