#include "client/notify_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace benchd::client {

Outcome<NotifySocket> NotifySocket::Open() {
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int on = 1;
  // Binding the family alone lets the kernel choose a free abstract name: unix(7), "autobind".
  socklen_t length = sizeof(sa_family_t);
  if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      (length = sizeof address,
       getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length)) != 0) {
    return ConnectionError(std::string("a socket to hear from benchd: ") + std::strerror(errno));
  }
  const std::size_t name_length = length - offsetof(sockaddr_un, sun_path) - 1;
  return NotifySocket(std::move(fd), "@" + std::string(address.sun_path + 1, name_length));
}

bool NotifySocket::TakeReady() {
  std::array<char, 4096> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_CREDENTIALS) return false;
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
  if (sender.uid != getuid()) return false;
  const std::string lines = "\n" + std::string(text.data(), static_cast<std::size_t>(size)) + "\n";
  return lines.find("\nREADY=1\n") != std::string::npos;
}

}  // namespace benchd::client
