#include "client/present/json.h"

#include "client/present/exports.h"

namespace benchd::client {

ExportFormat JsonExportFormat() {
  return {.name = "json",
          .summary = "spec, result and runs",
          .help = "write spec, result and runs to FILE",
          .table_help = "write the output of --json to FILE",
          .of_runs = true,
          .render = [](const v1::Session& session, std::span<const v1::Run> runs) {
            return ExportJson(session, runs) + "\n";
          }};
}

}  // namespace benchd::client
