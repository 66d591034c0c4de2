import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { Program } from '#contracts';

import type { IntentEvent } from '../intent/intent-event.js';
import { begun, lost, recorded, recordedAt } from '../intent/testing/samples.js';
import type { PartnerCommand } from '../owed/partner-command.js';
import type { SeenPass } from './finding.js';
import type { LookProof } from './judge-look.js';
import { judgeLook, whyLookInVain } from './judge-look.js';

const inFlightMs = 10_000;

function exampleProgram(): Program {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  const program = parsed.ok ? parsed.value.programs['coffee-club'] : undefined;
  if (program === undefined) throw new Error('the example must be valid');
  return { ...program, inFlightMs, onUnknown: { ...program.onUnknown, reward: 'park', issue: 'park' } };
}

const reference = { brandId: '101', programId: '2001', uniqueId: 'm', uniqueIdKey: 'memberId' };
const reward: PartnerCommand = { ...reference, operation: 'reward', rewardId: '9001', pointsDelta: 12 };
const sticker: PartnerCommand = { ...reference, operation: 'reward', rewardId: '9002' };
const issue: PartnerCommand = { ...reference, operation: 'issue', content: { tierId: 2 } };
const update: PartnerCommand = {
  ...reference,
  operation: 'update-via-workflow',
  workflowId: '78',
  content: { tierId: 2 },
};
const purchase: PartnerCommand = {
  ...{ ...reference, operation: 'transaction', transactionTypeId: '31', amount: '12.50', attributes: {} },
  ...{ transactionDate: '2026-11-20T10:00:00.000Z' },
  uniqueAttribute: { name: 'receipt', value: 'r', enforced: true },
} as const;

const endedAt = recordedAt + 1_000;
const muchLater = endedAt + 10 * inFlightMs;
const otherwise: IntentEvent = {
  ...{ type: 'AttemptUnknown', at: endedAt, attempt: 1, code: 'answered-otherwise', checkAt: null },
};
const parked = (reason: 'unknown-outcome' | 'rejected'): IntentEvent => ({
  ...{ type: 'IntentParked', at: endedAt + 2_000, reason, lane: 'continue' },
});

/** Sent once, with what was read before, and no answer. */
const doubtful = (before?: { readonly points?: number; readonly differs?: boolean }): IntentEvent[] => [
  recorded,
  before === undefined ? begun(1) : ({ ...begun(1), before: { ...before, readAt: recordedAt } } as IntentEvent),
  { type: 'AttemptUnknown', at: endedAt, attempt: 1, code: 'reset', checkAt: endedAt + 1_000 },
];
const readOnce = (points: number): IntentEvent => ({
  ...{ type: 'ProbeRead', at: endedAt + 1_000, attempt: 1, points, checkAt: endedAt + 1_000 + inFlightMs },
});

const found = (pass: object): SeenPass => ({ kind: 'found', pass });
const showing = (points: number): SeenPass => found({ passdata: { points } });

interface Case {
  readonly events?: readonly IntentEvent[];
  readonly seen?: SeenPass;
  readonly at?: number;
  readonly quietPeriodMs?: number;
  readonly earlier?: { readonly points: number; readonly at: number };
}

function look(
  command: PartnerCommand | null,
  { events = doubtful(), seen = showing(132), at = muchLater, earlier, ...of }: Case,
) {
  const { operation } = command ?? reward;
  const looked = { events, subject: { operation, command, ...of }, program: exampleProgram(), seen, at };
  return judgeLook({ ...looked, ...(earlier === undefined ? {} : { earlier }) });
}

const nothing = (why: LookProof['why']): object => ({ verdict: 'nothing', evidence: null, why });

