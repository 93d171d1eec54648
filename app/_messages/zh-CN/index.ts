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
import problem from "./problem.json" with { type: "json" };
import tasks from "./tasks.json" with { type: "json" };
import taskState from "./task-state.json" with { type: "json" };
import taskLook from "./task-look.json" with { type: "json" };
import taskTime from "./task-time.json" with { type: "json" };
import taskFilter from "./task-filter.json" with { type: "json" };
import taskOrder from "./task-order.json" with { type: "json" };
import taskColumn from "./task-column.json" with { type: "json" };
import taskDensity from "./task-density.json" with { type: "json" };
import taskView from "./task-view.json" with { type: "json" };
import taskEmpty from "./task-empty.json" with { type: "json" };

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
  problem,
  tasks,
  taskState,
  taskLook,
  taskTime,
  taskFilter,
  taskOrder,
  taskColumn,
  taskDensity,
  taskView,
  taskEmpty,
};
