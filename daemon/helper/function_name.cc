#include "daemon/helper/function_name.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <csetjmp>

#include "core/base/text.h"

namespace benchd {
namespace {

/// The limits on a mangled name and its demangled form. A few bytes can stand for gigabytes,
/// because a mangled name may refer to its own parts.
constexpr std::size_t kMostMangledBytes = 4096;
constexpr std::size_t kMostDemangledBytes = std::size_t{64} * 1024;

/// The options of the libiberty demangler. Its own limit on recursion would refuse all names over
/// 1 KiB; kMostMangledBytes limits the recursion instead.
constexpr int kDemangling = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP | DMGL_NO_RECURSE_LIMIT;

/// Where the demangler's output is collected.
struct DemangledText {
  std::array<char, kMostDemangledBytes> bytes;
  std::size_t size;
  std::jmp_buf too_long;
};

/// A callback of the demangler. Since that is C code that holds no resource, and offers no way to
/// stop it, a text that is too long is abandoned by a jump.
void AppendDemangled(const char* text, std::size_t size, void* opaque) {
  auto* const out = static_cast<DemangledText*>(opaque);
  if (size > out->bytes.size() - out->size) std::longjmp(out->too_long, 1);
  std::copy_n(text, size, out->bytes.begin() + static_cast<std::ptrdiff_t>(out->size));
  out->size += size;
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

/// Returns the demangled form in `out`, or an empty view. No object in this function has a
/// destructor, as longjmp() requires.
std::string_view Demangle(Demangler demangler, const char* symbol, DemangledText& out) {
  out.size = 0;
  if (setjmp(out.too_long) != 0) return {};
  if (demangler(symbol, kDemangling, AppendDemangled, &out) == 0) return {};
  return {out.bytes.data(), out.size};
}

/// Returns the length of a clone suffix at the end of a symbol, or 0.
std::size_t CloneSuffixBytes(std::string_view symbol) {
  constexpr std::string_view kCold = ".cold";
  if (symbol.ends_with(kCold)) return kCold.size();
  const std::size_t number = symbol.find_last_not_of("0123456789");
  if (number == symbol.npos || number + 1 == symbol.size()) return 0;
  const std::string_view before = symbol.substr(0, number + 1);
  for (const std::string_view suffix : {".part.", ".constprop.", ".isra."}) {
    if (before.ends_with(suffix)) return symbol.size() - before.size() + suffix.size();
  }
  return 0;
}

}  // namespace

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view WithoutCloneSuffixes(std::string_view symbol) {
  for (;;) {
    const std::size_t bytes = CloneSuffixBytes(symbol);
    if (bytes == 0 || bytes == symbol.size()) return symbol;
    symbol.remove_suffix(bytes);
  }
}

std::string ReadableName(std::string_view symbol) {
  // "memcpy@@GLIBC_2.14"
  if (const std::size_t version = symbol.find('@', 1); version != symbol.npos) {
    symbol = symbol.substr(0, version);
  }
  std::string name(symbol);
  if (name.size() > kMostMangledBytes || !name.starts_with('_')) return name;
  static DemangledText out;
  // Rust first: its older names are also those of C++ functions.
  for (const Demangler demangler :
       {Demangler{rust_demangle_callback}, Demangler{cplus_demangle_v3_callback}}) {
    const std::string_view demangled = Demangle(demangler, name.c_str(), out);
    if (!demangled.empty()) return std::string(demangled);
  }
  return name;
}

std::string CleanName(std::string_view name) {
  std::string clean = OnOneLine(Utf8Lossy(name));
  std::ranges::replace(clean, ';', ',');
  if (clean.empty()) return std::string(kUnknownCode);
  if (clean.size() <= kMostNameBytes) return clean;
  constexpr std::string_view kCut = "...";
  constexpr std::size_t kKept = kMostNameBytes - kCut.size();
  std::string cut(Utf8Prefix(clean, kKept / 2));
  return cut.append(kCut).append(Utf8Suffix(clean, kKept - kKept / 2));
}

std::string NameWithSource(std::string_view name, std::string_view source) {
  const std::string_view file = BaseName(source);
  std::string text(name);
  if (!file.empty()) text.append(" (").append(file).append(")");
  return text;
}

}  // namespace benchd
