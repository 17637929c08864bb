#include <array>

#include "client/app/completions.h"
#include "client/app/help.h"
#include "client/present/text.h"

namespace benchd::client {
namespace {

// Text for groff: what it would take for its own is escaped, and `code` becomes bold.
std::string Roff(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  bool code = false;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        code = !code;
        out += code ? "\\fB" : "\\fR";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

std::string PageName(std::string_view command) {
  std::string name = "benchctl-" + std::string(command);
  for (char& c : name) {
    if (c == ' ') c = '-';
  }
  return name;
}

std::string Reference(std::string_view page, int section) {
  return Bold(page) + "(" + std::to_string(section) + ")";
}

std::string Header(std::string_view page, std::string_view summary) {
  std::string title(page);
  for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return ".\\\" Written by benchctl from the tables behind its --help.\n.TH " + Roff(title) +
         " 1 \"\" \"benchd " BENCHD_VERSION "\" \"benchctl\"\n.SH NAME\n" + Roff(page) + " \\- " +
         Roff(summary) + "\n";
}

std::string RoffParagraphs(std::string_view text) {
  std::string out;
  for (const std::string& paragraph : Lines(text)) {
    out += (out.empty() ? "" : ".PP\n") + Roff(paragraph) + "\n";
  }
  return out;
}

std::string Item(const std::string& tag, const std::string& text) {
  return ".TP\n" + tag + "\n" + text + "\n";
}

std::string OptionItem(const OptionInfo& option) {
  std::string tag = option.letter != 0 ? Bold(std::string("-") + option.letter) + ", " : "";
  tag += Bold("--" + std::string(option.name));
  if (!option.value.empty()) tag += " " + Italic(option.value);
  return Item(tag, Roff(option.help));
}

std::string OptionSections(const std::vector<OptionInfo>& options) {
  std::string out = ".SH OPTIONS\n";
  for (const auto& [heading, members] : ByGroup(options)) {
    out += ".SS " + Roff(heading) + "\n";
    for (const OptionInfo& option : members) out += OptionItem(option);
  }
  return out;
}

std::string ExampleSection(const std::vector<Example>& examples) {
  std::string out = ".SH EXAMPLES\n";
  for (const Example& example : examples) {
    out += ".PP\n" + Roff(example.purpose) + "\n.PP\n.RS 4\n.nf\n" + Roff(example.line) +
           "\n.fi\n.RE\n";
  }
  return examples.empty() ? "" : out;
}

std::string ExitSection() {
  std::string out = ".SH \"EXIT STATUS\"\n";
  for (const ExitCodeText& exit : ExitCodeTexts()) {
    out += Item(std::to_string(exit.code), Roff(exit.text));
  }
  return out;
}

struct Entry {
  std::string_view name;
  std::string_view text;
};

constexpr std::array kEnvironment = {
    Entry{"BENCHD_SOCKET", "the daemon's socket, where `--socket` is not given"},
    Entry{"BENCHD_HOST",
          "the machine whose daemon is meant, where neither `--host` nor `--socket` is given"},
    Entry{"BENCHD_SSH", "the program that `--host` runs instead of `ssh`"},
    Entry{"NO_COLOR", "if set and not empty, nothing is printed in colour"},
    Entry{"TERM", "`dumb` turns colours and the live view off"},
    Entry{"XDG_RUNTIME_DIR", "where the socket of your own daemon is"},
    Entry{"XDG_STATE_HOME",
          "where your own daemon keeps its sessions and its log, and `compare --save` its programs "
          "(default ~/.local/state)"},
    Entry{"XDG_CACHE_HOME", "where the worktrees of `--git` are kept (default ~/.cache)"}};

constexpr std::array kFiles = {
    Entry{"/run/benchd/benchd.sock", "the socket of the system's daemon"},
    Entry{"$XDG_RUNTIME_DIR/benchd/benchd.sock",
          "the socket of your own daemon; without that variable below /tmp/benchd-UID/"},
    Entry{"$XDG_STATE_HOME/benchd/benchd.log", "the log of a daemon that benchctl has started"},
    Entry{"$XDG_STATE_HOME/benchctl/arms/", "what `compare --save` keeps"}};

template <typename Entries>
std::string EntrySection(std::string_view heading, const Entries& entries) {
  std::string out = ".SH " + std::string(heading) + "\n";
  for (const Entry& entry : entries) out += Item(Bold(entry.name), Roff(entry.text));
  return out;
}

std::string CommandPage(const Command& command) {
  const std::string page = PageName(command.name);
  std::string text = Header(page, command.summary) + ".SH SYNOPSIS\n" +
                     Bold("benchctl " + std::string(command.name)) + " " + Italic(command.usage) +
                     "\n";
  text += ".SH DESCRIPTION\n" + RoffParagraphs(command.description);
  text += OptionSections(AllOptions(command)) + ExampleSection(command.examples);
  return text + ".SH \"SEE ALSO\"\n" + Reference("benchctl", 1) + ", " + Reference("benchd", 8) +
         "\n";
}

std::string OverviewPage() {
  std::string text = Header("benchctl", "compare programs by means of benchd");
  text += ".SH SYNOPSIS\n" + Bold("benchctl") + " " + Italic("[OPTIONS] COMMAND [OPTIONS]") + "\n";
  text +=
      ".SH DESCRIPTION\n" +
      RoffParagraphs(
          "benchctl hands commands to the daemon benchd, which runs them interleaved on a quiet "
          "machine until it is clear whether one is slower than the other, and prints the "
          "verdict.\n"
          "It finds the daemon by `--socket`, by BENCHD_SOCKET, at the system's socket or at "
          "your own. Where none runs it starts one for you, which exits after ten idle "
          "minutes.");
  text += ".SH COMMANDS\n";
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    text += Item(Reference(PageName(command.name), 1), Roff(command.summary));
  }
  text += OptionSections({EveryOption().begin(), EveryOption().end()});
  text += ExampleSection(FindCommand("compare")->examples);
  text += ExitSection() + EntrySection("ENVIRONMENT", kEnvironment) + EntrySection("FILES", kFiles);
  return text + ".SH \"SEE ALSO\"\n" + Reference("benchd", 8) + ", " + Reference("benchd.toml", 5) +
         "\n";
}

}  // namespace

std::vector<GeneratedFile> ManualPages() {
  std::vector<GeneratedFile> pages = {{"man1/benchctl.1", OverviewPage()}};
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    pages.push_back({"man1/" + PageName(command.name) + ".1", CommandPage(command)});
  }
  return pages;
}

}  // namespace benchd::client
