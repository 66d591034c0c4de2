import type { WalletPass } from '#contracts';

import { evolve } from '../../intent/evolve.js';
import type { IntentEvent } from '../../intent/intent-event.js';
import { fold } from '../../intent/testing/given.js';
import { issuePolicy, recorded, recordedAt, transactionPolicy } from '../../intent/testing/samples.js';
import { holderMoveOf } from '../../intent/transitions.js';
import type { Operation } from '../../operation.js';
import { groupOf } from '../../operation.js';
import type { PartnerCommand } from '../../owed/partner-command.js';
import type { DeliveryPolicy } from '../../resolution/resolution.js';
import type { NextStep } from '../next-step.js';
import { nextStep } from '../next-step.js';
import type { LookupShown } from '../read-lookup.js';
import { decideLookup, readLookup } from '../read-lookup.js';
import type { Sending } from '../next-step.js';

export const now = recordedAt + 1_000;

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

function policyFor(operation: Operation): DeliveryPolicy {
  const isIssue = groupOf(operation) === 'issue';
  return { ...transactionPolicy, operation, ...(isIssue ? { onPark: issuePolicy.onPark, resolution: 'look-up' } : {}) };
}

interface Change extends Partial<Omit<Sending, 'intent' | 'known' | 'policy'>> {
  readonly intent?: Partial<Sending['intent']>;
  readonly known?: Partial<Sending['known']>;
  readonly policy?: Partial<DeliveryPolicy>;
  /** Events after the recording. */
  readonly since?: readonly IntentEvent[];
}

/** An intent that was just recorded, of a member whose pass is known, unless `change` differs. */
export function owed(operation: Operation, change: Change = {}): Sending {
  const { intent, known, policy, since = [], ...rest } = change;
  return {
    intent: { operation, command: commandOf(operation), recordedAt, brokerAt: recordedAt, waitsFor: null, ...intent },
    state: fold([recorded, ...since]),
    purchase: { status: 'absent' },
    heldSale: null,
    known: { pass: 'known', named: null, isNameAsked: false, isPassAsked: false, before: null, ...known },
    attemptOpen: false,
    openSince: null,
    policy: { ...policyFor(operation), ...policy },
    naming: {},
    now,
    ...rest,
  };
}

export function shown(kind: 'found' | 'absent' | 'failed', change: object = {}): LookupShown {
  const evidence = { durationMs: 5 };
  if (kind === 'found') return { kind, pass: change satisfies WalletPass, evidence };
  return kind === 'absent' ? { kind, evidence, ...change } : { kind, code: 'timeout', evidence, ...change };
}

type Step = NextStep | NonNullable<ReturnType<typeof readLookup>>;

interface Then {
  /** The step, as far as it is given. */
  then(step: { readonly kind: Step['kind'] } & Readonly<Record<string, unknown>>): Then;
  /** Exactly events of these types are recorded. */
  thenRecords(...types: readonly IntentEvent['type'][]): Then;
  /** The lane's move that follows from the recorded events. */
  thenMoves(move: Partial<ReturnType<typeof holderMoveOf>>): Then;
  /** The step after this one. */
  thenNext(step: Parameters<Then['then']>[0]): void;
  readonly step: Step;
}

function afterStep(sending: Sending, step: Step): Sending {
  const known = { ...sending.known, ...(step.kind === 'learned' ? step.known : {}) };
  if (step.kind !== 'record') return { ...sending, known };
  const move = holderMoveOf(sending.intent.operation, step.events);
  return {
    ...sending,
    state: step.events.reduce(evolve, sending.state),
    known: { ...known, pass: move.pass ?? known.pass },
  };
}

function thenOf(sending: Sending, step: Step): Then {
  const events = step.kind === 'record' || step.kind === 'record-lost' ? step.events : [];
  const checks: Then = {
    step,
    then: (expected) => {
      expect(step).toMatchObject(expected);
      return checks;
    },
    thenRecords: (...types) => {
      expect(events.map(({ type }) => type)).toEqual(types);
      return checks;
    },
    thenMoves: (move) => {
      expect(holderMoveOf(sending.intent.operation, events)).toMatchObject(move);
      return checks;
    },
    thenNext: (expected) => {
      expect(nextStep(afterStep(sending, step), 0.5)).toMatchObject(expected);
    },
  };
  return checks;
}

/** `given(owed(...)).then(step)`, or `.whenShown(report, listed).then(step)` where the next step is to look the pass up. */
export function given(sending: Sending): Then & { whenShown(report: LookupShown, listed?: number | null): Then } {
  const step = nextStep(sending, 0.5);
  return {
    ...thenOf(sending, step),
    whenShown: (report, listed = null) => {
      if (step.kind !== 'look-up') throw new Error(`the next step is ${step.kind}, not a lookup`);
      const lookup = { purpose: step.purpose, report, listed };
      return thenOf(sending, readLookup(sending, lookup) ?? decideLookup(sending, lookup, 0.5));
    },
  };
}
