#include "core/base/shell_words.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(ShellQuotedTest, LeavesPlainWordsAndQuotesAllOthers) {
  EXPECT_EQ(ShellQuoted("./a-b=1,2%"), "./a-b=1,2%");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("it's $1"), "'it'\\''s $1'");
}

// POSIX.1-2024, 2.2.4 dollar-single-quotes. tests/client/present/foreign_text_test.cc has shells
// read such words back.
TEST(PastedWordTest, HasEscapesWhereAWordHasControlCharacters) {
  EXPECT_EQ(PastedWord("./a-b=1,2%"), "./a-b=1,2%");
  EXPECT_EQ(PastedWord("it's $1 ä"), ShellQuoted("it's $1 ä"));
  EXPECT_EQ(PastedWord("true \x1b[31m \xC2\x9B"
                       "5m"),
            "$'true \\033[31m \\302\\2335m'");
  EXPECT_EQ(PastedWord("it's\n\t\\ ä\xFF"), "$'it\\'s\\n\\t\\\\ ä\\377'");
}

}  // namespace
}  // namespace benchd
