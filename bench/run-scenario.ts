import type { Contestant } from "./contestant.ts";
import { BEFORE_VARIABLE, contestantNamed, OWN, PEERS } from "./contestants/named.ts";
import { redrive } from "./contestants/redrive.ts";
import type { BenchOptions } from "./options.ts";
import { ensurePeers, peersNode } from "./peers/install.ts";
import { playRound, type Round } from "./round.ts";
import { playRoundApart } from "./round-process.ts";
import { type Result, type Run, runRounds } from "./run-rounds.ts";
import { DEFAULT_SETTINGS, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/all.ts";
import { OwnServers } from "./servers/own-servers.ts";

/**
 * All rounds of one scenario. With a peer among the contestants everybody's round is played in a process of its own, under
 * one Node; without, in this process.
 */
export async function runScenario(
  options: BenchOptions,
  tell: { readonly say: (text: string) => void; readonly onRun: (run: Run) => void },
): Promise<Result> {
  const scenario = SCENARIOS.find((one) => one.name === options.scenario);
  if (!scenario) throw new Error(`no scenario "${options.scenario}"`);
  if (options.before !== undefined) process.env[BEFORE_VARIABLE] = options.before;
  const settings = { ...DEFAULT_SETTINGS, ...scenario.defaults, ...options.settings };
  const chosen = (await chosenOf(options)).filter((one) => takesPart(scenario, one));
  const peers = chosen.filter((one) => PEERS.includes(one));
  const obstacle = peers.length > 0 ? (ensurePeers(tell.say) ?? noNode()) : undefined;
  const contestants = obstacle === undefined ? chosen : chosen.filter((one) => !peers.includes(one));
  if (contestants.length === 0) throw new Error(obstacle ?? `nobody of those takes part in ${scenario.name}`);
  const node = peers.length > 0 && obstacle === undefined ? peersNode() : undefined;
  const servers = new OwnServers();
  const play = async (contestant: Contestant): Promise<Round> => {
    const server = contestant.server === "mysql" ? options.url : await servers.urlOf(contestant.server);
    if (node === undefined) return playRound(scenario, contestant, settings, server);
    return playRoundApart({ scenario: scenario.name, contestant: contestant.name, settings, server }, node);
  };
  try {
    const result = await runRounds(scenario, contestants, { rounds: options.rounds, play, onRun: tell.onRun });
    const absent = obstacle === undefined ? [] : peers.map((one) => [one.name, obstacle] as const);
    return { ...result, leftOut: { ...result.leftOut, ...Object.fromEntries(absent) } };
  } finally {
    await servers.stop();
  }
}

async function chosenOf({ only, peers, before }: BenchOptions): Promise<readonly Contestant[]> {
  if (only) return Promise.all(only.map(contestantNamed));
  const earlier = before === undefined ? [] : [await contestantNamed("before")];
  return [...OWN, ...earlier, ...(peers ? PEERS : [])];
}

function takesPart(scenario: Scenario, contestant: Contestant): boolean {
  if ("solo" in scenario) return contestant === redrive;
  return contestant.modes.includes(scenario.mode) && (scenario.admits?.(contestant) ?? true);
}

function noNode(): string | undefined {
  return peersNode() === undefined ? "they need Node 22.18 or newer, and none is here" : undefined;
}