describe('what a look proves about points in doubt', () => {
  const read = [...doubtful({ points: 120 }), readOnce(132), parked('unknown-outcome')];

  it('that it took effect, where two equal reads differ from before by exactly what it adds', () => {
    expect(look(reward, { events: read })).toEqual({
      ...{ verdict: 'applied', evidence: 'points', why: null },
      points: { before: 120, now: 132, delta: 12 },
    });
  });

  it('the same by two looks of a job, far enough apart, that show the same', () => {
    const events = [...doubtful({ points: 120 }), parked('unknown-outcome')];
    const at = muchLater - inFlightMs;
    expect(look(reward, { events, earlier: { points: 132, at } })).toMatchObject({ verdict: 'applied' });
    expect(look(reward, { events, earlier: { points: 131, at } })).toMatchObject(nothing('other-points'));
    expect(look(reward, { events, earlier: { points: 132, at: at + 1 } })).toMatchObject({ verdict: 'nothing' });
  });

  it.each<[string, Case, LookProof['why']]>([
    ['they moved otherwise', { events: read, seen: showing(120) }, 'other-points'],
    ['another call of the member may have moved them', { events: read, quietPeriodMs: -1 }, 'others-moved'],
    ['another call had ended right before', { events: read, quietPeriodMs: inFlightMs - 1 }, 'others-moved'],
    ['it is the first look', { events: [...doubtful({ points: 120 }), parked('unknown-outcome')] }, 'second-look'],
    ['it may still take effect', { events: read, at: endedAt + 2_000 }, 'too-early'],
    ['nothing was read before', { events: [...doubtful(), parked('unknown-outcome')] }, 'not-read-before'],
    ['the partner could not say', { events: read, seen: { kind: 'failed' } }, 'partner-failed'],
    [
      'it answered something else than was asked',
      { events: [...read.slice(0, 2), { ...otherwise }, parked('unknown-outcome')] },
      'answered-otherwise',
    ],
    ['the pass shows none', { events: read, seen: found({}) }, 'unclear'],
  ])('nothing where %s', (_where, of, why) => {
    expect(look(reward, of)).toMatchObject(nothing(why));
  });

  it('shows them all the same where they prove nothing', () => {
    expect(look(reward, {})?.points).toEqual({ before: null, now: 132, delta: 12 });
  });
});

describe('what a look proves about anything else in doubt', () => {
  it('nothing of what leaves no trace, or is refused twice', () => {
    expect(look(sticker, {})).toMatchObject(nothing('no-trace'));
    expect(look(null, {})).toMatchObject(nothing('no-trace'));
    expect(look(purchase, {})).toMatchObject(nothing('refused-twice'));
  });

  it('of an enrolment that its pass is there, or is not, also where delivery was not to look', () => {
    expect(look(issue, {})).toMatchObject({ verdict: 'applied', evidence: 'pass-found' });
    const absent = { seen: { kind: 'absent', listed: 0 } } as const;
    expect(look(issue, absent)).toMatchObject({ verdict: 'not-applied', evidence: 'lookup-and-listing' });
    expect(look(issue, { ...absent, at: endedAt + 1 })).toMatchObject(nothing('too-early'));
    expect(look(issue, { seen: { kind: 'absent', listed: 1 } })).toMatchObject(nothing('unclear'));
  });

  it('of an update that the pass is as wanted, if it was not before', () => {
    const seen = found({ templateTierId: 2 });
    expect(look(update, { events: doubtful({ differs: true }), seen })).toMatchObject({
      ...{ verdict: 'applied', evidence: 'as-wanted' },
      points: { before: null, now: null, delta: null },
    });
    expect(look(update, { events: doubtful({}), seen })).toMatchObject(nothing('not-read-before'));
    expect(look(update, { events: doubtful({ differs: true }), seen: found({ templateTierId: 1 }) })).toMatchObject(
      nothing('unclear'),
    );
  });
});

it('says nothing of what is not in doubt', () => {
  const late: IntentEvent = { type: 'LateOutcome', at: muchLater, attempt: 1, outcome: 'rejected', code: 'refused' };
  for (const events of [
    [recorded],
    [recorded, begun(1)],
    [recorded, ...lost(1), parked('rejected')],
    [...doubtful(), parked('unknown-outcome'), late],
  ]) {
    expect(look(reward, { events })).toBeNull();
  }
});

describe('whether a look is in vain', () => {
  const why = (command: PartnerCommand, events: readonly IntentEvent[]): string | null => {
    const subject = { operation: command.operation, command };
    return whyLookInVain({ events, subject, program: exampleProgram(), at: muchLater });
  };
  const lost = [...doubtful(), parked('unknown-outcome')];

  it.each<[string, PartnerCommand, readonly IntentEvent[], string | null]>([
    ['it can show a pass', issue, lost, null],
    ['it can show points', reward, [...doubtful({ points: 120 }), parked('unknown-outcome')], null],
    ['points that were not read before', reward, lost, 'not-read-before'],
    ['nothing shows it', sticker, lost, 'no-trace'],
    ['the partner refuses a second one', purchase, lost, 'refused-twice'],
    ['it is in no doubt', issue, [recorded, begun(1), parked('rejected')], 'settled'],
  ])('%s', (_what, command, events, expected) => {
    expect(why(command, events)).toBe(expected);
  });
});
