#include "client/page_file.h"

#include <iostream>
#include <utility>

#include "client/render/json.h"
#include "client/render/text.h"
#include "client/render/words.h"

namespace benchd::client {

Result<PageFile> PageFile::Prepare(const CommandContext& context) {
  PageFile page;
  page.json_ = context.json;
  const std::string* const path = LastValue(context.arguments, "output");
  if (path == nullptr || *path == "-") {
    if (!context.json) return page;
    return UsageError("--json: stdout has the report", "name a file: -o FILE.html");
  }
  page.path_ = *path;
  auto file = NewFile::Prepare(*path);
  if (!file) return std::move(file).error().Within("-o");
  page.file_ = *std::move(file);
  return page;
}

Result<void> PageFile::Write(const std::string& page,
                             const std::vector<std::string>& sources) const {
  if (!file_) {
    std::cout << page;
    return {};
  }
  if (auto written = file_->Write(page); !written) return written;
  if (!json_) {
    std::cerr << "benchctl: wrote " << Printable(path_) << "\n";
    return {};
  }
  Json json = Named("report", "", Now());
  json["file"] = path_;
  json["bytes"] = page.size();
  json["sources"] = sources;
  std::cout << Line(json) << "\n";
  return {};
}

}  // namespace benchd::client
