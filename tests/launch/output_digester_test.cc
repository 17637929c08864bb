#include "daemon/launch/output_digester.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/text.h"

namespace benchd {
namespace {

// FIPS 180-2, appendix B.1 and B.2; the digest of nothing: NIST CSRC, SHA256ShortMsg.rsp.
constexpr const char* kOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kOfTwoBlocks =
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

TEST(OutputDigesterTest, IsSha256OfAllPiecesTogether) {
  OutputDigester digester;
  for (const char* piece : {"abcdbcdecdefdefgefghfghighij", "hijkijkljklmklmnlmnomnopnopq"}) {
    digester.Add(piece, std::string(piece).size());
  }
  const OutputDigest digest = digester.Take();
  EXPECT_EQ(ToHex(digest.sha256), kOfTwoBlocks);
  EXPECT_EQ(digest.bytes, 56U);
  EXPECT_EQ(digest.head, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
}

TEST(OutputDigesterTest, BeginsAgainAfterEachTake) {
  OutputDigester digester;
  EXPECT_EQ(ToHex(digester.Take().sha256), kOfNothing);
  digester.Add("abc", 3);
  EXPECT_EQ(ToHex(digester.Take().sha256), kOfAbc);
  const OutputDigest empty = digester.Take();
  EXPECT_EQ(ToHex(empty.sha256), kOfNothing);
  EXPECT_EQ(empty.bytes, 0U);
  EXPECT_EQ(empty.head, "");
}

TEST(OutputDigesterTest, KeepsOnlyTheHead) {
  OutputDigester digester;
  const std::string piece(kOutputHeadBytes - 1, 'x');
  digester.Add(piece.data(), piece.size());
  digester.Add("yz", 2);
  digester.Add(piece.data(), piece.size());
  const OutputDigest digest = digester.Take();
  EXPECT_EQ(digest.bytes, 2 * kOutputHeadBytes);
  EXPECT_EQ(digest.head, piece + "y");
}

}  // namespace
}  // namespace benchd
