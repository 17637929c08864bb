#include "daemon/loop_inbox.h"

#include <sys/eventfd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

namespace benchd {
namespace {

int MakeBell() {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

}  // namespace

LoopInbox::LoopInbox(asio::io_context& loop) : loop_(loop), bell_(loop, MakeBell()) { Wait(); }

LoopInbox::~LoopInbox() = default;

asio::any_io_executor LoopInbox::session_executor() { return ExecutorOf(kSession); }

asio::any_io_executor LoopInbox::user_executor(std::uint32_t uid) { return ExecutorOf(uid); }

asio::any_io_executor LoopInbox::ExecutorOf(Lane lane) {
  return Executor<asio::io_context::executor_type>(loop_.get_executor(), this, lane);
}

void LoopInbox::Add(Lane lane, std::unique_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_[lane].push_back(std::move(job));
    if (std::exchange(notified_, true)) return;
    if (closed_) {
      asio::post(loop_, [this] { DoSome(); });
      return;
    }
  }
  // Cannot fail, because the counter holds up to 2^64 - 2 and the eventfd stays open until Close().
  ::eventfd_write(bell_.native_handle(), 1);
}

void LoopInbox::Wait() {
  bell_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code cancelled) {
    if (cancelled) return;
    eventfd_t count = 0;
    ::eventfd_read(bell_.native_handle(), &count);
    Wait();
    DoSome();
  });
}

LoopInbox::Jobs LoopInbox::Next() {
  const std::lock_guard lock(mutex_);
  Jobs jobs;
  if (const auto session = waiting_.find(kSession); session != waiting_.end()) {
    jobs.swap(session->second);
    waiting_.erase(session);
  }
  auto user = waiting_.upper_bound(last_user_);
  if (user == waiting_.end()) user = waiting_.begin();
  if (user != waiting_.end()) {
    last_user_ = user->first;
    jobs.push_back(std::move(user->second.front()));
    user->second.pop_front();
    if (user->second.empty()) waiting_.erase(user);
  }
  return jobs;
}

void LoopInbox::DoSome() {
  for (const std::unique_ptr<Job>& job : Next()) job->Do();
  {
    const std::lock_guard lock(mutex_);
    notified_ = !waiting_.empty();
    if (!notified_) return;
  }
  asio::post(loop_, [this] { DoSome(); });
}

void LoopInbox::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  // The eventfd stays open until the end, because another thread may be about to write to it.
  std::error_code ignored;
  bell_.cancel(ignored);
  // A notification that is not read any more.
  if (notified_) asio::post(loop_, [this] { DoSome(); });
}

}  // namespace benchd
