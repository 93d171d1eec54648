import { helpText, parseDemoOptions } from "./lib/demo-options.mjs";
import { runLive } from "./lib/demo-live.mjs";
import { runToEnd } from "./lib/demo-run.mjs";
import { main } from "./lib/log.mjs";

await main(async () => {
  const options = parseDemoOptions(process.argv.slice(2), process.env);
  if (options.help) console.log(helpText);
  else if (options.exit) await runToEnd(options);
  else await runLive(options);
});
