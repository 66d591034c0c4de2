import type { DeclaredThing, Judgement, ThingAction } from '#domain';
import { inFlightMsOf, isUnderWay, judgeThing, partnerIdOf, placedAs } from '#domain';
import type { ProvisionedThing } from '#intents';
import { findProvisioned } from '#intents';
import { ToldError } from '#platform';

import type { Job } from '../jobs/job-store.js';
import { callPartner, settle } from './call-partner.js';
import type { ProvisioningTools } from './provisioning-tools.js';
import type { StepLine } from './step-line.js';

/** What came of a step. */
export type StepResult = 'created' | 'updated' | 'in-place' | 'refused' | 'unknown' | 'skipped' | 'left-alone';

export type StepOutcome =
  | {
      readonly kind: 'result';
      readonly result: StepResult;
      /** What is written of it; null where we never did anything about it. */
      readonly row: ProvisionedThing | null;
      readonly hasCalled: boolean;
    }
  /** Somebody's call is under way, whose outcome decides, or the partner asked to wait. Epoch ms. */
  | { readonly kind: 'wait'; readonly until: number };

/** How soon one looks again whether a call that is under way has ended. */
const lookMs = 500;

/** Nothing took effect, and nothing was refused: the step is to be tried again later. */
export class PartnerAwayError extends ToldError {
  override readonly name = 'PartnerAwayError';

  constructor({ kind, name }: StepLine, code: string) {
    super(`nothing was sent, or nothing took effect (${code}): ${kind} ${name}`);
  }
}

/**
 * Does what a step is about, or finds that it is done. What is decided by is what is written, not the plan: others may
 * have been at work since. @throws {PartnerAwayError}
 */
export async function carryOutStep(step: StepLine, job: Job, tools: ProvisioningTools): Promise<StepOutcome> {
  const last = await findProvisioned(tools.database, step);
  const own = last?.jobId === job.jobId ? await ownOutcome(last, tools) : null;
  if (own !== null) return own;
  const declared: DeclaredThing = { ...step, path: step.path ?? '', content: step.content ?? {} };
  const times = { now: tools.clock.now(), inFlightMs: inFlightMsOf(tools.programs(), step) };
  const judgement = judgeThing(declared, last, times);
  switch (judgement.action) {
    case 'create':
    case 'update':
      return put({ step, declared, last, action: judgement.action }, job, tools);
    case 'in-place':
      return { kind: 'result', result: 'in-place', row: last, hasCalled: false };
    case 'unknown':
      return unknownOutcome(judgement, last, times.now);
    case 'cannot-be-read':
    case 'cannot-be-changed':
      return { kind: 'result', result: 'left-alone', row: last, hasCalled: false };
  }
}

function unknownOutcome({ why }: Judgement, last: ProvisionedThing | null, now: number): StepOutcome {
  return why === 'under-way'
    ? { kind: 'wait', until: now + lookMs }
    : { kind: 'result', result: 'unknown', row: last, hasCalled: false };
}

/** What this very job did about the thing before it was interrupted; null where it is free to do something. */
async function ownOutcome(last: ProvisionedThing, tools: ProvisioningTools): Promise<StepOutcome | null> {
  const now = tools.clock.now();
  switch (last.state) {
    case 'begun': {
      if (isUnderWay(last, now)) return { kind: 'wait', until: now + lookMs };
      const evidence = { code: 'worker-lost' };
      const row = await settle(last, { state: 'unknown', partnerId: null, at: now, until: null, evidence }, tools);
      return { kind: 'result', result: 'unknown', row, hasCalled: false };
    }
    case 'not-applied':
      return null;
    case 'created':
    case 'updated':
    case 'refused':
    case 'unknown':
      return { kind: 'result', result: last.state, row: last, hasCalled: false };
  }
}

interface Put {
  readonly step: StepLine;
  readonly declared: DeclaredThing;
  readonly last: ProvisionedThing | null;
  readonly action: ThingAction;
}

async function put({ step, declared, last, action }: Put, job: Job, tools: ProvisioningTools): Promise<StepOutcome> {
  const now = tools.clock.now();
  const until = askedToWaitUntil(last);
  if (until > now) return { kind: 'wait', until };
  const partnerId = partnerIdOf(declared, last);
  const thing = { ...step, action, content: declared.content, partnerId };
  const placed = last === null ? null : placedAs(partnerId, last);
  const row = await callPartner({ thing, last, placed, jobId: job.jobId }, tools);
  // Somebody was first: what they do is under way. Or the job was stopped, and this turn comes to nothing.
  if (row === null) return { kind: 'wait', until: now };
  if (row.state === 'not-applied' || row.state === 'begun') throw new PartnerAwayError(step, codeOf(row));
  return { kind: 'result', result: row.state, row, hasCalled: true };
}

/** Until when the partner asked to be left alone; 0: it did not. */
function askedToWaitUntil(last: ProvisionedThing | null): number {
  return last?.state === 'not-applied' ? (last.until ?? 0) : 0;
}

function codeOf({ evidence }: ProvisionedThing): string {
  const code = evidence?.['code'];
  return typeof code === 'string' ? code : 'no code';
}
