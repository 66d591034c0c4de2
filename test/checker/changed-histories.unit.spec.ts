import fc from 'fast-check';

import type { DedupRow, EventRow, History, InvariantId, LaneHistory, PartnerRequest, RunHistory } from './index.js';
import { checkHistory, judgeHistory } from './index.js';
import type { Plan } from './model/plan.js';
import { plans } from './model/plan.js';
import { runModel } from './model/run-model.js';

/** A correct history in which everything happened that these cases change. */
const base = ((): History => {
  const candidates = fc.sample(plans, { numRuns: 400, seed: 5 });
  const rich = (plan: Plan): boolean => {
    const history = runModel({ ...plan, trouble: 0.3, records: 40 });
    const { figures } = judgeHistory(history);
    const isClean = checkHistory(history).length === 0;
    return (
      isClean &&
      figures.delivered > 15 &&
      (figures.resolutions['applied: pass-found'] ?? 0) > 0 &&
      (figures.resolutions['applied: duplicate-refusal'] ?? 0) > 0 &&
      figures.cancelled > 0
    );
  };
  const plan = candidates.find(rich);
  if (plan === undefined) throw new Error('no plan is rich enough');
  return runModel({ ...plan, trouble: 0.3, records: 40 });
})();

function withRun(change: Partial<RunHistory>): History {
  return { ...base, run: { ...base.run, ...change } };
}

function withNotes(change: Partial<RunHistory['notes']>): History {
  return withRun({ notes: { ...base.run.notes, ...change } });
}

/** Changes the first lane for which `change` knows what to do. */
function withLane(change: (lane: LaneHistory) => LaneHistory | null): History {
  const lanes = [...base.lanes];
  const index = lanes.findIndex((lane) => change(lane) !== null);
  const changed = index === -1 ? null : change(lanes[index]!);
  if (changed === null) throw new Error('no lane to change');
  // What is changed here was never seen otherwise.
  lanes[index] = { ...changed, samples: [] };
  return { ...base, lanes };
}

