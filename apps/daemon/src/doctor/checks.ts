import type { Environment } from '#contracts';
import type { DialectLayers, DialectRegistry, Partner } from '#gateway';
import type { Admin, InspectedGroup } from '#kafka';
import type { InstallationKeys } from '#intents';
import type { Clock, Database, Logger, PostgresConnection, Random } from '#platform';
import { errorCode, errorName, SafeError } from '#platform';

import type { LoadedPrograms } from '../programs/programs-holder.js';
import type { Finding } from './finding.js';
import { durationText, failed, skipped } from './finding.js';
import type { FoundTopics } from './read-topics.js';

/** How long a check may take; making a connection has time for its own limits. The longest chain is one connection and two more: 12.5 s. */
export const checkMs = 3_500;
export const connectMs = 5_500;

/** The programs file as the daemon would read it now. */
export interface ReadPrograms {
  readonly loaded: LoadedPrograms;
  /** Checked. */
  readonly layers: DialectLayers;
}

/** Our tables, in which nothing can be changed. */
export interface Store {
  readonly database: Database;
  /** The time of the database, which is that of everything in it, whatever this machine's clock says. Epoch ms. */
  readonly now: () => number;
}

/** What checks find and open for others. What is missing could not be had. */
export interface Opened {
  programs: ReadPrograms;
  postgres: PostgresConnection;
  store: Store;
  /** Those of `LOYALTYD_ENCRYPTION_KEY`; null: it is missing or wrong. */
  masterKeys: readonly Uint8Array[] | null;
  keys: InstallationKeys;
  kafka: Admin;
  topics: FoundTopics;
  group: InspectedGroup;
  address: true;
  partner: { readonly calls: Partner; readonly dialects: DialectRegistry };
}

export interface Context {
  /** Without the parts whose variables are wrong: those cannot be used. */
  readonly environment: Environment;
  /** What is wrong with the environment, one message per variable. */
  readonly errors: readonly string[];
  /** This machine's own, not anchored to anything: it is looked at, too. */
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly opened: Partial<Opened>;
  /** Closes what was opened. */
  readonly closing: (() => Promise<void>)[];
}

/** What a check is given that needs these. */
export type Given<Need extends keyof Opened = never> = Context & Pick<Opened, Need> & { readonly signal: AbortSignal };

type Run<Need extends keyof Opened> = (given: Given<Need>) => Promise<readonly Finding[]>;

export interface Check {
  readonly name: string;
  readonly needs: readonly (keyof Opened)[];
  /** What it makes use of where it could be had: it is waited for. */
  readonly uses: readonly (keyof Opened)[];
  readonly opens: keyof Opened | null;
  readonly limitMs: number;
  /** What to do when the check gives no answer in time, or breaks. */
  readonly remedy: string;
  readonly run: Run<keyof Opened>;
}

/** A row of the table: `run` may use what it `needs`, and puts what it `opens` into `opened`. */
export function check<Need extends keyof Opened = never>(
  row: Pick<Check, 'name' | 'remedy'> &
    Partial<Pick<Check, 'uses' | 'opens' | 'limitMs'>> & { readonly needs?: readonly Need[]; readonly run: Run<Need> },
): Check {
  return { needs: [], uses: [], opens: null, limitMs: checkMs, ...row };
}

/** Only our own messages are shown: others may quote what they choked on, secrets included. */
function brokenText(error: unknown): string {
  if (error instanceof SafeError) return error.message;
  const code = errorCode(error);
  return `the check itself broke (${code === null ? errorName(error) : `${errorName(error)}, ${code}`})`;
}

interface Begun {
  /** Ends in time. Never rejects. */
  readonly findings: Promise<readonly Finding[]>;
  /** Resolves when the check really has ended. */
  readonly work: Promise<unknown>;
}

function begin({ name, limitMs, remedy, run }: Check, context: Context): Begun {
  const giveUp = new AbortController();
  let cancel: () => void = () => undefined;
  const tooLate = new Promise<readonly Finding[]>((resolve) => {
    cancel = context.clock.after(limitMs, () => {
      giveUp.abort();
      resolve([failed(name, { detail: `no answer within ${durationText(limitMs)}`, remedy })]);
    });
  });
  // Every need was looked for: `runChecks`.
  const given = { ...context, ...context.opened, signal: giveUp.signal } as Given<keyof Opened>;
  const work = (async () => run(given))().catch((error: unknown) => [
    failed(name, { detail: brokenText(error), remedy }),
  ]);
  return { findings: Promise.race([work, tooLate]).finally(cancel), work };
}

/**
 * Runs a table of checks side by side, each when those have ended that open what it needs: they stand before it. One
 * whose need could not be opened is skipped; one that breaks or hangs is a finding like any other.
 */
export async function runChecks(
  checks: readonly Check[],
  context: Context,
): Promise<{ readonly findings: readonly Finding[]; readonly works: readonly Promise<unknown>[] }> {
  const works: Promise<unknown>[] = [];
  const ended = new Map<keyof Opened | null, Promise<unknown>>();
  const openerOf = (need: keyof Opened): string => checks.find(({ opens }) => opens === need)?.name ?? need;
  const reports = checks.map((each) => {
    const report = Promise.all([...each.needs, ...each.uses].flatMap((need) => ended.get(need) ?? [])).then(() => {
      const missing = each.needs.filter((need) => context.opened[need] === undefined).map(openerOf);
      if (missing.length > 0) return [skipped(each.name, `not looked at: it builds on ${missing.join(' and ')}`)];
      const { findings, work } = begin(each, context);
      works.push(work);
      return findings;
    });
    ended.set(each.opens, report);
    return report;
  });
  return { findings: (await Promise.all(reports)).flat(), works };
}
