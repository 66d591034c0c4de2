import {
  brandAttributeChangeSchema,
  brandAttributeInputSchema,
  brandChangeSchema,
  templateInputSchema,
  transactionAttributeInputSchema,
  transactionTypeChangeSchema,
} from '#contracts';
import type { AttemptOutcome, ThingAction, ThingContent, ThingKey, ThingKind, ThingState } from '#intents/core';
import { refusalFingerprint } from '#intents/core';
import type { Administration, AdministrationCall, AttemptReport, CallOptions } from '#gateway';
import { DatabaseError } from '#platform';

import type { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import type { JobRepository } from '../../job-repository.js';
import type {
  ProvisionedRepository,
  ProvisionedThing,
  ProvisionEvidence,
  ProvisionOutcome,
} from './provisioned-repository.js';
import { settledThing } from './provisioned-repository.js';

/** What provisioning works with. */
export interface ProvisioningTools extends Omit<PartnerJobTools, 'keys' | 'mac' | 'partner'> {
  readonly partner: Administration;
  readonly things: ProvisionedRepository;
  readonly jobs: JobRepository;
}

/** The part of anything that names a thing. */
export function keyOf({ kind, brandId, programId, transactionTypeId, name }: ThingKey): ThingKey {
  return { kind, brandId, programId, transactionTypeId, name };
}

/** A thing, and what is to be done about it. */
interface ThingToPut extends ThingKey {
  readonly action: ThingAction;
  readonly content: ThingContent;
  /** The partner's, for what is changed by its id. */
  readonly partnerId: string | null;
}

/** The call that puts a thing in place (partner-api.md 4.8 to 4.13). */
export function administrationCall(thing: ThingToPut): AdministrationCall {
  const { kind, brandId, programId, transactionTypeId, name, content } = thing;
  const program = { brandId, programId: programId ?? '' };
  switch (kind) {
    case 'brand':
      return { call: 'updateBrand', input: { brandId, ...brandChangeSchema.parse(content) } };
    case 'brand-attribute':
      return brandAttributeCall(thing);
    case 'transaction-type': {
      const input = { ...program, transactionTypeId: name, ...transactionTypeChangeSchema.parse(content) };
      return { call: 'updateTransactionType', input };
    }
    case 'transaction-attribute': {
      const type = { ...program, transactionTypeId: transactionTypeId ?? '' };
      const input = { ...type, ...transactionAttributeInputSchema.parse(content) };
      return { call: 'createTransactionAttribute', input };
    }
    case 'template':
      return { call: 'createTemplate', input: { ...program, ...templateInputSchema.parse(content) } };
  }
}

function brandAttributeCall({ action, brandId, partnerId, content }: ThingToPut): AdministrationCall {
  if (action === 'create') {
    return { call: 'createBrandAttribute', input: { brandId, ...brandAttributeInputSchema.parse(content) } };
  }
  const change = brandAttributeChangeSchema.parse(content);
  return { call: 'updateBrandAttribute', input: { brandId, brandAttributeId: partnerId ?? '', ...change } };
}

/** Makes the call, once. */
async function administer(
  partner: Administration,
  { call, input }: AdministrationCall,
  options: CallOptions,
): Promise<AttemptReport<object>> {
  switch (call) {
    case 'updateTransactionType':
      return partner.updateTransactionType(input, options);
    case 'createTransactionAttribute':
      return partner.createTransactionAttribute(input, options);
    case 'createBrandAttribute':
      return partner.createBrandAttribute(input, options);
    case 'updateBrandAttribute':
      return partner.updateBrandAttribute(input, options);
    case 'createTemplate':
      return partner.createTemplate(input, options);
    case 'updateBrand':
      return partner.updateBrand(input, options);
  }
}

/** Longest part of a refusal that is kept. */
export const wordsMax = 60;

const mask = '#';
const plainWord = /^\p{Ll}+[.,:;!?]*$/u;
const aroundWords = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/**
 * A refusal's message as it may be kept in the clear. What we sent holds nothing personal, but a partner may quote what
 * other passes hold: kept are plain lower-case words, and what we sent ourselves.
 */
export function maskedRefusal(message: string, sent: Readonly<Record<string, unknown>>): string {
  const ours = new Set(Object.entries(sent).flatMap(([key, value]) => wordsOf(`${key} ${String(value)}`)));
  const words = message.split(/\s+/).filter((word) => word !== '');
  const masked = words.slice(0, wordsMax).map((word) => (isHarmless(word, ours) ? word : mask));
  return words.length > wordsMax ? [...masked, '…'].join(' ') : masked.join(' ');
}

function isHarmless(word: string, ours: ReadonlySet<string>): boolean {
  return plainWord.test(word) || ours.has(bare(word));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).map(bare);
}

