#include "daemon/loop_inbox.h"

#include <sys/eventfd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <system_error>

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

asio::any_io_executor LoopInbox::executor() {
  return Executor<asio::io_context::executor_type>(loop_.get_executor(), this);
}

void LoopInbox::Add(std::unique_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > 1) return;  // the loop was notified of the first job
    if (closed_) {
      asio::post(loop_, [this] { DoAll(); });
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
    DoAll();
  });
}

void LoopInbox::DoAll() {
  std::vector<std::unique_ptr<Job>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
  }
  for (const std::unique_ptr<Job>& job : jobs) job->Do();
}

void LoopInbox::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  // The eventfd stays open until the end, because another thread may be about to write to it.
  std::error_code ignored;
  bell_.cancel(ignored);
  DoAll();
}

}  // namespace benchd
