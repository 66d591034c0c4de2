import type { ProvisionedThing, ProvisionOutcome } from '#intents';
import { beginProvisioned, settledThing, settleProvisioned } from '#intents';
import { DatabaseError } from '#platform';

import type { ThingToPut } from './administration-call.js';
import { administer, administrationCall } from './administration-call.js';
import { outcomeOfReport } from './outcome-of-report.js';
import type { ProvisioningTools } from './provisioning-tools.js';
import { keyOf } from './step-line.js';

/** A call that is not made so soon after it was written down is not made at all. */
const sendWindowMs = 2_000;
/** Longest call: two jobs take turns under one lease of 60 s. */
const callMsMax = 12_000;
/** How long after a call its outcome is waited for, before it counts as lost. */
const answerMarginMs = 10_000;
/** How often an outcome is tried to be written while the database is away, a second apart. */
const settleTriesMax = 8;
const settleRetryMs = 1_000;

export interface CallToMake {
  readonly thing: ThingToPut;
  /** The newest row of the thing; the next one is written only where it still is. */
  readonly last: ProvisionedThing | null;
  /** What is there under the id that is spoken of. */
  readonly placed: ProvisionedThing['placed'];
  readonly jobId: string;
}

/**
 * Writes down that a call is about to be made, makes it, writes down what became of it.
 * @returns the last row; null where somebody else was first, or has stopped the job: nothing was sent
 */
export async function callPartner(call: CallToMake, tools: ProvisioningTools): Promise<ProvisionedThing | null> {
  const { database, clock, partner, fingerprint } = tools;
  const { thing } = call;
  const timeoutMs = Math.min(tools.timeoutMs, callMsMax);
  const begun = begunThing(call, { now: clock.now(), timeoutMs, stepId: tools.random.uuid() });
  if (!(await beginProvisioned(database, begun))) return null;
  if (clock.now() > begun.at + sendWindowMs) return settle(begun, notSent(clock.now()), tools);
  const report = await administer(partner, administrationCall(thing), { timeoutMs });
  return settle(begun, outcomeOfReport(report, { thing, now: clock.now(), fingerprint }), tools);
}

/** Writes what became of a call; a database that is away for a moment must not make an unknown of what is known. */
export async function settle(
  begun: ProvisionedThing,
  outcome: ProvisionOutcome,
  { database, clock, logger }: ProvisioningTools,
): Promise<ProvisionedThing> {
  for (let tries = 1; ; tries += 1) {
    try {
      const row = await settleProvisioned(database, begun, outcome);
      if (row !== null) return row;
      logger.warn({ step: begun.stepId, state: outcome.state }, 'an answer came after a person had resolved the step');
      return settledThing(begun, outcome);
    } catch (error) {
      const isAway = error instanceof DatabaseError && error.kind === 'unavailable';
      if (!isAway || tries === settleTriesMax) throw error;
      await clock.sleep(settleRetryMs);
    }
  }
}

function begunThing(
  { thing, last, placed, jobId }: CallToMake,
  { now, timeoutMs, stepId }: { readonly now: number; readonly timeoutMs: number; readonly stepId: string },
): ProvisionedThing & { readonly jobId: string } {
  const { action, content, partnerId } = thing;
  return {
    ...keyOf(thing),
    ...{ version: (last?.version ?? 0) + 1, stepId, action, state: 'begun', content, placed, partnerId, jobId },
    ...{ at: now, until: now + sendWindowMs + timeoutMs + answerMarginMs, actor: null, evidence: null },
  };
}

function notSent(now: number): ProvisionOutcome {
  return { state: 'not-applied', partnerId: null, at: now, until: null, evidence: { code: 'not-sent-in-time' } };
}
