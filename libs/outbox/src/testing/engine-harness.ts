import type { Program } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { IntentState, Operation, PartnerCommand } from '#intents/core';
import { evolve, initialIntentState } from '#intents/core';
import type { AttemptReport, LookupReport } from '#gateway';
import type { ClaimedIntent, ClaimedLane, LaneCompletion, StepResult } from '#intents';

import { DeliveryEngine } from '../engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import type { NamingOf } from '../engine/scheduled-program.js';
import type { DeliverySettings } from '../settings.js';
import { deliverySettings } from '../settings.js';

export const startAt = Date.parse('2026-11-21T10:00:00Z');

/** The first program of the example file, without a rate limit. */
export function exampleProgram(): Program {
  const result = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  const program = result.ok ? result.value.programs['coffee-club'] : undefined;
  if (program === undefined) throw new Error('the example must be valid');
  return { ...program, limits: { requestsPerSecond: null, concurrency: 4, replayShare: 0.2 } };
}

/** Its clock stands still between steps: no commit waits for time to pass. */
export const exampleSettings: DeliverySettings = { ...deliverySettings(10_000), flushSpacingMs: 0 };

const pass = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' };

export function commandOf(operation: Operation): PartnerCommand {
  switch (operation) {
    case 'issue':
      return { ...pass, operation, content: {} };
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return { ...pass, operation, workflowId: '77', content: {} };
    case 'reward':
      return { ...pass, operation, rewardId: '9001' };
    case 'schedule-update':
      return { ...pass, operation, scheduledName: 's', content: {} };
    case 'transaction':
      return { ...pass, operation, transactionTypeId: '31', amount: '1.00', transactionDate: '', attributes: {} };
  }
}

const recorded: IntentState = evolve(initialIntentState, { type: 'IntentRecorded', at: startAt });

export function intent(
  seq: number,
  operation: Operation = 'transaction',
  state: IntentState = recorded,
): ClaimedIntent {
  return {
    seq,
    operation,
    command: commandOf(operation),
    state,
    recordedAt: startAt,
    brokerAt: startAt,
    waitsFor: null,
  };
}

export function lane(
  laneId: number,
  change: Partial<ClaimedLane> & { readonly has?: readonly ClaimedIntent[] } = {},
): ClaimedLane {
  const { has = [intent(1)], ...rest } = change;
  const tail = Math.max(0, ...has.map(({ seq }) => seq));
  return {
    laneId,
    program: 'coffee-club',
    memberId: `m_${laneId}`,
    key: new Uint8Array(32),
    epoch: 1,
    revision: 0,
    cursor: { head: 1, tail, current: 1, redo: [], ahead: [] },
    attempt: 0,
    attemptOpen: false,
    openSince: null,
    pass: 'known',
    leaseUntil: startAt + exampleSettings.leaseMs,
    intents: new Map(has.map((item) => [item.seq, item])),
    ...rest,
  };
}

const evidence = { request: { method: 'POST', path: '/', body: null }, response: null, durationMs: 5 };

export function report(
  outcome: AttemptReport<unknown>['outcome'],
  change: Partial<AttemptReport<unknown>> = {},
): AttemptReport<unknown> {
  return { outcome, stage: 'answer', phase: 'answered', ...evidence, value: null, shapeAlarms: [], ...change };
}

export const applied = report({ kind: 'applied' });

export function lookup(kind: 'found' | 'absent' | 'failed'): LookupReport {
  const response = { status: 200, headers: {}, body: '{}', truncated: false };
  if (kind === 'found') return { kind, pass: {}, shapeAlarms: [], evidence: { ...evidence, response } };
  if (kind === 'absent') return { kind, evidence: { ...evidence, response } };
  return { kind, stage: 'exchange', code: 'timeout', retryAfterMs: null, evidence };
}

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/** Where nobody has appended to the lane meanwhile, and it has no other intent. */
function dueAfter(completion: LaneCompletion | null): number {
  const isHeld = completion !== null && ['retry', 'doubt', 'wait', 'await'].includes(completion.kind);
  return isHeld ? completion.dueAt : completion?.renewal === undefined ? Infinity : 0;
}

/** Drives the engine by hand: each call feeds one event and keeps the effects for the spec to look at. */
export class EngineHarness {
  readonly engine: DeliveryEngine;
  readonly program: Program;
  now = startAt;
  effects: DeliveryEffect[] = [];

  constructor(
    change: {
      readonly program?: Partial<Program>;
      readonly settings?: Partial<DeliverySettings>;
      readonly namingOf?: NamingOf;
    } = {},
  ) {
    this.engine = new DeliveryEngine({ ...exampleSettings, ...change.settings }, { unit: () => 0.5 }, change.namingOf);
    this.program = { ...exampleProgram(), ...change.program };
    this.engine.setPrograms({ 'coffee-club': this.program });
  }

  step(event: DeliveryEvent): this {
    this.effects = this.engine.step(event, this.now);
    return this;
  }

  claimed(...lanes: readonly ClaimedLane[]): this {
    this.step({ type: 'Woken', isWorkLikely: true });
    return this.step({ type: 'Claimed', program: 'coffee-club', asked: lanes.length, lanes });
  }

  /** Answers the last flush: granted as asked, or as `change` says for each lane. */
  flushed(change: (result: StepResult) => StepResult = (result) => result): this {
    const flush = this.only('Flush');
    const results = flush.steps.map(({ laneId, epoch, completion, begin }) =>
      change({ laneId, epoch, completed: completion !== null, begun: begin !== null, dueAt: dueAfter(completion) }),
    );
    return this.step({ type: 'Flushed', flushId: flush.flushId, results });
  }

  answered(attemptReport: AttemptReport<unknown>, laneId = 1, epoch = 1): this {
    return this.step({ type: 'AttemptAnswered', laneId, epoch, report: attemptReport });
  }

  all<T extends DeliveryEffect['type']>(type: T): EffectOf<T>[] {
    return this.effects.filter((effect): effect is EffectOf<T> => effect.type === type);
  }

  only<T extends DeliveryEffect['type']>(type: T): EffectOf<T> {
    const found = this.all(type);
    const effect = found[0];
    if (effect === undefined || found.length > 1) throw new Error(`${found.length} effects ${type} instead of one`);
    return effect;
  }
}
