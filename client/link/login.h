#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/app/exit_code.h"
#include "client/request/caller.h"

namespace benchd::client {

// The text formats of `--host`: the address of the other machine and its greeting. Pure.

/// A login on another machine, as `--host` and BENCHD_HOST name it.
struct SshTarget {
  std::string user;  ///< empty: as configured in ssh
  std::string host;  ///< a name, an alias in ssh's configuration or an address
  std::optional<std::uint16_t> port;
  bool operator==(const SshTarget&) const = default;

  /// "ssh://user@host:22", the form that ParseSshTarget() reads.
  std::string Text() const;
};

/// Parses `ssh://[USER@]HOST[:PORT]`, with an IPv6 address in brackets.
///
/// @errors (exit 2) another scheme, a path, a missing host, a port outside 1 to 65535; a user or
///         host that begins with `-`, which ssh would take for an option, or that contains spaces
///         or control characters.
Result<SshTarget> ParseSshTarget(std::string_view text);

/// The login as `benchctl dial-stdio` describes it before it hands the connection over. It contains
/// everything that a session takes from its caller's process.
struct RemoteLogin {
  std::uint32_t uid = 0;
  std::string user;
  CapturedContext caller;  ///< cwd is the home directory, where the login starts
  /// The place where commits from a bundle are built; none if the remote benchctl cannot do that.
  std::optional<BuildPlace> builds = {};
};

/// The beginning of a greeting line. Lines that the login shell prints before it are discarded.
inline constexpr std::string_view kGreetingMark = "benchd-dial-stdio 1 ";

/// Returns the greeting line, including the newline.
std::string Greeting(const RemoteLogin& login);

/// Parses one line. Returns nullopt if the line is not a greeting.
///
/// @errors (exit 5) the line begins like a greeting but is malformed.
Result<std::optional<RemoteLogin>> ParseGreeting(std::string_view line);

/// The end of an ssh process that failed to connect or lost its connection.
struct SshEnd {
  int code = 0;           ///< exit code; 128 + N if signal N ended it
  std::string err;        ///< stderr of ssh and of the program there
  bool greeted = false;   ///< the connection had been established
  std::string unwelcome;  ///< the beginning of the output in place of a greeting
};

/// Explains the end, with the message of ssh (exit 255) or of benchctl on the other machine.
Error ExplainSshEnd(const SshTarget& target, const SshEnd& end);

}  // namespace benchd::client
