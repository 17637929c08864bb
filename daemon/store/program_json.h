#pragma once

#include "core/model/program.h"
#include "daemon/store/json_codec.h"

namespace benchd::store {

/// In specs and, where a session makes its programs, in outcomes.
template <>
struct Fields<ProgramIdentity> {
  static void Visit(auto& visit, auto& v) {
    visit("path", v.path);
    visit("device", v.device);
    visit("inode", v.inode);
    visit("size_bytes", v.size_bytes);
    visit("mtime_ns", v.mtime_ns);
    visit("sha256", v.sha256);
  }
};

}  // namespace benchd::store
