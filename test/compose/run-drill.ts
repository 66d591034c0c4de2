import { exec } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { waitUntil } from '#embedded';
import { Chance } from '#shop';

import { programsText } from '../chaos/installation/programs.js';
import { Tills } from '../chaos/traffic/tills.js';
import { awaitRest } from '../chaos/verdict/at-rest.js';
import { audit, readFigures } from '../chaos/verdict/audit.js';
import { bar, effectBars } from '../chaos/verdict/bars.js';
import type { Judged } from '../chaos/verdict/judge-run.js';
import { judgeHarness, Watch } from '../chaos/verdict/judge-run.js';
import { dumpTables, runSql } from '../chaos/verdict/run-sql.js';
import { describeMachine, Undo } from '../support/process/program.js';
import type { DrillOptions, Service } from './options.js';
import { services } from './options.js';
import type { DrillReport, Recovery } from './report.js';
import { ComposeStack } from './stack.js';

/** As in docker-compose.yml. */
const controlKey = 'local-sandbox-control';
const requestsPerSecond = 200;
/** Traffic ends its unfinished stories from then on, seconds. */
const settlesAfterSeconds = 90;
const flowMsMax = 240_000;
const engineMsMax = 120_000;

interface Drill {
  readonly stack: ComposeStack;
  readonly options: DrillOptions;
  readonly say: (text: string) => void;
}

async function effects({ urls }: ComposeStack): Promise<number> {
  const rows = await runSql<{ seq: number }>(
    urls.wallet,
    'SELECT COALESCE(max(seq), 0)::int AS seq FROM wallet_sandbox.ledger',
  ).catch(() => []);
  return rows[0]?.seq ?? 0;
}

/** Until an event has its effect at the partner that had none before. */
async function flows(stack: ComposeStack): Promise<void> {
  let before = 0;
  await waitUntil(async () => (before = await effects(stack)) > 0, { what: 'the ledger', timeoutMs: flowMsMax });
  await waitUntil(async () => (await effects(stack)) > before, { what: 'traffic to flow', timeoutMs: flowMsMax });
}

async function timed(what: string, work: () => Promise<void>, { stack, say }: Drill): Promise<Recovery> {
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  say(what);
  await work();
  const healthySeconds = seconds();
  await flows(stack);
  const recovery = { what, healthySeconds, flowingSeconds: seconds() };
  say(`${what}: healthy after ${healthySeconds} s, flowing after ${recovery.flowingSeconds} s`);
  return recovery;
}

async function crash(service: Service, drill: Drill, helperImage: string): Promise<Recovery> {
  const { stack } = drill;
  const before = await stack.startedAt(service);
  const work = async (): Promise<void> => {
    await stack.crash(service, helperImage);
    await stack.recovered(service, before);
  };
  return timed(`first process of ${service} killed`, work, drill);
}

async function restartEngine(command: string, drill: Drill): Promise<Recovery> {
  const { stack } = drill;
  const before = await Promise.all(services.map(async (service) => [service, await stack.startedAt(service)] as const));
  const work = async (): Promise<void> => {
    await promisify(exec)(command, { timeout: engineMsMax });
    await Promise.all(before.map(([service, startedAt]) => stack.recovered(service, startedAt)));
  };
  return timed('engine restarted', work, drill);
}

async function downAndUp(drill: Drill): Promise<Recovery> {
  const work = async (): Promise<void> => {
    await drill.stack.down({ withData: false });
    await drill.stack.up();
  };
  return timed('taken down and up again, data kept', work, drill);
}

/** Everything that befalls the stack, with traffic all the while. */
async function befall(drill: Drill): Promise<Recovery[]> {
  const { stack, options } = drill;
  const helperImage = await stack.image('daemon');
  const recoveries: Recovery[] = [];
  const calm = async (): Promise<void> => sleep(options.calmSeconds * 1_000);
  for (const service of ['daemon', 'wallet-sandbox', 'kafka', 'postgres'] as const) {
    await calm();
    recoveries.push(await crash(service, drill, helperImage));
  }
  await calm();
  if (options.restartEngine === null) drill.say('the engine is not restarted: --restart-engine does not say how');
  else recoveries.push(await restartEngine(options.restartEngine, drill));
  await calm();
  recoveries.push(await downAndUp(drill));
  await calm();
  return recoveries;
}

