import accounts from "./accounts.json" with { type: "json" };
import act from "./act.json" with { type: "json" };
import actions from "./actions.json" with { type: "json" };
import archive from "./archive.json" with { type: "json" };
import archived from "./archived.json" with { type: "json" };
import attempt from "./attempt.json" with { type: "json" };
import audit from "./audit.json" with { type: "json" };
import auditAction from "./audit-action.json" with { type: "json" };
import bulk from "./bulk.json" with { type: "json" };
import bulkPanel from "./bulkPanel.json" with { type: "json" };
import bulkReplay from "./bulk-replay.json" with { type: "json" };
import causePage from "./cause-page.json" with { type: "json" };
import causes from "./causes.json" with { type: "json" };
import charts from "./charts.json" with { type: "json" };
import detail from "./detail.json" with { type: "json" };
import endReason from "./end-reason.json" with { type: "json" };
import explain from "./explain.json" with { type: "json" };
import failed from "./failed.json" with { type: "json" };
import keys from "./keys.json" with { type: "json" };
import link from "./link.json" with { type: "json" };
import live from "./live.json" with { type: "json" };
import me from "./me.json" with { type: "json" };
import notice from "./notice.json" with { type: "json" };
import onboarding from "./onboarding.json" with { type: "json" };
import pages from "./pages.json" with { type: "json" };
import palette from "./palette.json" with { type: "json" };
import password from "./password.json" with { type: "json" };
import payload from "./payload.json" with { type: "json" };
import problem from "./problem.json" with { type: "json" };
import reason from "./reason.json" with { type: "json" };
import refresh from "./refresh.json" with { type: "json" };
import replay from "./replay.json" with { type: "json" };
import reset from "./reset.json" with { type: "json" };
import role from "./role.json" with { type: "json" };
import sessions from "./sessions.json" with { type: "json" };
import shell from "./shell.json" with { type: "json" };
import signIn from "./signIn.json" with { type: "json" };
import status from "./status.json" with { type: "json" };
import stepUp from "./stepUp.json" with { type: "json" };
import strategy from "./strategy.json" with { type: "json" };
import task from "./task.json" with { type: "json" };
import taskColumn from "./task-column.json" with { type: "json" };
import taskDensity from "./task-density.json" with { type: "json" };
import taskEmpty from "./task-empty.json" with { type: "json" };
import taskFilter from "./task-filter.json" with { type: "json" };
import taskLook from "./task-look.json" with { type: "json" };
import taskOrder from "./task-order.json" with { type: "json" };
import taskState from "./task-state.json" with { type: "json" };
import taskTime from "./task-time.json" with { type: "json" };
import taskView from "./task-view.json" with { type: "json" };
import tasks from "./tasks.json" with { type: "json" };
import tiles from "./tiles.json" with { type: "json" };
import tokens from "./tokens.json" with { type: "json" };
import types from "./types.json" with { type: "json" };
import verdict from "./verdict.json" with { type: "json" };
import words from "./words.json" with { type: "json" };

export default {
  accounts,
  act,
  actions,
  archive,
  archived,
  attempt,
  audit,
  auditAction,
  bulk,
  bulkPanel,
  bulkReplay,
  causePage,
  causes,
  charts,
  detail,
  endReason,
  explain,
  failed,
  keys,
  link,
  live,
  me,
  notice,
  onboarding,
  pages,
  palette,
  password,
  payload,
  problem,
  reason,
  refresh,
  replay,
  reset,
  role,
  sessions,
  shell,
  signIn,
  status,
  stepUp,
  strategy,
  task,
  taskColumn,
  taskDensity,
  taskEmpty,
  taskFilter,
  taskLook,
  taskOrder,
  taskState,
  taskTime,
  taskView,
  tasks,
  tiles,
  tokens,
  types,
  verdict,
  words,
};
