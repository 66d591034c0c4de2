import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '#embedded';
import { Chance } from '#shop';
import { queryOnce } from '#test-support';

import { Tills } from './traffic/tills.js';
import { awaitRest } from './verdict/at-rest.js';
import { audit, readFigures } from './verdict/audit.js';
import { bar, effectBars, forgetfulBars } from './verdict/bars.js';
import type { Bar } from './chaos/report.js';
import type { Judged } from './verdict/judge-run.js';
import { judgeHarness, Watch } from './verdict/judge-run.js';
import { dumpTables } from './verdict/dump-tables.js';
import { describeMachine } from '../support/process/program.js';
import type { DrillReport, Recovery } from './report.js';

/** Where an installation of real containers is reached from here. */
export interface Installation {
  readonly brokers: string;
  /** Of the daemon's database, and of the sandbox's, by a role that may read both. */
  readonly truthUrl: string;
  readonly walletUrl: string;
  readonly sandboxUrl: string;
  /** What it runs on, by name. */
  versions(): Promise<Readonly<Record<string, string>>>;
  /** What the daemons have written, as far as it is kept. */
  logs(): Promise<string>;
}

/** Something that befalls the installation, until it is well again. */
export interface Story {
  readonly what: string;
  readonly play: () => Promise<void>;
}

export interface DrillPlan {
  readonly command: string;
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** Traffic before, between and after the stories. */
  readonly calmSeconds: number;
  readonly stories: readonly Story[];
  /** What is not played here, and why. */
  readonly skipped: readonly string[];
  /** Some of what was committed is forgotten: then no history is whole, and only what was told and what was done is compared. */
  readonly forgets?: boolean;
  /** Further bars, once everything is at rest. */
  readonly more?: () => Promise<readonly Bar[]>;
}

/** Traffic ends its unfinished stories from then on, seconds. */
const settlesAfterSeconds = 90;
const flowMsMax = 240_000;

/** Everything that a drill needs: where it plays, what is read afterwards, and whom it tells. */
export interface Drill {
  readonly installation: Installation;
  /** For the daemons' log, and for the evidence. */
  readonly folder: string;
  readonly programsPath: string;
  readonly say: (text: string) => void;
}

async function effects({ walletUrl }: Installation): Promise<number> {
  const text = 'SELECT COALESCE(max(seq), 0)::int AS seq FROM wallet_sandbox.ledger';
  const rows = await queryOnce<{ seq: number }>(walletUrl, text).catch(() => []);
  return rows[0]?.seq ?? 0;
}

/** Until an event has its effect at the partner that had none before. */
async function flows(installation: Installation): Promise<void> {
  let before = 0;
  await waitUntil(async () => (before = await effects(installation)) > 0, { what: 'the ledger', timeoutMs: flowMsMax });
  await waitUntil(async () => (await effects(installation)) > before, {
    what: 'traffic to flow',
    timeoutMs: flowMsMax,
  });
}

async function tell({ what, play }: Story, { installation, say }: Drill): Promise<Recovery> {
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  say(what);
  await play();
  const healthySeconds = seconds();
  await flows(installation);
  const recovery = { what, healthySeconds, flowingSeconds: seconds() };
  say(`${what}: well after ${healthySeconds} s, flowing after ${recovery.flowingSeconds} s`);
  return recovery;
}

function judgedOf({ installation, folder, programsPath }: Drill): Judged {
  const { brokers, truthUrl, walletUrl } = installation;
  return { folder, broker: { brokers }, postgres: { url: truthUrl }, wallet: { databaseUrl: walletUrl }, programsPath };
}

type Watched = Pick<DrillReport, 'recoveries' | 'events' | 'rest'> & { readonly tills: Tills; readonly watch: Watch };

async function underTraffic(drill: Drill, plan: DrillPlan): Promise<Watched> {
  const { installation, say } = drill;
  const judged = judgedOf(drill);
  const watch = new Watch(judged);
  const tills = new Tills({
    brokers: installation.brokers,
    wallet: { url: installation.sandboxUrl, clientSecret: 'sandbox' },
    dueBy: (seconds) => seconds * plan.rate,
    chance: new Chance(plan.seed).fork('traffic'),
    seconds: settlesAfterSeconds,
  });
  try {
    tills.open();
    await flows(installation);
    const recoveries: Recovery[] = [];
    try {
      for (const story of plan.stories) {
        await sleep(plan.calmSeconds * 1_000);
        recoveries.push(await tell(story, drill));
      }
      await sleep(plan.calmSeconds * 1_000);
    } finally {
      await tills.close();
    }
    const rest = await awaitRest(judged, say);
    return { recoveries, events: tills.report(), rest, tills, watch };
  } finally {
    await watch.stop();
  }
}

async function judgeAll(drill: Drill, plan: DrillPlan, watched: Watched): Promise<DrillReport> {
  const { installation, folder, say } = drill;
  const { recoveries, events, rest, tills, watch } = watched;
  const { truthUrl: truth, walletUrl: wallet } = installation;
  const judged = judgedOf(drill);
  await writeFile(join(folder, 'daemon.log'), await installation.logs());
  say('judging');
  const figures = await readFigures(truth);
  const audited = await audit(tills.told, { truth, wallet });
  const known = { isAtRest: rest.isAtRest, isStopped: false, replicas: 1, faults: {}, spoiled: {}, watch };
  const verdict = await judgeHarness(judged, known);
  const bars = [
    ...recoveries.map(({ what, flowingSeconds }) => bar(`${what}: well again`, `${flowingSeconds} s`, true)),
    bar('at rest in the end', rest.isAtRest ? `after ${rest.seconds} s` : 'no', rest.isAtRest),
    ...(plan.forgets === true ? forgetfulBars : effectBars)({ audit: audited, verdict, truth: figures }),
    ...((await plan.more?.()) ?? []),
  ];
  const ok = bars.every(({ holds }) => holds);
  if (!ok) {
    await dumpTables(truth, join(folder, 'truth'));
    await dumpTables(wallet, join(folder, 'wallet'));
  }
  const { command, skipped } = plan;
  const [machine, versions] = await Promise.all([describeMachine(), installation.versions()]);
  return {
    ok,
    command,
    machine,
    versions,
    recoveries,
    skipped,
    events,
    rest,
    truth: figures,
    audit: audited,
    verdict,
    bars,
  };
}

/**
 * Plays the stories one after the other, with traffic all the while, waits until everything is at rest, and lets both judges
 * judge. Where a bar is broken, every table lies in the folder.
 * @throws where the installation does not get well again after a story
 */
export async function runDrill(drill: Drill, plan: DrillPlan): Promise<DrillReport> {
  for (const what of plan.skipped) drill.say(`not played: ${what}`);
  return judgeAll(drill, plan, await underTraffic(drill, plan));
}
