import { needsPass } from '#intents/core';

import { SeedRunner } from '../simulate/runner/seed-runner.js';
import type { Fault } from '../simulate/world/fault.js';
import type {
  DedupRow,
  Effect,
  EventRow,
  History,
  IntentRow,
  InvariantId,
  LaneHistory,
  PartnerRequest,
  ProgramPolicy,
  RunHistory,
} from './index.js';
import { checkHistory, judgeHistory } from './index.js';
import { truthDigest } from './lane/truth-digest.js';

/** What a case changes has happened in one of so many worlds. */
const worlds = 60;

/** Each change is of what one event has led to. */
const without: ReadonlySet<Fault> = new Set(['has-markets']);

/** What was found in each of the simulation's first worlds, by the checker and by the retailer's judge. */
const broken: Record<string, readonly string[]> = {};

/** Histories of whole daemons: of these worlds, as the simulation hands them to the checker. */
const recorded = await (async (): Promise<History[]> => {
  const histories: History[] = [];
  const runner = await SeedRunner.open();
  try {
    for (let seed = 1; seed <= worlds; seed += 1) {
      const keep = (history: History): void => void histories.push(history);
      const { problems } = await runner.run(seed, { asksRetailer: true, without, keep });
      if (problems.length > 0) broken[`npm run simulate -- --replay ${seed}`] = problems.slice(0, 2);
    }
  } finally {
    await runner.close();
  }
  return histories;
})();

/** Of those in which everything happened that is changed of a run, the one in which most did. */
const base = ((): History => {
  const rich = recorded.filter(({ run: { log, quarantine, outcomes = [], notes, dedup } }) => {
    const isPlain = notes.partner.enforcesUniqueness && !notes.partner.hadPasses;
    const hasRewards = log.some(({ topic, owes }) => topic === 'loyalty.rewards' && owes === 'intent');
    return isPlain && hasRewards && quarantine.length > 0 && outcomes.length > 1 && dedup.length > 1;
  });
  const [first] = rich.toSorted((one, other) => other.run.dedup.length - one.run.dedup.length);
  if (first === undefined) throw new Error('no world is rich enough');
  return first;
})();

function withRun(change: Partial<RunHistory>): History {
  return { ...base, run: { ...base.run, ...change } };
}

function withNotes(change: Partial<RunHistory['notes']>): History {
  return withRun({ notes: { ...base.run.notes, ...change } });
}

type Change = (lane: LaneHistory, policy: ProgramPolicy) => LaneHistory | null;

interface ChangedLane {
  readonly changed: LaneHistory;
}

/** Changes the first lane for which `change` knows what to do; of any world, where the base has none. */
function withLane(change: Change, histories: readonly History[] = [base, ...recorded]): History & ChangedLane {
  for (const { run, lanes: all } of histories) {
    const lanes = [...all];
    for (const [index, lane] of lanes.entries()) {
      const changed = change(lane, run.programs[lane.lane.program]!);
      if (changed !== null) return { run, lanes: lanes.with(index, changed), changed };
    }
  }
  throw new Error('no lane to change');
}

