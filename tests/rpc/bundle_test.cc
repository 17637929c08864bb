#include <gtest/gtest.h>
#include <nettle/sha2.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/rpc/stored_reactors.h"
#include "tests/rpc/whole_daemon.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

std::string Sha256Of(const std::string& text) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::string digest(SHA256_DIGEST_SIZE, '\0');
  sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return digest;
}

/// Takes several messages in each direction.
std::string LongBundle() {
  std::string text = "# v2 git bundle\n";
  for (int i = 0; text.size() < 3 * GetBundleReactor::kPieceBytes; ++i) text += std::to_string(i);
  return text;
}

class BundleTest : public ::testing::Test, protected WholeDaemon {
 protected:
  explicit BundleTest(std::chrono::milliseconds max_silence = std::chrono::minutes(1))
      : WholeDaemon(std::chrono::minutes(10), max_silence) {}

  static v1::SubmitWithBundleRequest First(const std::string& bundle,
                                           const std::string& request_id = "") {
    v1::SubmitWithBundleRequest first;
    *first.mutable_submit() = Request();
    first.mutable_submit()->set_request_id(request_id);
    first.set_bundle_bytes(bundle.size());
    first.set_bundle_sha256(Sha256Of(bundle));
    return first;
  }

  struct Answer {
    grpc::Status status;
    v1::SubmitResponse response;
  };
  /// Sends the first message, then `data` in pieces, then the end.
  Answer Send(const v1::SubmitWithBundleRequest& first, const std::string& data) {
    constexpr std::size_t kPiece = 100'000;
    Answer answer;
    grpc::ClientContext context;
    const auto writer = sessions_->SubmitWithBundle(&context, &answer.response);
    bool going = writer->Write(first);
    for (std::size_t at = 0; going && at < data.size(); at += kPiece) {
      v1::SubmitWithBundleRequest piece;
      piece.set_data(data.substr(at, kPiece));
      going = writer->Write(piece);
    }
    writer->WritesDone();
    answer.status = writer->Finish();
    return answer;
  }
  grpc::Status Refusal(const v1::SubmitWithBundleRequest& first, const std::string& data) {
    const Answer answer = Send(first, data);
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(Files(), 0U) << "no file is left";
    EXPECT_TRUE(loop_.Run([this] { return store_.ids(); }).empty());
    return answer.status;
  }

  Answer Get(const std::string& session, std::string* data) {
    Answer answer;
    grpc::ClientContext context;
    v1::GetBundleRequest request;
    request.set_session(session);
    const auto reader = sessions_->GetBundle(&context, request);
    for (v1::GetBundleResponse piece; reader->Read(&piece);) *data += piece.data();
    answer.status = reader->Finish();
    return answer;
  }

  std::size_t Files() {
    const std::filesystem::path file = store_.file();
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(file.parent_path() / "bundles")) {
      ++count;
    }
    return count;
  }

  const std::string bundle_ = LongBundle();
};

