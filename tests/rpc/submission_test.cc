#include "daemon/rpc/submission.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <string>

#include "core/model/limits.h"

namespace benchd::rpc {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{256} * 1024;

grpc::ByteBuffer Buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

v1::SubmitRequest Request() {
  v1::SubmitRequest request;
  request.set_request_id("abc");
  v1::Arm* const arm = request.mutable_spec()->add_benchmarks()->add_arms();
  arm->set_name("base");
  (*arm->mutable_env())["ARM"] = "1";
  (*request.mutable_spec()->mutable_environment())["PATH"] = "/usr/bin";
  return request;
}

TEST(ParseSubmissionTest, ReturnsTheMessage) {
  const std::string bytes = Request().SerializeAsString();
  const Result<v1::SubmitRequest> parsed = ParseSubmission(Buffer(bytes), kMost);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->SerializeAsString().size(), bytes.size());
  EXPECT_EQ(parsed->request_id(), "abc");
  EXPECT_EQ(parsed->spec().environment().at("PATH"), "/usr/bin");
}

TEST(ParseSubmissionTest, CountsEverythingButTheTextsOfTheEnvironment) {
  v1::SubmitRequest request = Request();
  const std::uint64_t without = request.ByteSizeLong() - std::string("PATH/usr/bin").size();
  EXPECT_TRUE(ParseSubmission(Buffer(request.SerializeAsString()), without));
  const Result<v1::SubmitRequest> refused =
      ParseSubmission(Buffer(request.SerializeAsString()), without - 1);
  EXPECT_EQ(refused.error(), TooLarge(Limit::kSpec, without, without - 1));
  (*request.mutable_spec()->mutable_environment())["PATH"] = std::string(300'000, 'x');
  // Two lengths of the longer text take three bytes in place of one.
  EXPECT_TRUE(ParseSubmission(Buffer(request.SerializeAsString()), without + 6));
  (*request.mutable_spec()->mutable_benchmarks(0)->mutable_arms(0)->mutable_env())["ARM"] =
      std::string(300'000, 'x');
  EXPECT_FALSE(ParseSubmission(Buffer(request.SerializeAsString()), kMost));
}

// Two bytes, 0a 00, are an empty benchmark, which takes some 200 bytes in memory.
TEST(ParseSubmissionTest, ManyEmptyMessagesAreRefusedBeforeTheyAreParsed) {
  v1::SubmitRequest request;
  for (std::uint64_t i = 0; i <= kMost / 2; ++i) request.mutable_spec()->add_benchmarks();
  EXPECT_EQ(ParseSubmission(Buffer(request.SerializeAsString()), kMost).error().code,
            ErrorCode::kResourceExhausted);
  v1::SubmitWithBundleRequest with_bundle;
  *with_bundle.mutable_submit() = request;
  EXPECT_EQ(ParseSubmissionWithBundle(Buffer(with_bundle.SerializeAsString()), kMost).error().code,
            ErrorCode::kResourceExhausted);
}

TEST(ParseSubmissionTest, MalformedBytesAreRefused) {
  const std::string bytes = Request().SerializeAsString();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Result<v1::SubmitRequest> parsed = ParseSubmission(Buffer(bytes.substr(0, size)), kMost);
    if (parsed) continue;  // cut between two fields
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument) << size;
  }
  EXPECT_FALSE(ParseSubmission(Buffer("\x0a\x05\x0a"), kMost)) << "a length past the end";
  EXPECT_FALSE(ParseSubmission(Buffer("\x0a\xff\xff\xff\xff\x0f"), kMost)) << "a negative length";
  EXPECT_FALSE(ParseSubmission(Buffer(std::string(100'000, '\x0b')), kMost)) << "nested groups";
}

TEST(ParseBundleDataTest, ReturnsTheDataAlone) {
  v1::SubmitWithBundleRequest message;
  *message.mutable_submit() = Request();
  message.set_data(std::string(100'000, 'd'));
  const Result<std::string> data = ParseBundleData(Buffer(message.SerializeAsString()));
  ASSERT_TRUE(data);
  EXPECT_EQ(*data, message.data());
  EXPECT_EQ(ParseBundleData(Buffer("")).value(), "");
  EXPECT_FALSE(ParseBundleData(Buffer("\x22\x05x")));
}

}  // namespace
}  // namespace benchd::rpc