function brokenBy(history: History): InvariantId[] {
  const violations = checkHistory(history);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

/** Replaces the first event of the type; the lane must have one. */
function changeEvent(lane: LaneHistory, type: string, change: (row: EventRow) => EventRow): LaneHistory | null {
  const index = lane.events.findIndex(({ event }) => event.type === type);
  const row = lane.events[index];
  return row === undefined ? null : { ...lane, events: lane.events.with(index, change(row)) };
}

/** Says more of the request that an event answers; the event must name one. */
function markRequest(lane: LaneHistory, row: EventRow | undefined, mark: Partial<PartnerRequest>): LaneHistory | null {
  const { requestId = null } = row ?? {};
  if (requestId === null) return null;
  const requests = (lane.requests ?? []).map((one) => (one.requestId === requestId ? { ...one, ...mark } : one));
  return { ...lane, requests };
}

const firstRequest = (base.run.requests ?? [])[0]!;
const calm: PartnerRequest = { ...firstRequest, operation: 'lookup', status: 200, retryAfterMs: null };

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
    () => withRun({ log: base.run.log.filter(({ topic }) => topic !== 'rewards') }),
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
      withLane((lane) => {
        const last = lane.lane.version;
        const reward = lane.effects.find(({ operation }) => operation === 'reward');
        const told = lane.events.find(
          ({ event, requestId }) => event.type === 'AttemptApplied' && requestId === reward?.requestId,
        );
        if (reward === undefined || told === undefined) return null;
        const at = told.event.at + 1_000;
        const again = (event: EventRow['event'], version: number): EventRow => ({
          seq: told.seq,
          version,
          epoch: lane.lane.epoch,
          event,
        });
        const events = [
          again({ type: 'AttemptBegun', at, attempt: 9 }, last + 1),
          again({ type: 'AttemptApplied', at, attempt: 9 }, last + 2),
        ];
        const effect = { ...reward, seq: 9_999, requestId: 'another', arrivedAt: at, appliedAt: at };
        const effects = [...lane.effects, effect];
        return { ...lane, lane: { ...lane.lane, version: last + 2 }, events: [...lane.events, ...events], effects };
      }),
  ],
  [
    'an effect is taken away',
    'I8',
    () =>
      withLane((lane) => {
        const delivered = lane.events.some(({ event }) => event.type === 'AttemptApplied');
        return delivered ? { ...lane, effects: [] } : null;
      }),
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
      withLane((lane) => {
        const { effects } = lane;
        return effects.length === 0
          ? null
          : { ...lane, events: lane.events.filter(({ event }) => event.type !== 'AttemptBegun') };
      }),
  ],
  [
    'an outcome is recorded twice',
    'I10',
    () =>
      withLane((lane) => {
        const row = lane.events.find(({ event }) => event.type === 'AttemptApplied');
        return row === undefined
          ? null
          : {
              ...lane,
              events: [...lane.events, { ...row, version: lane.lane.version + 1 }],
              lane: { ...lane.lane, version: lane.lane.version + 1 },
            };
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
    () => withLane((lane) => ({ ...lane, lane: { ...lane.lane, redo: [1], current: 1 } })),
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
    () => withRun({ outcomes: (base.run.outcomes ?? []).filter(({ id }) => id !== base.run.outcomes?.[0]?.id) }),
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
      return withRun({ programs: { [program]: { ...policy, limits } }, requests });
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
        const version = lane.lane.version + 1;
        const begin: EventRow = {
          ...row,
          version,
          epoch: lane.lane.epoch,
          event: { type: 'AttemptBegun', at: row.event.at + 1, attempt: 1 },
        };
        return { ...lane, lane: { ...lane.lane, version }, events: [...lane.events, begin] };
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
        return markRequest(lane, lane.events[at - 1], { isOfFailed: true });
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

describe('a correct history in which one thing is changed', () => {
  it('is correct before', () => {
    expect(brokenBy(base)).toEqual([]);
  });

  it.each(cases)('%s: breaks %s', (_what, invariant, history) => {
    expect(brokenBy(history())).toContain(invariant);
  });

  it('keeps a rest once every replica has had time to hear of it', () => {
    const rest = { ...calm, status: 429, retryAfterMs: 20_000, arrivedAt: 1_000, endedAt: 1_010 };
    const requests = [rest, { ...calm, arrivedAt: 2_900, endedAt: 2_910 }];
    const brokenWhere = (reportMs: number): InvariantId[] =>
      brokenBy({ ...base, run: { ...withNotes({ reportMs }).run, requests } });
    expect(brokenWhere(500)).toContain('I20');
    expect(brokenWhere(1_300)).not.toContain('I20');
  });

  it('may have an intent of a record that could not be taken, where an operator put it back in', () => {
    const put = (isResubmitted: boolean): History => {
      const history = withLane((lane) => {
        const [first, ...rest] = lane.intents;
        return first === undefined ? null : { ...lane, intents: [{ ...first, isResubmitted }, ...rest] };
      });
      const { topic, partition, offset } = [...history.lanes].find((lane) => lane.intents.length > 0)!.intents[0]!;
      const log = base.run.log.map((record) => {
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
  /** A proof whose effect is gone from the ledger, beside another system's. */
  const proved = (evidence: string, isTheirs: boolean): History => {
    const partner = { ...base.run.notes.partner, othersUseOurValues: false };
    return { ...changed(evidence, isTheirs), run: withNotes({ partner }).run };
  };

  const changed = (evidence: string, isTheirs: boolean): History =>
    withLane((lane) => {
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

  const sales: readonly Sale[] = [...base.lanes].flatMap(({ lane: { laneId }, intents, events }) =>
    intents.flatMap(({ seq, recordedAt, operation }) => {
      const timeOf = (type: string): number | undefined =>
        events.find((row) => row.seq === seq && row.event.type === type)?.event.at;
      const [begunAt, deliveredAt] = [timeOf('AttemptBegun'), timeOf('AttemptApplied')];
      if (operation !== 'transaction' || begunAt === undefined || deliveredAt === undefined) return [];
      return [{ laneId, seq, recordedAt, begunAt, deliveredAt }];
    }),
  );
  const earlierThan = (sale: Sale): Sale | undefined =>
    sales.find(({ laneId, deliveredAt }) => laneId !== sale.laneId && deliveredAt < sale.begunAt);
  const laterThan = (sale: Sale): Sale | undefined =>
    sales.find(({ laneId, deliveredAt }) => laneId !== sale.laneId && deliveredAt > sale.begunAt);
  const own = sales.find((sale) => earlierThan(sale) !== undefined && laterThan(sale) !== undefined)!;

  /** One delivered sale waits for a key under which stands what is given. */
  const told = (
    row: Partial<DedupRow> | null,
    change: (event: EventRow) => object = () => ({}),
    from: readonly LaneHistory[] = [...base.lanes],
  ): string[] => {
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
    const history = { run: { ...base.run, dedup: [...base.run.dedup, ...dedup] }, lanes };
    return checkHistory(history)
      .filter(({ invariant }) => invariant === 'I24')
      .map(({ problem }) => problem);
  };

  const placeOf = (sale: Sale | undefined): Partial<DedupRow> => ({
    laneId: sale?.laneId ?? null,
    seq: sale?.seq ?? null,
  });

  it('is begun when that is delivered, in whatever lane', () => {
    expect(told(placeOf(earlierThan(own)))).toEqual([]);
  });

  it.each([
    ['nobody has told it', null],
    ['it is marked as taken back', { kind: 'mark' }],
    ['it is delivered later', placeOf(laterThan(own))],
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
    ['that is under way', placeOf(laterThan(own))],
  ] as const)('parks when it has waited long enough for one %s, not before', (_which, row) => {
    expect(told(row, parkedAfter(119_999))).toContain(tooEarly);
    expect(told(row, parkedAfter(120_000))).not.toContain(tooEarly);
  });

  it.each([
    ['is marked as taken back', { kind: 'mark' }],
    ['lies behind it in its own lane', { laneId: own.laneId, seq: own.seq + 1 }],
  ] as const)('parks at once where that %s', (_which, row) => {
    expect(told(row, parkedAfter(1))).not.toContain(tooEarly);
  });

  it('parks at once where that is parked, and breaks I24 where it stays behind what is parked no longer', () => {
    const sale = laterThan(own);
    const refused = { type: 'IntentParked', at: own.recordedAt, reason: 'rejected', lane: 'continue' } as const;
    const lanes = [...base.lanes].map((lane) => {
      const isSale = (each: EventRow): boolean => lane.lane.laneId === sale?.laneId && each.seq === sale.seq;
      return { ...lane, events: lane.events.map((each) => (isSale(each) ? { ...each, event: refused } : each)) };
    });
    const awaits = { laneId: sale?.laneId, seq: sale?.seq };
    const behind = (): object => ({ ...parkedAfter(1)(), awaits });
    const stays = 'parked behind what is parked no longer';
    expect(told(placeOf(sale), behind, lanes)).not.toContain(tooEarly);
    expect(told(placeOf(sale), behind, lanes)).not.toContain(stays);
    expect(told(placeOf(sale), behind)).toContain(stays);
  });

  it('parks at once where a void came before that, and disagreed with it', () => {
    const sale = laterThan(own);
    const isOf = ({ lane }: LaneHistory): boolean => lane.laneId === sale?.laneId;
    const contested = { type: 'IntentParked', at: own.recordedAt + 9, reason: 'conflict', lane: 'continue' } as const;
    const lanes = [...base.lanes].map((lane) => {
      const events = lane.events.map((each) => (each.seq === sale?.seq ? { ...each, event: contested } : each));
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