TEST_F(BundleTest, ASessionsBundleIsThereUntilItEnds) {
  const Answer sent = Send(First(bundle_), bundle_);
  ASSERT_TRUE(sent.status.ok()) << sent.status.error_message();
  const std::string id = sent.response.session();
  EXPECT_EQ(sent.response.position(), 1U);
  std::string got;
  ASSERT_TRUE(Get(id.substr(0, 4), &got).status.ok());
  EXPECT_EQ(got, bundle_);
  Work();
  EXPECT_TRUE(loop_.Await(
      [this, &id] { return IsFinal(store_.Ask(&Records::Load, SessionId{id})->snapshot.state); }));
  const grpc::Status gone = Get(id, &got).status;
  EXPECT_EQ(gone.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_WORDING(gone, {{id, "ID"}});
  EXPECT_EQ(Files(), 0U);
}

TEST_F(BundleTest, ASessionWithoutOneAndNoSessionAreNotFound) {
  std::string got;
  EXPECT_EQ(Get(Submit(), &got).status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Get("nope", &got).status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(got, "");
}

TEST_F(BundleTest, ARequestSentAgainIsTheSameSessionAndNeedsNoBundle) {
  const Answer sent = Send(First(bundle_, "r1"), bundle_);
  ASSERT_TRUE(sent.status.ok()) << sent.status.error_message();
  const Answer again = Send(First(bundle_, "r1"), bundle_);
  ASSERT_TRUE(again.status.ok()) << again.status.error_message();
  EXPECT_EQ(again.response.session(), sent.response.session());
  EXPECT_EQ(Files(), 1U);
  const Answer without = Send(First(bundle_, "r1"), "");
  EXPECT_EQ(without.response.session(), sent.response.session());
}

TEST_F(BundleTest, WhatIsNotAsAnnouncedIsRefused) {
  const test::Replacements size{{std::to_string(bundle_.size()), "SIZE"}};
  EXPECT_WORDING(Refusal(First(bundle_), bundle_ + "x"), size);
  EXPECT_WORDING(Refusal(First(bundle_), bundle_.substr(0, 200'000)), size);
  const std::string other(bundle_.size(), 'x');
  EXPECT_WORDING(Refusal(First(bundle_), other));
  v1::SubmitWithBundleRequest first = First(bundle_);
  first.set_bundle_sha256(Sha256Of("something else"));
  EXPECT_WORDING(Refusal(first, bundle_));
  first.set_bundle_sha256("short");
  EXPECT_WORDING(Refusal(first, ""));
  first = First(bundle_);
  first.set_bundle_bytes(UINT64_MAX);
  EXPECT_EQ(Send(first, "").status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_WORDING(Refusal(v1::SubmitWithBundleRequest(), ""));
}

TEST_F(BundleTest, ASpecThatIsRefusedKeepsNoBundle) {
  v1::SubmitWithBundleRequest first = First(bundle_);
  first.mutable_submit()->mutable_spec()->set_alpha(2);
  EXPECT_WORDING(Refusal(first, bundle_));
}

TEST_F(BundleTest, NothingAtAllIsNoSubmission) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const auto writer = sessions_->SubmitWithBundle(&context, &response);
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_WORDING(status);
}

TEST_F(BundleTest, HalfAnUploadLeavesNothing) {
  {
    grpc::ClientContext context;
    v1::SubmitResponse response;
    const auto writer = sessions_->SubmitWithBundle(&context, &response);
    v1::SubmitWithBundleRequest piece;
    piece.set_data(bundle_.substr(0, 100'000));
    ASSERT_TRUE(writer->Write(First(bundle_)));
    ASSERT_TRUE(writer->Write(piece));
    EXPECT_TRUE(loop_.Await([this] { return Files() == 1; }));
    context.TryCancel();
    EXPECT_FALSE(writer->Finish().ok());
  }
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 0; }));
  EXPECT_EQ(Files(), 0U);
}

TEST_F(BundleTest, AStopOfTheDaemonEndsAnUploadWithAWord) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const auto writer = sessions_->SubmitWithBundle(&context, &response);
  ASSERT_TRUE(writer->Write(First(bundle_)));
  EXPECT_TRUE(loop_.Await([this] { return Files() == 1; }));
  loop_.Run([this] { calls_.Close(); });
  const grpc::Status status = writer->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_WORDING(status);
  EXPECT_EQ(Files(), 0U);
}

class SilentUploadTest : public BundleTest {
 protected:
  SilentUploadTest() : BundleTest(std::chrono::milliseconds(500)) {}
};

TEST_F(SilentUploadTest, OneThatBringsNothingEndsAndGivesItsRoomBack) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const auto writer = sessions_->SubmitWithBundle(&context, &response);
  ASSERT_TRUE(writer->Write(First(bundle_)));
  // Messages without data count as silence.
  while (writer->Write(v1::SubmitWithBundleRequest())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const grpc::Status status = writer->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_WORDING(status);
  EXPECT_EQ(Files(), 0U);
}

TEST_F(SilentUploadTest, OneThatNeverSaysWhatItIsEnds) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const auto writer = sessions_->SubmitWithBundle(&context, &response);
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(SilentUploadTest, ASlowOneIsTaken) {
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const auto writer = sessions_->SubmitWithBundle(&context, &response);
  ASSERT_TRUE(writer->Write(First(bundle_)));
  constexpr std::size_t kPieces = 8;
  const std::size_t size = bundle_.size() / kPieces + 1;
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    v1::SubmitWithBundleRequest message;
    message.set_data(bundle_.substr(piece * size, size));
    ASSERT_TRUE(writer->Write(message));
  }
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

}  // namespace
}  // namespace benchd::rpc
