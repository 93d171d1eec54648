import { runDoctor } from "../../db/doctor.ts";
import { EXIT_DONE, EXIT_FAILED } from "./cli-error.ts";
import { textTable } from "./text-table.ts";
import type { Verb } from "./verb.ts";

/** `redrive doctor`: checks server and schema; fails if a check does. */
export const doctorVerb: Verb = {
  name: "doctor",
  summary: "check server and schema for everything that is known to hurt",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {},
  notes: "Reads only. Exit code 1 if any check fails; warnings do not count.",
  async run(_, { database, tuning }) {
    const checks = await runDoctor(database, { payloadBytesMax: tuning.payloadBytesMax });
    const rows = checks.flatMap(({ id, level, finding, advice }) => [
      [level.toUpperCase(), id, finding],
      ...(advice === "" ? [] : [["", "", `-> ${advice}`]]),
    ]);
    const fails = checks.filter((check) => check.level === "fail").length;
    const warns = checks.filter((check) => check.level === "warn").length;
    const summary = `${checks.length} checks, ${fails} failed, ${warns} warned`;
    return {
      json: { status: fails > 0 ? "fail" : warns > 0 ? "warn" : "ok", checks },
      text: `${textTable([{ title: "LEVEL" }, { title: "CHECK" }, { title: "FINDING" }], rows)}\n${summary}`,
      exitCode: fails > 0 ? EXIT_FAILED : EXIT_DONE,
    };
  },
};
