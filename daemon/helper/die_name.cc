#include "daemon/helper/die_name.h"

#include <dwarf.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The limits on chains of references, types and scopes, which may be circular in a corrupt file.
constexpr int kMostReferences = 16;
constexpr int kMostNesting = 32;
/// The maximum number of siblings that are passed on the way to an entry.
constexpr int kMostSiblings = 1'000'000;

std::string_view TextOf(Dwarf_Attribute* attribute) {
  const char* const text = attribute == nullptr ? nullptr : dwarf_formstring(attribute);
  return text == nullptr ? std::string_view() : text;
}

std::string_view PlainName(Dwarf_Die& die) {
  const char* const name = dwarf_diename(&die);
  return name == nullptr ? std::string_view() : name;
}

bool HasFlag(Dwarf_Die& die, unsigned flag) {
  Dwarf_Attribute attribute;
  bool value = false;
  return dwarf_attr_integrate(&die, flag, &attribute) != nullptr &&
         dwarf_formflag(&attribute, &value) == 0 && value;
}

std::optional<Dwarf_Die> Referred(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Die target;
  if (dwarf_attr(&die, name, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &target) == nullptr) {
    return std::nullopt;
  }
  return target;
}

bool IsCPlusPlus(Dwarf_Die& die) {
  Dwarf_Die unit;
  if (dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr) return false;
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b:  // DW_LANG_C_plus_plus_17 and _20, newer than elfutils of Debian 12
    case 0x2c:
      return true;
    default:
      return false;
  }
}

bool IsType(int tag) {
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
         tag == DW_TAG_enumeration_type;
}

std::string_view LinkageName(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const auto symbol = TextOf(dwarf_attr_integrate(&die, name, &attribute));
    if (!symbol.empty()) return symbol;
  }
  return {};
}

/// Appends the name of an entry that encloses others, if it is a scope of C++.
void AppendScope(Dwarf_Die& die, std::string& scope) {
  const int tag = dwarf_tag(&die);
  const std::string_view name = PlainName(die);
  if (tag == DW_TAG_namespace) {
    scope.append(name.empty() ? "(anonymous namespace)" : name).append("::");
  } else if (IsType(tag)) {
    // Most types without a name are those of lambdas.
    scope.append(name.empty() ? "{lambda}" : name).append("::");
  } else if (tag == DW_TAG_subprogram) {
    // A member function may be defined outside of its scope.
    const std::string_view symbol = LinkageName(die);
    if (!symbol.empty()) {
      scope = ReadableName(symbol) + "::";
    } else {
      scope.append(name).append("::");
    }
  }
}

/// Returns the scope of an entry: "app::(anonymous namespace)::". An entry is among those behind
/// its parent and before the next sibling of the parent, which leads to it from above.
std::string ScopeOf(Dwarf_Die& die) {
  std::string scope;
  Dwarf_Die parent;
  if (dwarf_diecu(&die, &parent, nullptr, nullptr) == nullptr) return scope;
  int left = kMostSiblings;
  for (int depth = 0; depth < kMostNesting; ++depth) {
    Dwarf_Die at;
    if (!ToFirstChild(parent, at) || at.addr > die.addr) return scope;
    for (Dwarf_Die next = at; --left > 0 && ToNextSibling(next) && next.addr <= die.addr;)
      at = next;
    if (at.addr == die.addr || left <= 0) return scope;
    AppendScope(at, scope);
    parent = at;
  }
  return scope;
}

/// The name of a basic type in demangled names, which differs from that of GCC's debug information.
void ReplaceBasicTypes(std::string& text) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"long long unsigned int", "unsigned long long"},
       {"long unsigned int", "unsigned long"},
       {"short unsigned int", "unsigned short"},
       {"long long int", "long long"},
       {"long int", "long"},
       {"short int", "short"}});
  for (const auto& [from, to] : kNames) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
}

std::optional<std::string> TypeName(std::optional<Dwarf_Die> type, int depth);

/// Returns the name of the type that a type refers to, followed by `suffix`.
std::optional<std::string> Derived(Dwarf_Die& type, std::string_view suffix, int depth) {
  auto name = TypeName(Referred(type, DW_AT_type), depth + 1);
  if (name) name->append(suffix);
  return name;
}

