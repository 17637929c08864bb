#include "client/link/login.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "client/git/worktree_plan.h"
#include "client/present/text.h"
#include "client/request/quantity.h"
#include "core/base/text.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

constexpr std::string_view kSshScheme = "ssh://";
constexpr char kHostForm[] = "write ssh://[USER@]HOST[:PORT]";

Error HostError(std::string_view text, const std::string& why) {
  return UsageError("host " + Quoted(text) + ": " + why, kHostForm);
}

// Returns whether `word` is one word on ssh's command line and cannot be taken for an option.
bool IsPlainWord(std::string_view word) {
  if (word.empty() || word.front() == '-' || FirstInvalidUtf8(word)) return false;
  return !HasControlCharacter(word) && word.find_first_of(" /@'\"\\$`%") == std::string_view::npos;
}

std::optional<std::uint16_t> ReadPort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::string SshTarget::Text() const {
  std::string text(kSshScheme);
  if (!user.empty()) text += user + "@";
  text += host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port) text += fmt::format(":{}", *port);
  return text;
}

Result<SshTarget> ParseSshTarget(std::string_view text) {
  if (!text.starts_with(kSshScheme)) return HostError(text, "not an ssh:// address");
  std::string_view rest = text.substr(kSshScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  SshTarget target;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    if (!IsPlainWord(rest.substr(0, at))) return HostError(text, "invalid user name before @");
    target.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  const bool brackets = rest.starts_with('[');
  const std::size_t end = brackets ? rest.find(']') : rest.find(':');
  if (brackets && end == std::string_view::npos) return HostError(text, "missing ]");
  const std::string_view host = brackets ? rest.substr(1, end - 1) : rest.substr(0, end);
  rest.remove_prefix(brackets ? end + 1 : host.size());
  const bool address = host.find(':') != std::string_view::npos;
  if (!IsPlainWord(host) || address != brackets) return HostError(text, "not a host name");
  target.host = host;
  if (rest.empty()) return target;
  if (rest.front() == ':') target.port = ReadPort(rest.substr(1));
  if (!target.port) return HostError(text, "the port must be between 1 and 65535");
  return target;
}

std::string Greeting(const RemoteLogin& login) {
  nlohmann::json said = {{"cwd", login.caller.context.cwd},
                         {"environment", login.caller.context.environment},
                         {"skipped", login.caller.skipped},
                         {"uid", login.uid},
                         {"user", login.user}};
  if (login.builds) {
    said["builds"] = {{"commits", login.builds->commits},
                      {"program", login.builds->program},
                      {"root", login.builds->root},
                      {"socket", login.builds->socket}};
  }
  using Json = nlohmann::json;
  return std::string(kGreetingMark) +
         said.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

namespace {

bool IsUsable(const BuildPlace& place) {
  for (const std::string* path : {&place.program, &place.root, &place.socket}) {
    if (!path->starts_with('/') || !IsSendableText(*path)) return false;
  }
  return std::ranges::all_of(place.commits, IsCommitId);
}

}  // namespace

Result<std::optional<RemoteLogin>> ParseGreeting(std::string_view line) {
  if (!line.starts_with(kGreetingMark)) return std::optional<RemoteLogin>();
  line.remove_prefix(kGreetingMark.size());
  const nlohmann::json said = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  RemoteLogin login;
  CallerContext& context = login.caller.context;
  try {
    said.at("cwd").get_to(context.cwd);
    said.at("environment").get_to(context.environment);
    said.at("skipped").get_to(login.caller.skipped);
    said.at("uid").get_to(login.uid);
    said.at("user").get_to(login.user);
    if (said.contains("builds")) {
      const nlohmann::json& builds = said.at("builds");
      BuildPlace& place = login.builds.emplace();
      builds.at("commits").get_to(place.commits);
      builds.at("program").get_to(place.program);
      builds.at("root").get_to(place.root);
      builds.at("socket").get_to(place.socket);
    }
  } catch (const nlohmann::json::exception&) {
    context.cwd.clear();
  }
  bool sendable = context.cwd.starts_with('/') && IsSendableText(context.cwd) &&
                  (!login.builds || IsUsable(*login.builds));
  for (const auto& [name, value] : context.environment) {
    sendable = sendable && !name.empty() && IsSendableText(name) && IsSendableText(value);
  }
  if (sendable) return std::optional(std::move(login));
  return ConnectionError("benchctl dial-stdio sent a malformed greeting",
                         "install the same version of benchctl on both machines");
}

namespace {

// Returns the last line with printable text.
std::string LastLine(const std::string& text) {
  std::string last;
  for (const std::string& line : Lines(text)) {
    std::string printable = Printable(line);
    while (printable.ends_with(' ') || printable.ends_with('?')) printable.pop_back();
    if (!printable.empty()) last = std::move(printable);
  }
  return last;
}

// Reads the `error:` and `hint:` lines of benchctl on the other machine.
std::optional<Error> RemoteError(const std::string& text) {
  constexpr std::string_view kError = "error: ";
  constexpr std::string_view kHint = "hint: ";
  std::optional<Error> found;
  for (const std::string& line : Lines(text)) {
    if (line.starts_with(kError)) found = ConnectionError(Printable(line.substr(kError.size())));
    if (found && line.starts_with(kHint)) found->hint = Printable(line.substr(kHint.size()));
  }
  return found;
}

std::string ByHand(const SshTarget& target) {
  std::string command = "ssh ";
  if (target.port) command += fmt::format("-p {} ", *target.port);
  if (!target.user.empty()) command += target.user + "@";
  return command + target.host + " benchctl version";
}

}  // namespace

Error ExplainSshEnd(const SshTarget& target, const SshEnd& end) {
  const std::string where = target.Text();
  const std::string try_it = "try it by hand: " + ByHand(target);
  if (auto error = RemoteError(end.err)) {
    if (error->message.find("dial-stdio: unknown command") != std::string::npos) {
      return ConnectionError(where + ": the benchctl there is too old for --host",
                             "install the same version on both machines");
    }
    return std::move(*error).Within(where);
  }
  const std::string last = LastLine(end.err);
  if (end.code == 127) {
    return ConnectionError("benchctl is not installed on " + target.host,
                           "install it there, in the PATH of non-interactive logins");
  }
  if (end.code == 255) {
    const std::string said = last.starts_with("ssh: ") ? last : "ssh: " + last;
    return ConnectionError(last.empty() ? "ssh: no connection to " + where : said, try_it);
  }
  if (end.greeted) {
    return ConnectionError(
        fmt::format("{}: the connection was closed{}", where,
                    end.code == 0 ? "" : fmt::format(" (ssh: exit code {})", end.code)),
        "check that the daemon there still runs; accepted sessions are kept");
  }
  if (end.code == 0) {
    const std::string instead = LastLine(end.unwelcome);
    return ConnectionError(
        where + ": something other than benchctl dial-stdio answered" +
            (instead.empty() ? "" : ": " + Quoted(instead)),
        "check the login shell there, and command= of the key in authorized_keys");
  }
  return ConnectionError(
      fmt::format("{}: exit code {}{}", where, end.code, last.empty() ? "" : ": " + last), try_it);
}

}  // namespace benchd::client
