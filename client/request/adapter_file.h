#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "core/base/result.h"

namespace benchd::client {

/// A value of --parse, and the text of the adapter if it names a file.
struct ParseChoice {
  std::string format;   ///< a format or a shipped adapter, or the absolute path of the file
  std::string adapter;  ///< empty unless `format` is a file
};

/// Reads the value of --parse. A name that ends in .toml or contains a slash is a file on this
/// machine; it is read and checked.
///
/// @errors (exit 2) an unknown format, a file that cannot be read, an adapter that is not valid.
Result<ParseChoice> ReadParseChoice(const std::string& value);

/// Puts the texts of adapters into a spec, so that the daemon does not need their files.
///
/// @errors those of ReadParseChoice().
Result<void> AttachAdapters(v1::SessionSpec* spec);

}  // namespace benchd::client