/// Returns the name of a type as a demangled name has it. std::nullopt for types that are written
/// around others, such as arrays and functions. No type is void.
std::optional<std::string> TypeName(std::optional<Dwarf_Die> type, int depth) {
  if (!type) return "void";
  if (depth > kMostNesting) return std::nullopt;
  const int tag = dwarf_tag(&*type);
  switch (tag) {
    case DW_TAG_base_type:
      return std::string(PlainName(*type));
    case DW_TAG_typedef:
      return Derived(*type, "", depth);
    case DW_TAG_pointer_type:
      return Derived(*type, "*", depth);
    case DW_TAG_reference_type:
      return Derived(*type, "&", depth);
    case DW_TAG_rvalue_reference_type:
      return Derived(*type, "&&", depth);
    case DW_TAG_const_type:
      return Derived(*type, " const", depth);
    case DW_TAG_volatile_type:
      return Derived(*type, " volatile", depth);
    default: {
      const std::string_view name = PlainName(*type);
      if (!IsType(tag) || name.empty()) return std::nullopt;
      return ScopeOf(*type).append(name);
    }
  }
}

/// Removes qualifiers of a parameter itself, which are not part of the function's type.
std::optional<Dwarf_Die> WithoutQualifiers(std::optional<Dwarf_Die> type) {
  for (int i = 0; type && i < kMostReferences; ++i) {
    const int tag = dwarf_tag(&*type);
    if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_typedef) break;
    type = Referred(*type, DW_AT_type);
  }
  return type;
}

/// Whether the object of a member function is constant: the type of `this` points to a constant.
bool IsConstObject(Dwarf_Die& parameter) {
  auto pointer = WithoutQualifiers(Referred(parameter, DW_AT_type));
  if (!pointer || dwarf_tag(&*pointer) != DW_TAG_pointer_type) return false;
  auto object = Referred(*pointer, DW_AT_type);
  return object && dwarf_tag(&*object) == DW_TAG_const_type;
}

/// Returns the parameters of a function, such as "(int, char const*) const". std::nullopt if the
/// type of a parameter cannot be written, or if the compiler left them out (-g1).
std::optional<std::string> ParametersOf(Dwarf_Die& function) {
  Dwarf_Die child;
  std::string text = "(";
  bool is_const = false;
  // GCC does not describe parameters with -g1, but describes the empty list in the same way.
  if (!ToFirstChild(function, child)) {
    return dwarf_hasattr_integrate(&function, DW_AT_type) != 0 ? std::optional("()") : std::nullopt;
  }
  do {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
    if (HasFlag(child, DW_AT_artificial)) {
      is_const = is_const || IsConstObject(child);
      continue;
    }
    const auto type = TypeName(WithoutQualifiers(Referred(child, DW_AT_type)), 0);
    if (!type) return std::nullopt;
    if (text.size() > 1) text.append(", ");
    text.append(*type);
  } while (ToNextSibling(child));
  return text.append(is_const ? ") const" : ")");
}

}  // namespace

bool ToFirstChild(Dwarf_Die parent, Dwarf_Die& child) { return dwarf_child(&parent, &child) == 0; }

bool ToNextSibling(Dwarf_Die& die) {
  Dwarf_Die next;
  if (dwarf_siblingof(&die, &next) != 0 || next.addr <= die.addr) return false;
  die = next;
  return true;
}

Dwarf_Die OriginOf(Dwarf_Die die) {
  for (int i = 0; i < kMostReferences; ++i) {
    auto next = Referred(die, DW_AT_abstract_origin);
    if (!next) next = Referred(die, DW_AT_specification);
    if (!next) break;
    die = *next;
  }
  return die;
}

bool IsExternal(Dwarf_Die& function) { return HasFlag(function, DW_AT_external); }

std::string NameOfFunction(Dwarf_Die& function) {
  const std::string_view symbol = LinkageName(function);
  if (!symbol.empty()) return ReadableName(symbol);
  Dwarf_Die origin = OriginOf(function);
  std::string name(PlainName(origin));
  // main() has no parameters in its symbol.
  if (name.empty() || name == "main" || !IsCPlusPlus(origin)) return name;
  std::string full = ScopeOf(origin).append(name);
  if (const auto parameters = ParametersOf(origin)) full.append(*parameters);
  ReplaceBasicTypes(full);
  return full;
}

std::string IdentityOfFunction(Dwarf_Die& function) {
  const std::string_view symbol = LinkageName(function);
  return symbol.empty() ? NameOfFunction(function) : std::string(symbol);
}

std::string SourceOfFunction(Dwarf_Die& function) {
  const char* const file = dwarf_decl_file(&function);
  return file == nullptr ? std::string() : file;
}

}  // namespace benchd
