#pragma once

namespace benchd::client {

/// What the place where text goes can show. Detected once in terminal.h; tests make their own.
struct Style {
  bool color = false;
  bool unicode = true;
  int width = 0;  ///< columns, 0 = no limit
};

}  // namespace benchd::client