type Watched = Pick<DrillReport, 'recoveries' | 'events' | 'rest'> & { readonly tills: Tills; readonly watch: Watch };

async function underTraffic(drill: Drill, judged: Judged): Promise<Watched> {
  const { stack, options, say } = drill;
  const watch = new Watch(judged);
  const tills = new Tills({
    brokers: stack.urls.brokers,
    wallet: { url: stack.urls.sandbox, clientSecret: 'sandbox' },
    dueBy: (seconds) => seconds * options.rate,
    chance: new Chance(options.seed).fork('traffic'),
    seconds: settlesAfterSeconds,
  });
  try {
    tills.open();
    await flows(stack);
    const recoveries = await befall(drill).finally(() => tills.close());
    const rest = await awaitRest(judged, say);
    return { recoveries, events: tills.report(), rest, tills, watch };
  } finally {
    await watch.stop();
  }
}

async function judgeStack(
  drill: Drill,
  judged: Judged,
  watched: Watched,
): Promise<Omit<DrillReport, 'command' | 'seconds'>> {
  const { stack } = drill;
  const { recoveries, events, rest, tills, watch } = watched;
  await writeFile(join(judged.folder, 'daemon.log'), await stack.logs('daemon'));
  drill.say('judging');
  const known = { isAtRest: rest.isAtRest, isStopped: false, replicas: 1, faults: {}, spoiled: {}, watch };
  const truth = await readFigures(stack.urls.truth);
  const audited = await audit(tills.owed, { truth: stack.urls.truth, wallet: stack.urls.wallet });
  const verdict = await judgeHarness(judged, known);
  const bars = [
    ...recoveries.map(({ what, flowingSeconds }) => bar(`${what}: recovers by itself`, `${flowingSeconds} s`, true)),
    bar('at rest in the end', rest.isAtRest ? `after ${rest.seconds} s` : 'no', rest.isAtRest),
    ...effectBars({ audit: audited, verdict, truth }),
  ];
  const ok = bars.every(({ holds }) => holds);
  const machine = await describeMachine();
  return { ok, machine, ...(await stack.versions()), recoveries, events, rest, truth, audit: audited, verdict, bars };
}

/** Starts the stack, plays everything, judges, and removes the stack with its data, whatever happens. */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  const say = (text: string): void => void process.stderr.write(`[${String(seconds()).padStart(4)} s] ${text}\n`);
  const undo = new Undo();
  return undo.after(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-compose-'));
    const kept = { evidence: false };
    undo.add(async () => (kept.evidence ? say(`evidence: ${folder}`) : rm(folder, { recursive: true })));
    const programsPath = join(folder, 'loyaltyd.yaml');
    await writeFile(programsPath, programsText(requestsPerSecond));
    const stack = await ComposeStack.open(options, folder, programsPath);
    undo.add(() => stack.down({ withData: true }));
    say('starting the stack');
    await stack.up();
    const { urls } = stack;
    const wallet = { url: urls.sandbox, databaseUrl: urls.wallet, controlKey };
    const judged: Judged = {
      folder,
      broker: { brokers: urls.brokers },
      postgres: { url: urls.truth },
      wallet,
      programsPath,
    };
    const drill: Drill = { stack, options, say };
    try {
      const report = await judgeStack(drill, judged, await underTraffic(drill, judged));
      kept.evidence = !report.ok;
      if (!report.ok) await keepEvidence(judged);
      return {
        command: `npm run compose:drill -- --seed ${options.seed} --rate ${options.rate}`,
        ...report,
        seconds: seconds(),
      };
    } catch (error) {
      kept.evidence = true;
      for (const service of services) {
        await writeFile(join(folder, `${service}.log`), await stack.logs(service).catch(String));
      }
      throw error;
    }
  });
}

async function keepEvidence({ folder, postgres, wallet }: Judged): Promise<void> {
  await dumpTables(postgres.url, join(folder, 'truth'));
  await dumpTables(wallet.databaseUrl, join(folder, 'wallet'));
}
