#include "client/app/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <utility>

#include "core/base/file.h"

namespace benchd::client {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr char kWriteError[] = "stdout: write error";

void DieOfPipe() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  raise(SIGPIPE);
}

}  // namespace

void FillStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is `fd`.
    static_cast<void>(open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR));
  }
}

StandardOutput::StandardOutput()
    : line_by_line_(isatty(STDOUT_FILENO) == 1), previous_(std::cout.rdbuf(this)) {}

StandardOutput::~StandardOutput() {
  sync();  // does nothing after Finish()
  std::cout.rdbuf(previous_);
}

Result<void> StandardOutput::Finish() {
  const std::lock_guard lock(mutex_);
  WriteOut();
  const int copy = dup(STDOUT_FILENO);
  if (copy >= 0 && close(copy) != 0 && written_) written_ = SystemError(kWriteError, errno);
  return written_;
}

StandardOutput::int_type StandardOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return Take({&one, 1}) ? c : traits_type::eof();
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
  return Take({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int StandardOutput::sync() {
  const std::lock_guard lock(mutex_);
  return WriteOut() ? 0 : -1;
}

bool StandardOutput::Take(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!written_) return false;
  text_ += text;
  const bool due =
      text_.size() >= kBufferBytes || (line_by_line_ && text.find('\n') != std::string_view::npos);
  return !due || WriteOut();
}

bool StandardOutput::WriteOut() {
  if (!written_) return false;
  written_ = WriteAll(STDOUT_FILENO, std::exchange(text_, {}), kWriteError);
  if (!written_ && errno == EPIPE) DieOfPipe();
  return written_.has_value();
}

}  // namespace benchd::client