function brokenBy(history: History): InvariantId[] {
  const violations = checkHistory(history);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

/** Replaces the first event of the type; the lane must have one. */
function changeEvent(lane: LaneHistory, type: string, change: (row: EventRow) => EventRow): LaneHistory | null {
  const row = lane.events.find(({ event }) => event.type === type);
  return row === undefined ? null : replaced(lane, row, change(row));
}

function replaced(lane: LaneHistory, row: EventRow, ...rows: readonly EventRow[]): LaneHistory {
  return { ...lane, events: lane.events.flatMap((each) => (each === row ? rows : [each])) };
}

/** Of the same intent and lease, right behind it. */
function behind(row: EventRow, ...events: readonly object[]): EventRow[] {
  const { seq, version, epoch, event } = row;
  return events.map((told, index) => {
    const later = { at: event.at, ...('attempt' in event && { attempt: event.attempt }), ...told };
    return { seq, version: version + (index + 1) / 10, epoch, event: later as unknown as EventRow['event'] };
  });
}

function atEnd(lane: LaneHistory, ...rows: readonly EventRow[]): LaneHistory {
  const { version } = lane.lane;
  const added = rows.map((row, index) => ({ ...row, version: version + index + 1 }));
  return { ...lane, lane: { ...lane.lane, version: version + rows.length }, events: [...lane.events, ...added] };
}

/** The first of these that is parked for this reason, before that version, stands as held instead. */
function steppedAside(
  lane: LaneHistory,
  isMeant: (row: IntentRow) => boolean,
  reason: string,
  before = Infinity,
): LaneHistory | null {
  const meant = new Set(lane.intents.filter(isMeant).map(({ seq }) => seq));
  const park = lane.events.find(({ seq, version, event }) => {
    const isFor = event.type === 'IntentParked' && (reason === 'any' || event.reason === reason);
    return isFor && meant.has(seq) && version < before;
  });
  if (park?.event.type !== 'IntentParked') return null;
  const { type, at } = park.event;
  const event = { type, at, reason: 'held', lane: 'continue', heldBy: 'store:s1', heldUntil: 1 } as const;
  return replaced(lane, park, { ...park, event });
}

/** A delivered intent: its last begin, the answer, the effect that the answer tells of. */
interface Delivery {
  readonly intent: IntentRow;
  readonly begin: EventRow;
  readonly applied: EventRow;
  readonly effect: Effect;
}

function deliveriesOf({ intents, events, effects }: LaneHistory): Delivery[] {
  return events.flatMap((applied) => {
    const { seq, version, event, requestId } = applied;
    if (event.type !== 'AttemptApplied') return [];
    const intent = intents.find((row) => row.seq === seq);
    const effect = effects.find((one) => one.requestId === requestId);
    const begin = events.findLast(
      (row) => row.event.type === 'AttemptBegun' && row.seq === seq && row.version < version,
    );
    return intent && begin && effect ? [{ intent, begin, applied, effect }] : [];
  });
}

const isOf =
  (...operations: readonly string[]) =>
  ({ intent }: Delivery): boolean =>
    operations.includes(intent.operation);
const isIssue = isOf('issue', 'issue-via-workflow');

/** Says more of the request that an event answers; the event must name one. */
function markRequest(lane: LaneHistory, row: EventRow | undefined, mark: Partial<PartnerRequest>): LaneHistory | null {
  const { requests = [] } = lane;
  const named = requests.find(({ requestId }) => requestId !== null && requestId === row?.requestId);
  if (named === undefined) return null;
  return { ...lane, requests: requests.map((one) => (one === named ? { ...one, ...mark } : one)) };
}

/** The same call once more, and its effect. */
function madeTwice(lane: LaneHistory, { applied, effect }: Delivery): LaneHistory {
  const at = applied.event.at + 1_000;
  const { lane: row, effects } = lane;
  const begin = {
    ...applied,
    epoch: row.epoch,
    requestId: null,
    event: { type: 'AttemptBegun', at, attempt: 9 } as const,
  };
  const again = { ...begin, event: { type: 'AttemptApplied', at, attempt: 9 } as const };
  const second = { ...effect, seq: 9_999, requestId: 'another', arrivedAt: at, appliedAt: at };
  return { ...atEnd(lane, begin, again), effects: [...effects, second] };
}

/** Records an intent once more. */
function recordedTwice(lane: LaneHistory, intent: IntentRow): LaneHistory {
  const { tail, version } = lane.lane;
  return {
    ...lane,
    lane: { ...lane.lane, tail: tail + 1, version: version + 1 },
    intents: [...lane.intents, { ...intent, seq: tail + 1, version: version + 1 }],
  };
}

/** Two intents of one partition, the earlier first. */
function neighbours({ intents }: LaneHistory): readonly [IntentRow, IntentRow] | null {
  for (const two of intents) {
    if (two.operation !== 'transaction') continue;
    const one = intents.findLast(
      ({ seq, topic, partition, transaction }) =>
        seq < two.seq && topic === two.topic && partition === two.partition && transaction !== two.transaction,
    );
    if (one !== undefined) return [one, two];
  }
  return null;
}

const firstRequest = (base.run.requests ?? []).find(({ program }) => program !== null)!;
const calm: PartnerRequest = { ...firstRequest, operation: 'lookup', status: 200, retryAfterMs: null, heardAt: 1_010 };

function token(arrivedAt: number): PartnerRequest {
  return { ...calm, operation: 'token', program: null, uniqueId: null, arrivedAt, endedAt: arrivedAt + 100 };
}

const cases: readonly (readonly [string, InvariantId, () => History])[] = [
  [
    'a record vanishes without a trace',
    'I1',
    () =>
      withRun({
        log: [
          ...base.run.log,
          { ...base.run.log[0]!, offset: 9_999, eventKey: 'never seen', businessKey: null, owes: 'anything' },
        ],
      }),
  ],
  [
    'a record is taken for known that is not',
    'I1',
    () =>
      withRun({
        log: [
          ...base.run.log,
          { ...base.run.log[0]!, offset: 9_999, eventKey: 'seen', businessKey: null, owes: 'intent' },
        ],
        dedup: [...base.run.dedup, { key: 'seen', kind: 'event', laneId: null, seq: null }],
      }),
  ],
  [
    'an unusable record is not set aside',
    'I1',
    () =>
      withRun({ log: [...base.run.log, { ...base.run.log[0]!, offset: 9_999, eventKey: null, owes: 'quarantine' }] }),
  ],
  [
    'an intent comes from nowhere',
    'I2',
    () => withRun({ log: base.run.log.filter(({ topic }) => topic !== 'loyalty.rewards') }),
  ],
  [
    'an intent is about somebody else',
    'I2',
    () => withRun({ log: base.run.log.map((record) => ({ ...record, memberId: 'm-99' })) }),
  ],
  [
    'a version is missing',
    'I3',
    () => withLane((lane) => ({ ...lane, lane: { ...lane.lane, version: lane.lane.version + 1 } })),
  ],
  ['a dedup key stands twice', 'I3', () => withRun({ dedup: [...base.run.dedup, base.run.dedup[0]!] })],
  [
    'an identity is of no intent',
    'I3',
    () => withRun({ dedup: [...base.run.dedup, { key: 'x', kind: 'event', laneId: 1, seq: 9_999 }] }),
  ],
  [
    'an identity is forgotten',
    'I3',
    () => withRun({ dedup: base.run.dedup.filter(({ kind }) => kind !== 'business').slice(1) }),
  ],
  [
    'a reward has a second effect',
    'I7',
    () =>
      withLane((lane, { onUnknown }) => {
        const reward = onUnknown.reward === 'resend' ? undefined : deliveriesOf(lane).find(isOf('reward'));
        return reward === undefined ? null : madeTwice(lane, reward);
      }),
  ],
  [
    'a member has two passes',
    'I6',
    () => {
      const enforcing = recorded.filter(({ run }) => run.notes.partner.enforcesUniqueness);
      const twice: Change = (lane) => {
        const issue = deliveriesOf(lane).find(isIssue);
        return issue === undefined ? null : madeTwice(lane, issue);
      };
      return withLane(twice, enforcing);
    },
  ],
  [
    'an effect is taken away',
    'I8',
    () => withLane((lane) => (deliveriesOf(lane).some(isOf('reward')) ? { ...lane, effects: [] } : null)),
  ],
  [
    'an effect comes from nowhere',
    'I9',
    () =>
      withLane(({ effects, ...lane }) => {
        const [first] = effects;
        return first === undefined
          ? null
          : {
              ...lane,
              effects: [...effects, { ...first, seq: 9_999, operation: 'reward', target: '9999', requestId: 'other' }],
            };
      }),
  ],
  [
    'an effect is of a member nobody knows',
    'I9',
    () => withRun({ unattributedEffects: [...base.lanes].flatMap(({ effects }) => effects).slice(0, 1) }),
  ],
  [
    'a begin is lost',
    'I9',
    () =>
      withLane((lane) =>
        deliveriesOf(lane).length === 0
          ? null
          : { ...lane, events: lane.events.filter(({ event }) => event.type !== 'AttemptBegun') },
      ),
  ],
  [
    'an outcome is recorded twice',
    'I10',
    () =>
      withLane((lane) => {
        const row = lane.events.find(({ event }) => event.type === 'AttemptApplied');
        return row === undefined ? null : atEnd(lane, row);
      }),
  ],
  [
    'the head has gone too far',
    'I11',
    () => withLane((lane) => ({ ...lane, lane: { ...lane.lane, head: lane.lane.head + 1 } })),
  ],
  [
    'redo keeps what is done',
    'I11',
    () =>
      withLane((lane) => {
        const isDone = deliveriesOf(lane).some(({ intent }) => intent.seq === 1);
        return isDone ? { ...lane, lane: { ...lane.lane, redo: [1], current: 1 } } : null;
      }),
  ],
  [
    'an answer is recorded under another epoch',
    'I12',
    () => withLane((lane) => changeEvent(lane, 'AttemptApplied', (row) => ({ ...row, epoch: row.epoch - 1 }))),
  ],
  [
    'an answer that was heard is missing',
    'I12',
    () =>
      withRun({
        answers: [
          ...(base.run.answers ?? []),
          { laneId: [...base.lanes][0]!.lane.laneId, seq: 1, attempt: 77, epoch: 1, outcome: 'applied' },
        ],
      }),
  ],
  ['a lane is still due', 'I15', () => withLane((lane) => ({ ...lane, lane: { ...lane.lane, dueAt: 1 } }))],
  [
    'a rebuild would forget the pass',
    'I16',
    () =>
      withLane((lane) => (lane.lane.pass === 'known' ? { ...lane, lane: { ...lane.lane, pass: 'unknown' } } : null)),
  ],
  [
    'an outcome is never told',
    'I17',
    () => {
      const { outcomes = [] } = base.run;
      const first = outcomes.find(({ seq }) => seq !== null);
      return withRun({ outcomes: outcomes.filter(({ id }) => id !== first?.id) });
    },
  ],
  ['outcomes are told in another order', 'I17', () => withRun({ outcomes: [...(base.run.outcomes ?? [])].reverse() })],
  [
    'a stored offset falls',
    'I19',
    () => withRun({ offsets: [...base.run.offsets, { ...base.run.offsets.at(-1)!, nextOffset: 0 }] }),
  ],
  [
    'a record is in quarantine twice',
    'I19',
    () => withRun({ quarantine: [...base.run.quarantine, ...base.run.quarantine] }),
  ],
  [
    'a rest is not kept',
    'I20',
    () => {
      const rest = { ...calm, status: 429, retryAfterMs: 20_000, arrivedAt: 1_000, endedAt: 1_010 };
      return withRun({ requests: [rest, { ...calm, arrivedAt: 9_000, endedAt: 9_010 }] });
    },
  ],
  [
    'a limit is not kept',
    'I20',
    () => {
      const program = [...base.lanes][0]!.lane.program;
      const policy = base.run.programs[program]!;
      const limits = { ...policy.limits, requestsPerSecond: 10 };
      const requests = Array.from({ length: 40 }, (_, index) => ({ ...calm, program, arrivedAt: 1_000 + index }));
      return withRun({ programs: { ...base.run.programs, [program]: { ...policy, limits } }, requests });
    },
  ],
  [
    'tokens are refreshed side by side',
    'I21',
    () => ({
      ...withNotes({ replicas: 1 }),
      run: { ...withNotes({ replicas: 1 }).run, requests: [token(1_000), token(1_050)] },
    }),
  ],
  [
    'a name stands in a log',
    'I22',
    () => withRun({ secrets: ['Ada (L.)'], clearTexts: [{ where: 'a log', text: 'delivered to Ada (L.)' }] }),
  ],
  [
    'a lease outlives its daemon',
    'I23',
    () => {
      const history = withLane((lane) => ({ ...lane, lane: { ...lane.lane, owner: 'somebody' } }));
      return { ...history, run: { ...history.run, notes: { ...history.run.notes, isAtRest: false } } };
    },
  ],
  [
    'what was not begun is begun after its cancel',
    'I26',
    () =>
      withLane((lane) => {
        const row = lane.events.find(({ event }) => event.type === 'IntentCancelled');
        if (row === undefined) return null;
        const event = { type: 'AttemptBegun', at: row.event.at + 1, attempt: 1 } as const;
        return atEnd(lane, { ...row, epoch: lane.lane.epoch, event });
      }),
  ],
  [
    'an answer that the partner feigned counts as applied',
    'I8',
    () =>
      withLane((lane) => {
        const applied = lane.events.find(({ event, requestId }) => event.type === 'AttemptApplied' && requestId);
        return markRequest(lane, applied, { isFeigned: true });
      }),
  ],
  [
    'an answer to something else counts as applied',
    'I8',
    () =>
      withLane((lane) => {
        const applied = lane.events.find(({ event, requestId }) => event.type === 'AttemptApplied' && requestId);
        return markRequest(lane, applied, { isOtherwise: true });
      }),
  ],
  [
    'a duplicate of what failed counts as the sale',
    'I8',
    () =>
      withLane((lane) => {
        const at = lane.events.findIndex(
          ({ event }) => event.type === 'VerifiedApplied' && event.evidence === 'duplicate-refusal',
        );
        const [refusal, proof] = [lane.events[at - 1], lane.events[at]];
        return refusal?.seq === proof?.seq ? markRequest(lane, refusal, { isOfFailed: true }) : null;
      }),
  ],
  [
    "a member is told somebody else's pass",
    'I17',
    () => {
      const { program, memberId } = [...base.lanes][0]!.lane;
      const told = { id: 'a pass', name: 'loyalty.pass.issued.v1', program, memberId, seq: null, passId: 2 };
      const history = withRun({ outcomes: [...(base.run.outcomes ?? []), told] });
      return { ...history, lanes: [...base.lanes].map((lane) => ({ ...lane, passIds: [1] })) };
    },
  ],
];

/** What a mistake in the product would have left in a lane: which invariant names it, and in what words. */
const mistakes: readonly (readonly [string, InvariantId, string, Change])[] = [
  [
    'what was delivered is parked by somebody who had not read that',
    'I10',
    'IntentParked while delivered',
    (lane) => {
      const [delivery] = deliveriesOf(lane);
      if (delivery === undefined) return null;
      const [park] = behind(delivery.applied, { type: 'IntentParked', reason: 'rejected', lane: 'continue' });
      return atEnd(lane, { ...park!, epoch: lane.lane.epoch });
    },
  ],
  [
    'an answer that was recorded is told late as well',
    'I10',
    'a late outcome of what was known',
    (lane) => {
      const [delivery] = deliveriesOf(lane);
      if (delivery === undefined) return null;
      const { applied } = delivery;
      return replaced(
        lane,
        applied,
        applied,
        ...behind(applied, { type: 'LateOutcome', outcome: 'applied', code: '200' }),
      );
    },
  ],
  [
    'a refusal as duplicate counts as our own, and nothing was in doubt',
    'I8',
    'but no attempt was in doubt',
    (lane) => {
      const isDoubted = ({ intent }: Delivery): boolean =>
        lane.events.some(({ seq, event }) => seq === intent.seq && event.type === 'AttemptUnknown');
      const delivery = deliveriesOf(lane).find((one) => isOf('transaction')(one) && !isDoubted(one));
      if (delivery === undefined) return null;
      const refused = { type: 'AttemptRejected', code: 'duplicate' };
      const proved = { type: 'VerifiedApplied', evidence: 'duplicate-refusal' };
      return replaced(lane, delivery.applied, ...behind(delivery.applied, refused, proved));
    },
  ],
  [
    'a lost answer counts as a no',
    'I8',
    'told as without effect, but the partner has one',
    (lane) => {
      const [delivery] = deliveriesOf(lane);
      if (delivery === undefined) return null;
      const { applied } = delivery;
      const event = { ...applied.event, type: 'AttemptNotApplied', code: 'timeout', answered: true, retryAt: 0 };
      return replaced(lane, applied, { ...applied, event: event as unknown as EventRow['event'] });
    },
  ],
  [
    'a request overtakes its begin',
    'I9',
    'sent before its begin was committed',
    (lane) => {
      const [delivery] = deliveriesOf(lane);
      if (delivery === undefined) return null;
      const { begin, effect } = delivery;
      return replaced(lane, begin, { ...begin, committedAt: effect.arrivedAt + 60_000 });
    },
  ],
  [
    'a request is sent twice',
    'I9',
    'a request without a begin of its own',
    (lane) => {
      const sale = deliveriesOf(lane).find(({ effect }) => effect.key !== null);
      const request = (lane.requests ?? []).find(({ requestId }) => requestId === sale?.effect.requestId);
      if (sale === undefined || request === undefined) return null;
      return { ...lane, requests: [...(lane.requests ?? []), { ...request, requestId: 'again' }] };
    },
  ],
  [
    'what is in doubt is sent again',
    'I25',
    'sent again while unknown',
    (lane) => {
      const lost = lane.events.find(({ event }) => event.type === 'AttemptUnknown');
      if (lost?.event.type !== 'AttemptUnknown') return null;
      const begin = { type: 'AttemptBegun', attempt: lost.event.attempt + 1 };
      return replaced(lane, lost, lost, ...behind(lost, begin));
    },
  ],
  [
    'absence is believed while the call may be under way',
    'I25',
    'after the attempt was lost sight of',
    (lane) => {
      const conclusion = lane.events.find(({ event }) => {
        return event.type === 'ResendDecided' || (event.type === 'VerifiedAbsent' && event.evidence !== 'late-outcome');
      });
      const lost = lane.events.findLast(({ seq, version, event }) => {
        return seq === conclusion?.seq && version < conclusion.version && event.type === 'AttemptUnknown';
      });
      if (conclusion === undefined || lost === undefined) return null;
      const event = { ...conclusion.event, at: lost.event.at + 1 };
      return replaced(lane, conclusion, { ...conclusion, event });
    },
  ],
  [
    'a later one is begun first',
    'I5',
    'which comes later in the lane',
    (lane) => {
      const isOnce = ({ intent }: Delivery): boolean => {
        const own = lane.events.filter(({ seq }) => seq === intent.seq);
        return own.length === 2 && intent.operation === 'transaction';
      };
      const [one, other] = deliveriesOf(lane).filter(isOnce);
      if (one === undefined || other === undefined || one.intent.seq > other.intent.seq) return null;
      if (other.intent.version > one.begin.version) return null;
      const early = { ...other.begin, version: one.begin.version };
      const late = { ...one.begin, version: other.begin.version };
      return replaced(replaced(lane, one.begin, late), other.begin, early);
    },
  ],
  [
    'the lane has gone on without what is open',
    'I11',
    'pending, but the lane has gone on without it',
    (lane) => {
      const delivery = deliveriesOf(lane).find(({ intent: { seq } }) => seq < lane.lane.head);
      if (delivery === undefined) return null;
      return { ...lane, events: lane.events.filter(({ seq }) => seq !== delivery.intent.seq) };
    },
  ],
  [
    'the attempt of a dead worker is overlooked',
    'I13',
    'begun while another attempt was open',
    (lane) => {
      const no = lane.events.find(({ seq, version, event }) => {
        const isBegunAgain = lane.events.some((row) => {
          return row.seq === seq && row.version > version && row.event.type === 'AttemptBegun';
        });
        return event.type === 'AttemptNotApplied' && isBegunAgain;
      });
      return no === undefined ? null : replaced(lane, no);
    },
  ],
  [
    'somebody mends the truth',
    'I18',
    'has been changed since',
    (lane) => {
      const [first] = lane.events;
      if (first === undefined) return null;
      const { version, epoch, head } = lane.lane;
      const sample = { takenAt: 0, version, epoch, head, digest: truthDigest(lane, version) };
      const event = { ...first.event, at: first.event.at - 1 };
      return { ...replaced(lane, first, { ...first, event }), samples: [sample] };
    },
  ],
  [
    'a fenced consumer records a record again',
    'I19',
    'a second intent of one record',
    (lane) => {
      const sale = lane.intents.find(({ operation }) => operation === 'transaction');
      return sale === undefined ? null : recordedTwice(lane, sale);
    },
  ],
  [
    'two consumers record one partition',
    'I19',
    'was recorded by two consumers at once',
    (lane) => {
      const [, two] = neighbours(lane) ?? [];
      if (two === undefined) return null;
      return { ...lane, intents: lane.intents.map((row) => (row === two ? { ...row, position: -1 } : row)) };
    },
  ],
  [
    'an event is recorded twice',
    'I3',
    'recorded before as',
    (lane) => {
      const sale = lane.intents.find(({ operation }) => operation === 'transaction');
      return sale === undefined ? null : recordedTwice(lane, { ...sale, offset: 9_999 });
    },
  ],
  [
    'the order of a partition is lost',
    'I4',
    'is recorded after offset',
    (lane) => {
      const [one, two] = neighbours(lane) ?? [];
      if (one === undefined || two === undefined) return null;
      const swapped = new Map([
        [one, two.offset],
        [two, one.offset],
      ]);
      return { ...lane, intents: lane.intents.map((row) => ({ ...row, offset: swapped.get(row) ?? row.offset })) };
    },
  ],
  [
    'what is parked holds up others, or lets them go, against the file',
    'I24',
    'the programs file says',
    (lane) => {
      const park = lane.events.find(({ event }) => event.type === 'IntentParked' && event.reason === 'rejected');
      if (park?.event.type !== 'IntentParked') return null;
      const event = { ...park.event, lane: park.event.lane === 'block' ? 'continue' : 'block' } as const;
      return replaced(lane, park, { ...park, event });
    },
  ],
  [
    'what was held and is back is passed once more',
    'I5',
    'which was held and is back',
    (lane) => {
      if (lane.events.some(({ event }) => event.type === 'IntentParked' && event.lane === 'block')) return null;
      const sales = deliveriesOf(lane).filter(({ intent: { operation } }) => operation === 'transaction');
      const pairs = sales.flatMap((back) => sales.map((later) => ({ back, later })));
      const pair = pairs.find(({ back, later: { intent, begin } }) => {
        const isThere = intent.recordedAt <= back.begin.event.at && begin.version > back.begin.version;
        return intent.seq > back.intent.seq && isThere;
      });
      if (pair === undefined) return null;
      const { seq, version, epoch, event } = pair.back.begin;
      const [park, replay] = [
        { type: 'IntentParked', at: event.at, reason: 'held', lane: 'continue', heldBy: 'store:s1', heldUntil: 1 },
        { type: 'IntentReplayed', at: event.at, by: 'loyaltyd', reason: 'held-no-more' },
      ].map((told, index) => ({
        ...{ seq, version: version - 0.4 + index / 10, epoch },
        event: told as unknown as EventRow['event'],
      }));
      return replaced(
        lane,
        pair.back.begin,
        park!,
        replay!,
        { ...pair.later.begin, version: version - 0.1 },
        pair.back.begin,
      );
    },
  ],
  [
    'an update or an enrolment is passed',
    'I24',
    'stepped aside',
    (lane) => steppedAside(lane, (row) => !needsPass(row.operation), 'any'),
  ],
  [
    'what is in doubt is passed',
    'I24',
    'stepped aside while in doubt',
    (lane) => steppedAside(lane, (row) => needsPass(row.operation), 'unknown-outcome'),
  ],
  [
    'what spends points passes a sale before it',
    'I24',
    'spends points, and passed the sale',
    (lane, { rewards }) => {
      const spent = deliveriesOf(lane).findLast(({ intent: { operation, asks } }) =>
        Object.values(rewards).some(
          ({ id, pointsDelta }) => operation === 'reward' && id === asks?.target && (pointsDelta ?? 0) < 0,
        ),
      );
      const isBefore = ({ seq, operation }: IntentRow): boolean =>
        operation === 'transaction' && seq < (spent?.intent.seq ?? 0);
      return steppedAside(lane, isBefore, 'rejected', spent?.begin.version);
    },
  ],
  [
    'a refund does not wait for its purchase',
    'I24',
    'was delivered',
    (lane) => {
      const [one, other] = deliveriesOf(lane);
      if (one === undefined || other === undefined) return null;
      const waiting = { ...one.intent, waitsFor: other.intent.seq };
      return { ...lane, intents: lane.intents.map((row) => (row === one.intent ? waiting : row)) };
    },
  ],
  [
    'a success that proved nothing is followed by another call',
    'I24',
    'sent again after a success that proved nothing',
    (lane, { onUnknown }) => {
      const decision = lane.events.find(({ seq, event }) => {
        const operation = lane.intents.find((row) => row.seq === seq)?.operation;
        const group = operation === 'reward' || operation === 'transaction' ? operation : null;
        return (
          group !== null && onUnknown[group] === 'resend' && event.type === 'ResendDecided' && event.basis === 'policy'
        );
      });
      const lost = lane.events.findLast(({ seq, version, event }) => {
        return seq === decision?.seq && version < decision.version && event.type === 'AttemptUnknown';
      });
      const isBegun = lane.events.some(({ seq, version, event }) => {
        return seq === decision?.seq && version > decision.version && event.type === 'AttemptBegun';
      });
      if (lost?.event.type !== 'AttemptUnknown' || !isBegun) return null;
      return replaced(lane, lost, { ...lost, event: { ...lost.event, code: 'unproven-200' } });
    },
  ],
  [
    'what is tried again is tried too early',
    'I20',
    'begun again before its time',
    (lane) => {
      const index = lane.events.findIndex(({ seq, event }, at) => {
        const next = lane.events[at + 1];
        return event.type === 'AttemptNotApplied' && next?.seq === seq && next.event.type === 'AttemptBegun';
      });
      const [no, begin] = [lane.events[index], lane.events[index + 1]];
      if (no?.event.type !== 'AttemptNotApplied' || begin === undefined) return null;
      return replaced(lane, begin, { ...begin, event: { ...begin.event, at: no.event.retryAt - 10_000 } });
    },
  ],
  [
    'what is to be tried again is forgotten',
    'I15',
    'left pending',
    (lane) => {
      const no = lane.events.find(({ event }) => event.type === 'AttemptNotApplied');
      if (no === undefined || lane.lane.state === 'blocked') return null;
      return { ...lane, events: lane.events.filter(({ seq, version }) => seq !== no.seq || version <= no.version) };
    },
  ],
  [
    'an enrolment is parked that could be looked up',
    'I15',
    'parked as unknown, though it could be found out',
    (lane, { onUnknown, onPark }) => {
      const lost = lane.events.find(({ seq, event }) => {
        const intent = lane.intents.find((row) => row.seq === seq);
        const isEnrolment = intent?.operation.startsWith('issue') === true && intent.asks !== null;
        return onUnknown.issue === 'probe' && isEnrolment && event.type === 'AttemptUnknown';
      });
      if (lost === undefined || (lane.lane.erasedSeq ?? 0) > 0) return null;
      const park = { type: 'IntentParked', reason: 'unknown-outcome', lane: onPark.issue };
      return replaced(lane, lost, lost, ...behind(lost, park));
    },
  ],
  [
    'an enrolment that was refused, and says something else since, waits for a person',
    'I15',
    'still parked, though it has been mended',
    (lane, { onPark }) => {
      const issue = deliveriesOf(lane).find(isIssue);
      if (issue === undefined) return null;
      const refused = { type: 'AttemptRejected', code: 'refused' };
      const parked = { type: 'IntentParked', reason: 'rejected', lane: onPark.issue };
      const mended = { type: 'IntentCorrected', by: 'source-event', reason: 'enrolled-again' };
      return replaced(lane, issue.applied, ...behind(issue.applied, refused, parked, mended));
    },
  ],
  [
    'a correction is not read',
    'I26',
    'sent as it was before its correction',
    (lane) => {
      const sale = deliveriesOf(lane).find(({ effect }) => effect.key !== null);
      if (sale === undefined || sale.intent.asks === null) return null;
      const event = { type: 'IntentCorrected', at: sale.begin.event.at, by: 'ada', reason: 'wrong amount' };
      const correction = {
        ...sale.begin,
        version: sale.begin.version - 0.5,
        event: event as unknown as EventRow['event'],
        asks: { ...sale.intent.asks, content: 'another amount' },
      };
      return replaced(lane, sale.begin, correction, sale.begin);
    },
  ],
];

describe('a correct history in which one thing is changed', () => {
  it('is of worlds that break no invariant, and leave a retailer nothing to complain of', () => {
    expect(broken).toEqual({});
  });

  it('is correct before', () => {
    expect(recorded.map(brokenBy)).toEqual(recorded.map(() => []));
  });

  it.each(cases)('%s: breaks %s', (_what, invariant, history) => {
    expect(brokenBy(history())).toContain(invariant);
  });

  it.each(mistakes)('%s: breaks %s, %s', (_what, invariant, problem, change) => {
    const said = checkHistory(withLane(change)).map((violation) => `${violation.invariant} ${violation.problem}`);
    expect(said).toContainEqual(expect.stringMatching(new RegExp(`^${invariant} .*${problem}`)));
  });

  it('keeps a rest once every replica has had time to hear of it', () => {
    const rest = { ...calm, status: 429, retryAfterMs: 20_000, arrivedAt: 1_000, endedAt: 1_010 };
    const requests = [rest, { ...calm, arrivedAt: 2_900, endedAt: 2_910 }];
    const brokenWhere = (reportMs: number): InvariantId[] =>
      brokenBy({ ...base, run: { ...withNotes({ reportMs, faults: {} }).run, requests } });
    expect(brokenWhere(500)).toContain('I20');
    expect(brokenWhere(1_300)).not.toContain('I20');
  });

  it('may be blocked while something is put back behind what blocks it', () => {
    const saidOf = (state: LaneHistory['lane']['state']): string[] => {
      const history = withLane((lane) => {
        const { head, redo } = lane.lane;
        if (head < 2 || redo.length > 0 || lane.lane.attemptOpen) return null;
        return { ...lane, lane: { ...lane.lane, current: head, redo: [head - 1], state } };
      });
      return checkHistory(history).map(({ problem }) => problem);
    };
    const misplaced = expect.stringMatching('neither first in redo nor the head') as string;
    expect(saidOf('blocked')).not.toContainEqual(misplaced);
    expect(saidOf('live')).toContainEqual(misplaced);
  });

  it('may have an intent of a record that could not be taken, where an operator put it back in', () => {
    const put = (isResubmitted: boolean): History => {
      const history = withLane((lane) => {
        const sale = lane.intents.find(({ operation }) => operation === 'transaction');
        if (sale === undefined) return null;
        return { ...lane, intents: lane.intents.map((row) => (row === sale ? { ...row, isResubmitted } : row)) };
      });
      const { topic, partition, offset } = history.changed.intents.find((row) => row.isResubmitted === isResubmitted)!;
      const log = history.run.log.map((record) => {
        const isIt = record.topic === topic && record.partition === partition && record.offset === offset;
        return isIt ? { ...record, owes: 'quarantine' as const, memberId: 'somebody-else' } : record;
      });
      return { ...history, run: { ...history.run, log } };
    };
    expect(brokenBy(put(false))).toContain('I2');
    expect(brokenBy(put(true))).not.toContain('I2');
  });

  it('tells the value of no secret', () => {
    const history = withRun({ secrets: ['Ada'], clearTexts: [{ where: 'a log', text: 'Ada' }] });
    expect(JSON.stringify(checkHistory(history))).not.toContain('Ada');
  });
});

describe('what another system did that looks like our own lost attempt', () => {
  /** A proof whose effect is gone from the ledger, beside another system's: that lane alone. */
  const proved = (evidence: string, isTheirs: boolean): History => {
    const { run, changed } = withProof(evidence, isTheirs);
    return { run, lanes: [changed] };
  };

  const withProof = (evidence: string, isTheirs: boolean): ReturnType<typeof withLane> =>
    withLane((lane) => {
      if ((lane.others ?? []).length > 0) return null;
      const sales = lane.intents.filter(({ asks }) => asks?.operation === 'transaction');
      const applied = lane.events.find(
        ({ seq: of, event }) => event.type === 'AttemptApplied' && sales.some(({ seq }) => seq === of),
      );
      const intent = sales.find(({ seq }) => seq === applied?.seq);
      const [effect] = lane.effects.filter(({ key }) => key !== null && key === intent?.asks?.key);
      if (applied?.event.type !== 'AttemptApplied' || effect === undefined) return null;
      const { at, attempt } = applied.event;
      const lost = {
        type: 'AttemptUnknown',
        at,
        attempt,
        code: 'reset',
        checkAt: null,
      } as unknown as EventRow['event'];
      const proof = { type: 'VerifiedApplied', at, attempt, evidence } as unknown as EventRow['event'];
      const told = [
        { ...applied, event: lost },
        { ...applied, version: applied.version + 0.5, event: proof },
      ];
      const events = lane.events.flatMap((row) => (row === applied ? told : [row]));
      // Another amount at another time, as another shop's sale under the same number has.
      const others = isTheirs
        ? [{ ...effect, content: '[0.01,"2026-01-01T00:00:00.000Z",{}]', requestId: 'other-1' }]
        : [];
      return { ...lane, events, effects: lane.effects.filter((one) => one !== effect), others };
    });

  it.each([
    ['duplicate-refusal', 'value-taken-by-others'],
    ['points', 'pass-changed-by-others'],
    ['as-wanted', 'pass-changed-by-others'],
  ] as const)('by %s is counted as %s, and only where there is such a thing', (evidence, bucket) => {
    const said = (isTheirs: boolean): string[] =>
      checkHistory(proved(evidence, isTheirs)).map(({ problem }) => problem);
    const problem = 'verified as applied, but the partner has no effect of it';
    expect(judgeHistory(proved(evidence, true)).exposures[bucket]).toBe(1);
    expect(said(true)).not.toContain(problem);
    expect(said(false)).toContain(problem);
  });
});

describe('a begin after an attempt was told late as applied', () => {
  const problem = 'sent again after an attempt was told as applied';

  /** The first delivered attempt was lost sight of; between that and its being sent again stands what is given. */
  const begunAfter = (...types: readonly object[]): readonly string[] => {
    const history = withLane((lane) => {
      const applied = lane.events.find(({ event }) => event.type === 'AttemptApplied');
      if (applied?.event.type !== 'AttemptApplied') return null;
      const { at, attempt } = applied.event;
      const lost = { type: 'AttemptUnknown', at, attempt, code: 'worker-lost', checkAt: null };
      const begin = { type: 'AttemptBegun', at, attempt: attempt + 1 };
      const told = [lost, ...types, begin].map((event, index) => {
        const row = { ...applied, version: applied.version + index / 10 };
        return { ...row, event: { at, attempt, ...event } as unknown as EventRow['event'] };
      });
      return { ...lane, events: lane.events.flatMap((row) => (row === applied ? told : [row])) };
    });
    return checkHistory(history).map((violation) => violation.problem);
  };

  const late = (outcome: string): object => ({ type: 'LateOutcome', outcome, code: '200' });
  const resend = { type: 'ResendDecided', basis: 'policy' };

  it.each([
    ['at once', [late('applied'), resend]],
    ['although it had been decided on before', [resend, late('applied')]],
    ['although it was refused meanwhile', [late('applied'), { type: 'AttemptNotApplied', answered: true, retryAt: 0 }]],
  ] as const)('breaks I25: %s', (_when, events) => {
    expect(begunAfter(...events)).toContain(problem);
  });

  it.each([
    [
      'where a person has said that it was not delivered',
      [late('applied'), { type: 'IntentResolved', as: 'not-delivered' }],
    ],
    ['where a reconciliation has found it gone', [late('applied'), { type: 'IntentReissued' }]],
    ['where it was told as without effect', [late('not-applied'), resend]],
  ] as const)('is right %s', (_when, events) => {
    expect(begunAfter(...events)).not.toContain(problem);
  });
});

describe('an enrolment that goes ahead of what waits for a pass', () => {
  const problem = 'which comes later in the lane';

  const told = (added: (waiting: EventRow) => object): readonly string[] => {
    const history = withLane((lane) => {
      const waiting = lane.events.find(({ event }) => event.type === 'WaitingBegan' && event.for === 'pass');
      const issue = lane.intents.find(
        ({ seq, version, operation }) =>
          waiting !== undefined && operation.startsWith('issue') && seq > waiting.seq && version > waiting.version,
      );
      const begunAt = (of: number | undefined): number =>
        lane.events.find(({ seq, event }) => seq === of && event.type === 'AttemptBegun')?.version ?? Infinity;
      if (waiting === undefined || issue === undefined || begunAt(waiting.seq) === Infinity) return null;
      if (begunAt(issue.seq) > begunAt(waiting.seq)) return null;
      const row = { ...waiting, version: waiting.version + 0.5, event: added(waiting) as EventRow['event'] };
      return { ...lane, events: lane.events.flatMap((each) => (each === waiting ? [each, row] : [each])) };
    });
    return checkHistory(history)
      .filter((violation) => violation.problem.includes(problem))
      .map(({ invariant }) => invariant);
  };

  it('is right also where it corrects that in the moment in which it is recorded', () => {
    expect(
      told(({ event: { at } }) => ({ type: 'IntentCorrected', at, by: 'source-event', reason: 'overtaken' })),
    ).toEqual([]);
  });

  it('breaks I5 where that does not wait any more', () => {
    expect(told(({ event: { at } }) => ({ type: 'IntentReleased', at }))).toContain('I5');
  });
});

describe('what goes after a purchase of which it knows the key', () => {
  interface Sale {
    readonly laneId: number;
    readonly seq: number;
    readonly recordedAt: number;
    readonly begunAt: number;
    readonly deliveredAt: number;
  }

  const salesOf = ({ lanes }: History): readonly Sale[] =>
    [...lanes].flatMap(({ lane: { laneId }, intents, events }) =>
      intents.flatMap(({ seq, recordedAt, operation, waitsFor, waitsForKey }) => {
        const timeOf = (type: string): number | undefined =>
          events.find((row) => row.seq === seq && row.event.type === type)?.event.at;
        const [begunAt, deliveredAt] = [timeOf('AttemptBegun'), timeOf('AttemptApplied')];
        if (operation !== 'transaction' || begunAt === undefined || deliveredAt === undefined) return [];
        if (waitsFor !== null || (waitsForKey ?? null) !== null) return [];
        return [{ laneId, seq, recordedAt, begunAt, deliveredAt }];
      }),
    );
  /** A sale with one in another lane that was delivered before it was begun, and one that was delivered later. */
  const chosen = [base, ...recorded].flatMap((history) => {
    const { clockToleranceMs: toleranceMs } = history.run.notes;
    const sales = salesOf(history);
    return sales.flatMap((own) => {
      const others = sales.filter(({ laneId }) => laneId !== own.laneId);
      const earlier = others.find(({ deliveredAt }) => deliveredAt < own.begunAt);
      const later = others.find(({ deliveredAt }) => deliveredAt > own.begunAt + toleranceMs);
      return earlier && later ? [{ history, own, earlier, later }] : [];
    });
  });
  const [{ history: world, own, earlier, later }] = chosen as [(typeof chosen)[number]];
  const { program: ownProgram } = [...world.lanes].find(({ lane }) => lane.laneId === own.laneId)!.lane;
  const { missingPass, missingPurchase } = world.run.programs[ownProgram]!;
  const waitMs = Math.min(missingPass.waitMs, missingPurchase.waitMs);

  /** One delivered sale waits for a key under which stands what is given. */
  const told = (
    row: Partial<DedupRow> | null,
    change: (event: EventRow) => object = () => ({}),
    from: readonly LaneHistory[] = [...world.lanes],
    refundUnknown: ProgramPolicy['refundUnknown'] = 'park',
  ): string[] => {
    const programs = { ...world.run.programs, [ownProgram]: { ...world.run.programs[ownProgram]!, refundUnknown } };
    const dedup = row === null ? [] : [{ key: 'awaited', kind: 'business' as const, laneId: null, seq: null, ...row }];
    const lanes = from.map((lane): LaneHistory => {
      if (lane.lane.laneId !== own.laneId) return lane;
      const intents = lane.intents.map((each) => (each.seq === own.seq ? { ...each, waitsForKey: 'awaited' } : each));
      const events = lane.events.map((each): EventRow => {
        const isChanged = each.seq === own.seq && each.event.type === 'AttemptApplied';
        return isChanged ? { ...each, event: { ...each.event, ...change(each) } } : each;
      });
      return { ...lane, intents, events, samples: [] };
    });
    const history = { run: { ...world.run, programs, dedup: [...world.run.dedup, ...dedup] }, lanes };
    return checkHistory(history)
      .filter(({ invariant }) => invariant === 'I24')
      .map(({ problem }) => problem);
  };

  const placeOf = ({ laneId, seq }: Sale): Partial<DedupRow> => ({ laneId, seq });

  it('is begun when that is delivered, in whatever lane', () => {
    expect(told(placeOf(earlier))).toEqual([]);
  });

  it.each([
    ['nobody has told it', null],
    ['it is marked as taken back', { kind: 'mark' }],
    ['it is delivered later', placeOf(later)],
  ] as const)('breaks I24 where it is begun although %s', (_why, row) => {
    expect(told(row)).toContain('begun before the purchase of the key it waits for was delivered');
  });

  const tooEarly = 'parked for a missing purchase before the wait was over';
  const parkedAfter = (ms: number) => (): object => ({
    type: 'IntentParked',
    at: own.recordedAt + ms,
    reason: 'missing-purchase',
    lane: 'continue',
  });

  it.each([
    ['that nobody has told', null],
    ['that was told before it', { laneId: own.laneId, seq: own.seq - 1 }],
  ] as const)('parks when it has waited long enough for one %s, not before', (_which, row) => {
    expect(told(row, parkedAfter(waitMs - 1))).toContain(tooEarly);
    expect(told(row, parkedAfter(waitMs))).not.toContain(tooEarly);
  });

  it('parks at once where it turns out to be of another member, who was told of it later: a person must look', () => {
    expect(told(placeOf(later), parkedAfter(0))).not.toContain(tooEarly);
  });

  it('is begun, where the program says so, when it has waited long enough for one that nobody has told', () => {
    const sentAfter = (ms: number): string[] => {
      const begun = (each: EventRow): EventRow =>
        each.event.type === 'AttemptBegun' ? { ...each, event: { ...each.event, at: own.recordedAt + ms } } : each;
      const lanes = [...world.lanes].map((lane) => {
        const events = lane.events.map((each) => (each.seq === own.seq ? begun(each) : each));
        return lane.lane.laneId === own.laneId ? { ...lane, events } : lane;
      });
      return told(null, () => ({}), lanes, 'post');
    };
    const tooSoon = 'begun before the purchase of the key it waits for was delivered';
    expect(sentAfter(missingPurchase.waitMs - 1)).toContain(tooSoon);
    expect(sentAfter(missingPurchase.waitMs)).not.toContain(tooSoon);
  });

  it.each([
    ['is marked as taken back', { kind: 'mark' }],
    ['lies behind it in its own lane', { laneId: own.laneId, seq: own.seq + 1 }],
  ] as const)('parks at once where that %s', (_which, row) => {
    expect(told(row, parkedAfter(1))).not.toContain(tooEarly);
  });

  it('parks at once where that is parked, and breaks I24 where it stays behind what is parked no longer', () => {
    const sale = later;
    const refused = { type: 'IntentParked', at: own.recordedAt, reason: 'rejected', lane: 'continue' } as const;
    const lanes = [...world.lanes].map((lane) => {
      const isSale = (each: EventRow): boolean => lane.lane.laneId === sale.laneId && each.seq === sale.seq;
      return { ...lane, events: lane.events.map((each) => (isSale(each) ? { ...each, event: refused } : each)) };
    });
    const awaits = { laneId: sale.laneId, seq: sale.seq };
    const behind = (): object => ({ ...parkedAfter(1)(), awaits });
    const stays = 'parked behind what is parked no longer';
    expect(told(placeOf(sale), behind, lanes)).not.toContain(tooEarly);
    expect(told(placeOf(sale), behind, lanes)).not.toContain(stays);
    expect(told(placeOf(sale), behind)).toContain(stays);
  });

  it('parks at once where a void came before that, and disagreed with it', () => {
    const sale = later;
    const isOf = ({ lane }: LaneHistory): boolean => lane.laneId === sale.laneId;
    const contested = { type: 'IntentParked', at: own.recordedAt + 9, reason: 'conflict', lane: 'continue' } as const;
    const lanes = [...world.lanes].map((lane) => {
      const events = lane.events.map((each) => (each.seq === sale.seq ? { ...each, event: contested } : each));
      return isOf(lane) ? { ...lane, events } : lane;
    });
    expect(told(placeOf(sale), parkedAfter(1), lanes)).not.toContain(tooEarly);
  });
});

describe('what was parked for a lost worker, and lets its lane go on although the file says block', () => {
  const toldWhere = (erasedSeq: (seq: number) => number): string[] => {
    const isPark = ({ event }: EventRow): boolean => event.type === 'IntentParked' && event.lane === 'block';
    const history = withLane((lane) => {
      const park = lane.events.find(isPark);
      if (park?.event.type !== 'IntentParked') return null;
      const { seq, event, version } = park;
      const { at } = event;
      const lost = { type: 'AttemptUnknown', at, attempt: 1, code: 'worker-lost', checkAt: null } as const;
      const events = lane.events.flatMap((each): EventRow[] => {
        if (each.version !== version) return [each];
        return [
          { ...each, event: lost },
          { ...each, event: { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' } },
        ];
      });
      return { ...lane, lane: { ...lane.lane, erasedSeq: erasedSeq(seq) }, events };
    });
    return checkHistory(history)
      .filter(({ invariant, problem }) => invariant === 'I24' && problem.includes('parked with'))
      .map(({ problem }) => problem);
  };

  it('regression: is right where the member was erased, for an opt-out lies behind it', () => {
    expect(toldWhere((seq) => seq)).toEqual([]);
    expect(toldWhere((seq) => seq - 1)).toEqual(['parked with continue, the programs file says block']);
  });
});
