import { z } from 'zod';

import type { DeclaredThing, Judgement, ProvisionStep, ThingAction } from '#intents/core';
import { inFlightMsOf, isUnderWay, judgeThing, partnerIdOf, placedAs } from '#intents/core';
import type { DialectRegistry } from '#gateway';
import { previewAdministration } from '#gateway';
import { SafeError } from '#platform';

import type { Job } from '../../job-repository.js';
import type { ProvisionedThing } from './provisioned-repository.js';
import type { ProvisioningTools } from './provisioning-call.js';
import { administrationCall, callPartner, keyOf, settle } from './provisioning-call.js';

/** What a plan says of a step, for people. */
const whyTexts: Readonly<Record<ProvisionStep['why'], string>> = {
  'not-made-yet': 'We have not made it yet.',
  'not-set-yet': 'We have not told the partner yet.',
  differs: 'It differs from what we told the partner last.',
  'update-in-doubt':
    'Nobody knows whether the last change took effect. The same values are set once more, which does no harm.',
  'as-sent': 'We told the partner so, and it was accepted.',
  'under-way': 'A call is under way.',
  'in-doubt':
    'Nobody knows whether an earlier call made it. It is not made again before a person has looked at the partner and resolved the step.',
  'may-still-apply': 'An earlier change may still take effect, and would undo this one. Apply again later.',
  'said-to-exist': 'The programs file says that it is there already. What it is like cannot be read.',
  'no-call':
    'It differs from what we made, and the partner has no call to change it. Change it there, then declare `exists: true`.',
  'no-id': 'It differs from what we made, and its id was not answered. Give it as `id`.',
  'not-made-by-us': 'The programs file uses it, and we did not make it. What it is like cannot be read.',
  'cannot-be-listed':
    'There may be more that is not declared: the partner lists neither attributes nor types nor templates.',
  'nothing-is-deleted':
    'We made it, and the programs file does not declare it any more. The partner has no call to delete it.',
};

const text = z.string();

/** A step of a plan, as it is read back from the line that it left. What stands there for people alone is left out. */
export const stepLineSchema = z.object({
  line: z.literal('step'),
  action: text,
  kind: z.enum(['brand', 'brand-attribute', 'transaction-type', 'transaction-attribute', 'template']),
  brandId: text,
  programId: text.nullable(),
  transactionTypeId: text.nullable(),
  name: text,
  program: text.nullable(),
  path: text.nullable(),
  content: z.record(text, z.union([text, z.boolean()])).nullable(),
  partnerId: text.nullable(),
  exists: z.boolean(),
});

export type StepLine = z.output<typeof stepLineSchema>;

/** What is known of the request that a step would make. */
function requestOf(step: ProvisionStep, dialects: DialectRegistry): object {
  const { action, content, partnerId } = step;
  if (content === null || (action !== 'create' && action !== 'update')) return { request: null };
  const preview = previewAdministration(administrationCall({ ...step, content, partnerId, action }), dialects);
  return preview.kind === 'request' ? { request: preview.request } : { request: null, problems: preview.problems };
}

/** The line that a step leaves, with the very request that it would make. */
export function toStepLine(step: ProvisionStep, ordinal: number, dialects: DialectRegistry): Record<string, unknown> {
  const { action, why, program, path, content, partnerId, exists, stepId } = step;
  return {
    ...{ line: 'step', step: ordinal, action, ...keyOf(step), program, path, content, partnerId, exists, stepId },
    detail: whyTexts[why],
    ...requestOf(step, dialects),
  };
}

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
  /** A call is under way, whose outcome decides, or the partner asked to wait. Epoch ms. */
  | { readonly kind: 'wait'; readonly until: number };

/** How soon one looks again whether a call that is under way has ended. */
const pollMs = 500;

/** Nothing took effect, and nothing was refused: the step is to be tried again later. */
class PartnerAwayError extends SafeError {
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
  const last = await tools.things.find(step);
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
    ? { kind: 'wait', until: now + pollMs }
    : { kind: 'result', result: 'unknown', row: last, hasCalled: false };
}

/** What this very job did about the thing before it was interrupted; null where it is free to do something. */
async function ownOutcome(last: ProvisionedThing, tools: ProvisioningTools): Promise<StepOutcome | null> {
  const now = tools.clock.now();
  switch (last.state) {
    case 'begun': {
      if (isUnderWay(last, now)) return { kind: 'wait', until: now + pollMs };
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
  // Another process was first, and its call is under way; or the job was stopped, and this turn does nothing.
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
