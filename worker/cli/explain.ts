import { EXIT_DONE, EXIT_FAILED } from "./cli-error.ts";
import { explainTask } from "../../db/explain-task.ts";
import { explanationSentence } from "./explanation-sentence.ts";
import { loadTaskFacts } from "../../db/load-task-facts.ts";
import { taskId } from "./parse-verb-input.ts";
import { instantText, printable } from "./text-values.ts";
import type { Verb } from "./verb.ts";

/** `redrive explain`: in one sentence, why a task is not running now. */
export const explainVerb: Verb = {
  name: "explain",
  summary: "say in one sentence why a task is not running now",
  operands: "ID",
  operandsMin: 1,
  operandsMax: 1,
  options: {},
  notes: "Set REDRIVE_RECYCLE_INTERVAL_MS and REDRIVE_FOREIGN_AFTER_MS as for the workers, if they are set there.",
  async run({ operands: [given = ""] }, { database, zone, tuning }) {
    const id = taskId(given);
    const explanation = explainTask(await database.use((session) => loadTaskFacts(session, id, tuning)));
    const sentence = explanationSentence(explanation, (instant) => instantText(zone, instant));
    return {
      json: { id, ...explanation, sentence },
      text: printable(sentence),
      exitCode: explanation.code === "not_live" ? EXIT_FAILED : EXIT_DONE,
    };
  },
};
