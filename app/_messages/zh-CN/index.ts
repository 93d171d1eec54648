import pages from "./pages.json" with { type: "json" };
import shell from "./shell.json" with { type: "json" };
import refresh from "./refresh.json" with { type: "json" };
import live from "./live.json" with { type: "json" };
import verdict from "./verdict.json" with { type: "json" };
import tiles from "./tiles.json" with { type: "json" };
import types from "./types.json" with { type: "json" };
import failed from "./failed.json" with { type: "json" };
import reason from "./reason.json" with { type: "json" };
import status from "./status.json" with { type: "json" };
import reset from "./reset.json" with { type: "json" };
import notice from "./notice.json" with { type: "json" };
import archive from "./archive.json" with { type: "json" };
import archived from "./archived.json" with { type: "json" };
import replay from "./replay.json" with { type: "json" };
import task from "./task.json" with { type: "json" };
import endReason from "./end-reason.json" with { type: "json" };
import act from "./act.json" with { type: "json" };
import explain from "./explain.json" with { type: "json" };
import attempt from "./attempt.json" with { type: "json" };
import payload from "./payload.json" with { type: "json" };
import problem from "./problem.json" with { type: "json" };

export default {
  pages,
  shell,
  refresh,
  live,
  verdict,
  tiles,
  types,
  failed,
  reason,
  status,
  reset,
  notice,
  archive,
  archived,
  replay,
  task,
  endReason,
  act,
  explain,
  attempt,
  payload,
  problem,
};
