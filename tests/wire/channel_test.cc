#include "daemon/wire/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <future>

#include "core/base/file.h"

namespace benchd::wire {
namespace {

class ChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> fds{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()), 0);
    ours_.Reset(fds[0]);
    theirs_.Reset(fds[1]);
  }

  /// Sends a packet that SendRecord would not produce: `bytes`, and `fd` beside it.
  void SendRaw(std::string bytes, int fd) const {
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
    ASSERT_EQ(sendmsg(ours_.get(), &header, 0), static_cast<ssize_t>(bytes.size()));
  }

  ErrorCode ReceivedError() const {
    const auto received = ReceiveRecord(theirs_.get());
    return received ? ErrorCode::kInternal : received.error().code;
  }

  UniqueFd ours_;
  UniqueFd theirs_;
};

TEST_F(ChannelTest, RecordsOfEverySizeComeBackWhole) {
  for (std::size_t size : {std::size_t{1}, std::size_t{100}, kInlineBytes - 1, kInlineBytes,
                           kInlineBytes + 1, std::size_t{1'000'000}, kMaxRecordBytes}) {
    std::string record(size, '\0');
    for (std::size_t i = 0; i < size; ++i) record[i] = static_cast<char>(i * 31 + i / 4096);
    ASSERT_TRUE(SendRecord(ours_.get(), record)) << size;
    const auto received = ReceiveRecord(theirs_.get());
    ASSERT_TRUE(received) << size << ": " << received.error().message;
    EXPECT_TRUE(*received == record) << size;
  }
}

TEST_F(ChannelTest, KeepsTheOrderOfSmallAndLargeRecords) {
  ASSERT_TRUE(SendRecord(ours_.get(), "first"));
  ASSERT_TRUE(SendRecord(ours_.get(), std::string(kInlineBytes * 2, 'x')));
  ASSERT_TRUE(SendRecord(ours_.get(), "last"));
  EXPECT_EQ(*ReceiveRecord(theirs_.get()), "first");
  EXPECT_EQ(ReceiveRecord(theirs_.get())->size(), kInlineBytes * 2);
  EXPECT_EQ(*ReceiveRecord(theirs_.get()), "last");
}

TEST_F(ChannelTest, RefusesToSendNothingAndTooMuch) {
  EXPECT_EQ(SendRecord(ours_.get(), "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(SendRecord(ours_.get(), std::string(kMaxRecordBytes + 1, 'x')).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ChannelTest, AClosedSocketReadsAsTheEmptyString) {
  ASSERT_TRUE(SendRecord(ours_.get(), "bye"));
  ours_.Reset();
  EXPECT_EQ(*ReceiveRecord(theirs_.get()), "bye");
  const auto closed = ReceiveRecord(theirs_.get());
  ASSERT_TRUE(closed);
  EXPECT_EQ(*closed, "");
}

TEST_F(ChannelTest, SendingToAClosedSocketIsUnavailableAndRaisesNoSignal) {
  theirs_.Reset();
  EXPECT_EQ(SendRecord(ours_.get(), "x").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(SendRecord(ours_.get(), std::string(kInlineBytes + 1, 'x')).error().code,
            ErrorCode::kUnavailable);
}

TEST_F(ChannelTest, ANonBlockingSocketWithoutDataSaysSo) {
  ASSERT_EQ(fcntl(theirs_.get(), F_SETFL, O_NONBLOCK), 0);
  EXPECT_EQ(ReceivedError(), ErrorCode::kResourceExhausted);
}

TEST_F(ChannelTest, ANonBlockingSenderWaitsUntilTheKernelTakesIt) {
  ASSERT_EQ(fcntl(ours_.get(), F_SETFL, O_NONBLOCK), 0);
  constexpr int kRecords = 200;  // 200 * 30 KiB: far more than a socket buffer holds
  const std::string record(30 * 1024, 'x');
  const int reader = theirs_.get();
  auto received = std::async(std::launch::async, [reader] {
    int count = 0;
    while (count < kRecords && ReceiveRecord(reader).value_or("").size() == 30 * 1024) ++count;
    return count;
  });
  for (int i = 0; i < kRecords; ++i) ASSERT_TRUE(SendRecord(ours_.get(), record)) << i;
  EXPECT_EQ(received.get(), kRecords);
}

TEST_F(ChannelTest, RefusesPacketsThatNoSendRecordProduced) {
  ASSERT_EQ(send(ours_.get(), "\x02y", 2, 0), 2);  // unknown kind
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
  ASSERT_EQ(send(ours_.get(), "\0", 1, 0), 1);  // a kind without a record
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
  ASSERT_EQ(send(ours_.get(), "\x01", 1, 0), 1);  // promises memory, but sends none
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
  const std::string large(kInlineBytes + 2, '\0');
  ASSERT_EQ(send(ours_.get(), large.data(), large.size(), 0), static_cast<ssize_t>(large.size()));
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
}

TEST_F(ChannelTest, RefusesMemoryThatTheSenderCouldStillChange) {
  UniqueFd memory(memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_TRUE(memory);
  ASSERT_EQ(ftruncate(memory.get(), 100'000), 0);
  SendRaw("\x01", memory.get());
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
}

TEST_F(ChannelTest, RefusesAFileAndAPipeInPlaceOfMemory) {
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe2(fds.data(), O_CLOEXEC), 0);
  UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  SendRaw("\x01", read_end.get());
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
  UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  SendRaw("\x01", file.get());
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
}

TEST_F(ChannelTest, ClosesADescriptorThatNobodyAskedFor) {
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe2(fds.data(), O_CLOEXEC), 0);
  UniqueFd read_end(fds[0]);
  SendRaw(std::string("\0hello", 6), fds[1]);
  close(fds[1]);
  EXPECT_EQ(ReceivedError(), ErrorCode::kInvalidArgument);
  char byte = 0;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0) << "the write end is still open somewhere";
}

}  // namespace
}  // namespace benchd::wire