function bare(word: string): string {
  return word.replace(aroundWords, '').toLowerCase();
}

/** Where the partner's answer holds the id of what was made. */
const idNames: Readonly<Record<ThingKind, string>> = {
  brand: 'brandId',
  'brand-attribute': 'brandAttributeId',
  'transaction-type': 'transactionTypeId',
  'transaction-attribute': 'transactionAttributeId',
  template: 'templateId',
};

interface ReportReading {
  readonly thing: ThingToPut;
  /** Epoch ms. */
  readonly now: number;
  readonly fingerprint: (text: string) => string;
}

/** What a call comes to, as it is kept: what was sent, and of the answer nothing that could be personal. */
function outcomeOfReport(report: AttemptReport<object>, { thing, now, fingerprint }: ReportReading): ProvisionOutcome {
  const { outcome, value } = report;
  const waitMs = outcome.kind === 'not-applied' ? outcome.retryAfterMs : null;
  return {
    state: stateOf(outcome, thing.action),
    // What is changed keeps the id that it was changed by.
    partnerId: value === null || thing.action === 'update' ? null : idIn(value, idNames[thing.kind]),
    at: now,
    until: waitMs === null ? null : now + waitMs,
    evidence: { ...evidenceOf(report), ...refusalOf(outcome, thing, fingerprint) },
  };
}

/** The path or the caller is refused for good: trying again would not help. A refused token is another matter. */
function isRefusedForAll(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'not-applied' && outcome.systemic && outcome.code !== 'unauthorized';
}

function stateOf(outcome: AttemptOutcome, action: ThingAction): Exclude<ThingState, 'begun'> {
  if (isRefusedForAll(outcome)) return 'refused';
  switch (outcome.kind) {
    case 'applied':
      return action === 'create' ? 'created' : 'updated';
    case 'rejected':
      return 'refused';
    case 'not-applied':
    case 'unknown':
      return outcome.kind;
  }
}

function evidenceOf({
  outcome,
  stage,
  durationMs,
  request,
  response,
  shapeAlarms,
}: AttemptReport<object>): ProvisionEvidence {
  const code = outcome.kind === 'applied' ? {} : { code: outcome.code };
  const alarms = shapeAlarms.length === 0 ? {} : { alarms: shapeAlarms };
  return { ...code, status: response?.status ?? null, stage, durationMs: Math.round(durationMs), ...alarms, request };
}

function refusalOf(
  outcome: AttemptOutcome,
  { content }: ThingToPut,
  fingerprint: ReportReading['fingerprint'],
): ProvisionEvidence {
  if (outcome.kind !== 'rejected') return {};
  const { code, message } = outcome;
  return { message: maskedRefusal(message, content), fingerprint: fingerprint(refusalFingerprint(code, message)) };
}

function idIn(value: object, name: string): string | null {
  const id: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}

/** A call that is not made so soon after it was written down is not made at all. */
const sendWindowMs = 2_000;
/** Longest call: two jobs take turns under one lease of 60 s. */
const callMsMax = 12_000;
/** How long after a call its outcome is waited for, before it counts as lost. */
const answerMarginMs = 10_000;
/** How often an outcome is tried to be written while the database is away, a second apart. */
const settleTriesMax = 8;
const settleRetryMs = 1_000;

interface CallToMake {
  readonly thing: ThingToPut;
  /** The newest row of the thing; the next one is written only where it still is. */
  readonly last: ProvisionedThing | null;
  /** What is there under the id that is spoken of. */
  readonly placed: ProvisionedThing['placed'];
  readonly jobId: string;
}

/**
 * Writes down that a call is about to be made, makes it, writes down what became of it.
 * @returns the last row; null where another process was first, or the job was stopped: nothing was sent
 */
export async function callPartner(call: CallToMake, tools: ProvisioningTools): Promise<ProvisionedThing | null> {
  const { things, clock, partner, fingerprint } = tools;
  const { thing } = call;
  const timeoutMs = Math.min(tools.timeoutMs, callMsMax);
  const begun = begunThing(call, { now: clock.now(), timeoutMs, stepId: tools.random.uuid() });
  if (!(await things.begin(begun))) return null;
  if (clock.now() > begun.at + sendWindowMs) return settle(begun, notSent(clock.now()), tools);
  const report = await administer(partner, administrationCall(thing), { timeoutMs });
  return settle(begun, outcomeOfReport(report, { thing, now: clock.now(), fingerprint }), tools);
}

/** Writes what became of a call; a database that is away for a moment must not make an unknown of what is known. */
export async function settle(
  begun: ProvisionedThing,
  outcome: ProvisionOutcome,
  { things, clock, logger }: ProvisioningTools,
): Promise<ProvisionedThing> {
  for (let tries = 1; ; tries += 1) {
    try {
      const row = await things.settle(begun, outcome);
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
