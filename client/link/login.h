#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/app/exit_code.h"
#include "client/request/caller.h"

namespace benchd::client {

// The two ends of `--host` as text: whom to ask, and what is said from there. Pure.

/// A login on another machine, as `--host` and BENCHD_HOST name it.
struct SshTarget {
  std::string user;  ///< empty: what ssh's own configuration says
  std::string host;  ///< a name, an alias of ssh's configuration or an address
  std::optional<std::uint16_t> port;
  bool operator==(const SshTarget&) const = default;

  /// "ssh://user@host:22", as it is read.
  std::string Text() const;
};

/// `ssh://[USER@]HOST[:PORT]`, an IPv6 address in brackets.
///
/// @errors (exit 2) another scheme, a path, no host, no port from 1 to 65535; a user or host that
///         begins with `-`, which ssh would take for an option, or has blanks or control
///         characters.
Result<SshTarget> ParseSshTarget(std::string_view text);

/// What `benchctl dial-stdio` says of the login before it hands the connection over: all that a
/// session takes from its caller's process.
struct RemoteLogin {
  std::uint32_t uid = 0;
  std::string user;
  CapturedContext caller;  ///< its cwd is the folder in which the login begins: its home
  /// Where commits that come as a bundle are built; none: that benchctl cannot.
  std::optional<BuildPlace> builds = {};
};

/// How a greeting begins, on a line of its own: what the login's shell prints before is discarded.
inline constexpr std::string_view kGreetingMark = "benchd-dial-stdio 1 ";

/// The greeting, with its newline.
std::string Greeting(const RemoteLogin& login);

/// Reads one line; nothing where it is no greeting.
///
/// @errors (exit 5) it begins as one, and goes on otherwise.
Result<std::optional<RemoteLogin>> ParseGreeting(std::string_view line);

/// How an ssh ended that gave no connection, or gave it up.
struct SshEnd {
  int code = 0;           ///< exit code; 128 + N when signal N ended it
  std::string err;        ///< what it, or the program there, wrote on stderr
  bool greeted = false;   ///< the connection stood
  std::string unwelcome;  ///< what was there instead of the greeting; its beginning
};

/// Why, in ssh's words (exit 255) or those of benchctl over there.
Error ExplainSshEnd(const SshTarget& target, const SshEnd& end);

}  // namespace benchd::client
