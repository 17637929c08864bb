#include <cmath>
#include <string>

#include "client/app/exit_code.h"
#include "client/present/text.h"
#include "client/session/session_export.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzSessionExport(std::string_view input) {
  const auto read = client::ReadSessionExport(input, client::ExportedRuns::kRead);
  if (!read) return CheckMessage(read.error().message);
  // Draws a page from it.
  FUZZ_CHECK(read->session.has_spec() && !read->session.session().empty());
  const auto session = client::MachineSessionOf(read->session, "export.json");
  if (!session) {
    CheckMessage(session.error().message);
    FUZZ_CHECK(session.error().message.starts_with("export.json: "));
    FUZZ_CHECK(!session.error().hint.empty());
    return;
  }
  FUZZ_CHECK(!session->session.empty() && !session->machine.empty() && !session->gates.empty());
  // An accepted export can be combined: twice the same is one session, which decides nothing.
  const auto combined = CombineMachines({*session, *session}, {});
  if (!combined) {
    CheckMessage(client::OneLine(combined.error().message));
    return;
  }
  FUZZ_CHECK(combined->machines.size() == 1 && combined->verdict == Verdict::kUndecided);
  for (const CombinedGate& gate : combined->gates) {
    const Comparison& mean = gate.comparison;
    const auto& effect = mean.margin_kind == MarginKind::kRatio ? mean.change : mean.difference;
    FUZZ_CHECK(effect.has_value() == (mean.n_reference > 0));
    FUZZ_CHECK(!effect || (!std::isnan(effect->estimate) && !effect->lo));
  }
}

}  // namespace benchd::fuzz
