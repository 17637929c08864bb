#pragma once

#include <elfutils/libdw.h>

#include <string>

// Names of functions from DWARF entries (DIEs), and the way through these.

namespace benchd {

/// Moves to the first child of an entry. Returns false if it has none.
bool ToFirstChild(Dwarf_Die parent, Dwarf_Die& child);
/// Moves to the next sibling, which is always behind, even in a corrupt file. Returns false at the
/// end.
bool ToNextSibling(Dwarf_Die& die);

/// Returns the entry that declares a function and that has its name: where the chain of abstract
/// origins and specifications of `die` ends.
Dwarf_Die OriginOf(Dwarf_Die die);

/// Returns whether a function is visible outside of its compilation unit.
bool IsExternal(Dwarf_Die& function);

/// Returns the name of a function as ReadableName() returns that of its symbol. A local function of
/// C++ has no symbol if it was inlined. Its name is composed of its scope, name and the types of
/// its parameters.
std::string NameOfFunction(Dwarf_Die& function);

/// Returns what functions of the same name and type in different files have in common: their symbol
/// or, if they have none, their name.
std::string IdentityOfFunction(Dwarf_Die& function);

/// Returns the path of the file that declares a function, or an empty text.
std::string SourceOfFunction(Dwarf_Die& function);

}  // namespace benchd
