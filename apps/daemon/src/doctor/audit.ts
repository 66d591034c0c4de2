import type { ChainState } from '#intents';
import { ChainCheck, chainStart, headText, newestLinks, readChain, readChainState } from '#intents';
import type { Database } from '#platform';

import type { Examination, Step } from './examination.js';
import { concludeMs } from './examination.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, warning } from './finding.js';
import type { Store } from './postgres.js';
import { slowRemedy } from './postgres.js';

const chainName = 'audit.chain';

/** The newest links are looked at; `loyaltyd audit verify` looks at all. */
export const doctorLinksMax = 5_000;
const linksAtOnce = 1_000;
/** A daemon with the role `operations` chains within a second. */
const waitMsMax = 60_000;

const changedRemedy =
  'Somebody who can write the database has changed the audit, or a restore has: `loyaltyd audit verify` names all of it. ' +
  'Compare with the heads in your log store (`the audit chain has moved`) and with an earlier `loyaltyd audit export`.';
const waitingRemedy =
  'A daemon with the role operations chains them: does one run? Its log says why it cannot: the audit was not chained.';

/** What of the chain was looked at, and how it stands. */
interface LookedAtChain {
  readonly state: ChainState;
  readonly check: ChainCheck;
  /** The first link that was looked at. */
  readonly from: number;
}

export function judgeChain({ state, check, from }: LookedAtChain, now: number): Finding {
  const [first] = check.findings;
  if (first !== undefined) {
    const more = check.problems === 1 ? '' : `; ${check.problems - 1} more`;
    return failed(chainName, { detail: `${first}${more}`, remedy: changedRemedy });
  }
  const head = check.head === null ? 'none' : headText(check.head);
  const { waiting, waitingSince } = state;
  const detail = `links ${from} to ${check.head?.no ?? from} hold, head ${head}; ${waiting} actions wait for their link`;
  const waitMs = waitingSince === null ? 0 : now - waitingSince;
  if (waitMs <= waitMsMax) return ok(chainName, detail);
  return warning(chainName, { detail: `${detail}, one for ${durationText(waitMs)}`, remedy: waitingRemedy });
}

async function lookAtChain(database: Database, signal: AbortSignal): Promise<LookedAtChain> {
  const state = await readChainState(database);
  const before = await newestLinks(database, doctorLinksMax);
  const check = new ChainCheck({ base: before });
  for (let place = before ?? chainStart; !signal.aborted;) {
    const { links, strays, next } = await readChain(database, place, linksAtOnce);
    for (const link of links) check.add(link);
    for (const stray of strays) check.addStray(stray);
    if (next === null) break;
    place = next;
  }
  check.end();
  return { state, check, from: before === null ? 0 : before.no + 1 };
}

/** Whether the newest part of the audit is as it was chained. */
export function checkAudit(examination: Examination, store: Step<Store>): void {
  const plan = { name: chainName, timeoutMs: concludeMs, remedy: slowRemedy };
  examination.after(store, plan, async ({ database, now }, signal) => ({
    findings: [judgeChain(await lookAtChain(database, signal), now())],
    value: null,
  }));
}
