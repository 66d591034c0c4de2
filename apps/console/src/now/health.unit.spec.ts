import type { FailureGroup } from '../failures/causes.js';
import { deliveredLately, type Health, healthOf } from './health.js';
import type { DoctorReport, Looked, Stats } from './problem.js';

const at = '2026-11-27T03:00:00.000Z';

const process = {
  id: 'p1',
  host: 'one',
  roles: ['ingest', 'delivery', 'operations'],
  programs: 'abc',
  startedAt: at,
  seenAt: at,
  isSelf: true,
};

const partnerAt = (breaker: Stats['partner'][number]['breaker']): Stats['partner'][number] => ({
  ...{
    program: 'coffee-club',
    limit: 32,
    breaker,
    processes: 1,
    resting: breaker === 'closed' ? 0 : 1,
    inUse: 0,
    calls: 0,
  },
  ...{ since: null, cooldownUntil: null, latencyMs: null },
});

const calm: Stats = {
  at,
  intents: [{ program: 'coffee-club', operation: 'transaction', status: 'delivered', intents: 90_000 }],
  oldestPending: [],
  rates: [{ program: 'coffee-club', recordedPerSecond: 20, settledPerSecond: 20.04 }],
  blockedLanes: [],
  quarantine: [],
  valueAtRisk: [],
  pauses: [],
  jobs: [],
  processes: [process],
  partner: [partnerAt('closed')],
  lag: null,
  figures: { processes: 1, silent: 0, ageSeconds: 1 },
  recovery: null,
  countedUntil: { lagSeconds: 0 },
};

const refused: FailureGroup = {
  program: 'coffee-club',
  operation: 'transaction',
  status: 'parked',
  reason: 'rejected',
  code: 'http-400',
  fingerprint: 'f1',
  wording: null,
  common: { intents: 0, stores: [], sources: [] },
  intents: 320,
  members: 312,
  firstAt: '2026-11-27T02:41:00.000Z',
  lastAt: '2026-11-27T02:59:30.000Z',
  money: [{ currency: 'EUR', minor: 1_824_010, digits: 2 }],
  hours: [{ at: '2026-11-27T02:00:00.000Z', intents: 320 }],
  query: {},
};

const pause: Stats['pauses'][number] = {
  program: 'coffee-club',
  operation: null,
  factor: null,
  since: '2026-11-27T02:30:00.000Z',
  until: null,
  by: 'anna',
  reason: 'type 31 is being changed',
  automatic: false,
};

function doctorWith(
  checks: readonly Pick<DoctorReport['checks'][number], 'name' | 'state' | 'detail'>[],
): DoctorReport {
  return {
    ok: true,
    checkedAt: at,
    durationMs: 5,
    checks: checks.map((check) => ({ ...check, remedy: null, page: 'operations/doctor.md' })),
  };
}

interface Changes {
  readonly stats?: Partial<Stats>;
  readonly groups?: readonly FailureGroup[];
  readonly causes?: Looked['causes'];
  readonly doctor?: DoctorReport;
  readonly isWhole?: boolean;
}

function health({ stats = {}, groups = [], causes, doctor, isWhole = true }: Changes = {}): Health {
  const looked: Looked = {
    stats: { ...calm, ...stats },
    groups,
    causes,
    doctor: doctor ?? null,
    isWhole,
    timeText: (time) => time.slice(11, 16),
  };
  return healthOf(looked, { count: 1_204, isRate: false });
}

it('all is well', () => {
  expect(health()).toEqual({
    state: 'well',
    sentence: 'All well: 1,204 delivered in the last minute, nothing waits',
    worst: null,
    others: [],
  });
});

it('what is under way, or waits for something of its member, is well', () => {
  const intents = [
    { program: 'coffee-club', operation: 'transaction' as const, status: 'pending' as const, intents: 12 },
    { program: 'coffee-club', operation: 'transaction' as const, status: 'waiting' as const, intents: 3 },
  ];
  expect(health({ stats: { intents } }).sentence).toBe(
    'All well: 1,204 delivered in the last minute, 12 under way, 3 wait for something of their member',
  );
});

it('the partner refuses a whole operation', () => {
  expect(health({ groups: [refused] })).toMatchObject({
    state: 'broken',
    sentence: 'Partner refuses 320 purchases of coffee-club since 02:41: 312 members, EUR\u00a018,240.10 at stake',
    worst: { place: { to: '/failures', search: { group: 'coffee-club~transaction~parked~rejected~http-400~f1' } } },
  });
});

it('says which part of an operation is refused, and in which words', () => {
  const common = { intents: 200, stores: [{ name: 'hamburg', intents: 200 }], sources: [] };
  const wording = 'attributes.campaign: must be a string';
  expect(health({ groups: [{ ...refused, common, wording }] }).sentence).toBe(
    'Partner refuses 320 purchases of coffee-club since 02:41, the newest 200 all of store hamburg: 312 members, EUR\u00a018,240.10 at stake. It says: attributes.campaign: must be a string',
  );
});

it('says of paused outcomes that no evidence is looked for', () => {
  const unknown = { ...refused, status: 'unknown' as const, reason: null, intents: 27 };
  const pauses = [pause];
  expect(health({ groups: [unknown], stats: { pauses } })).toMatchObject({
    sentence:
      '27 outcomes not known, the oldest since 02:41: no evidence is looked for while they are paused, their members wait',
  });
  const other = { ...unknown, program: 'tea-club', intents: 3 };
  expect(health({ groups: [unknown, other], stats: { pauses } }).sentence).toContain(
    'evidence is looked for, but not of the 27 that are paused',
  );
});

it('what was refused a while ago needs a person, and no alarm', () => {
  const old = { ...refused, intents: 2, members: 1, lastAt: refused.firstAt, hours: [] };
  expect(health({ groups: [old] })).toMatchObject({
    state: 'attention',
    sentence:
      '2 purchases of coffee-club are parked since 02:41: refused by the partner; 1 member, EUR\u00a018,240.10 at stake',
  });
});

it('says what is parked, and why', () => {
  const parked = { ...refused, reason: 'missing-pass', intents: 1, members: 1, money: [] };
  expect(health({ groups: [{ ...parked, intents: 30 }] }).state).toBe('attention');
  expect(health({ groups: [parked] }).sentence).toBe(
    '1 purchase of coffee-club is parked since 02:41: the member got no pass; 1 member',
  );
});

it('nobody delivers, nobody takes in', () => {
  const { state, sentence, others } = health({ stats: { processes: [{ ...process, roles: ['operations'] }] } });
  expect(state).toBe('broken');
  expect(sentence).toBe('Nobody delivers: no process has the role delivery; 0 intents wait');
  expect(others.map(({ id }) => id)).toEqual(['role-ingest']);
});

it('a token limited to programs is told of no processes: that says nothing', () => {
  expect(health({ stats: { processes: [] }, isWhole: false }).state).toBe('well');
});

it.each([
  [pause, 'attention', 'coffee-club is paused by anna since 02:30: "type 31 is being changed"'],
  [{ ...pause, program: null }, 'broken', 'Everything is paused by anna since 02:30: "type 31 is being changed"'],
  [
    { ...pause, operation: 'transaction', automatic: true, reason: '404' },
    'broken',
    'Purchases of coffee-club are paused by delivery itself, as the partner fails nearly all such calls, since 02:30: "404"',
  ],
  [
    { ...pause, program: null, operation: 'reward' },
    'broken',
    'All rewards are paused by anna since 02:30: "type 31 is being changed"',
  ],
] as const)('says what is paused, and by whom', (paused, state, sentence) => {
  expect(health({ stats: { pauses: [paused] } })).toMatchObject({ state, sentence });
});

it.each([
  ['open', 'broken', 'Partner does not answer for coffee-club: 7 intents wait, nothing is lost'],
  [
    'probing',
    'broken',
    'Partner did not answer: a lookup asks whether it is back for coffee-club: 7 intents wait, nothing is lost',
  ],
  [
    'trying',
    'attention',
    'Partner is back after a rest: one call is tried for coffee-club: 7 intents wait, nothing is lost',
  ],
] as const)('the partner rests: %s', (breaker, state, sentence) => {
  const intents = [{ program: 'coffee-club', operation: 'reward' as const, status: 'pending' as const, intents: 7 }];
  const partner = [partnerAt(breaker)];
  expect(health({ stats: { partner, intents } })).toMatchObject({ state, sentence });
});

it('the partner rests, and a pause holds all that would ask whether it is back: the pause is the reason', () => {
  const intents = [{ program: 'coffee-club', operation: 'reward' as const, status: 'pending' as const, intents: 7 }];
  const partner = [partnerAt('probing')];
  const idsBy = (operation: 'reward' | 'transaction'): readonly string[] => {
    const found = health({ stats: { partner, intents, pauses: [{ ...pause, operation }] } });
    return [found.sentence, ...found.others.map(({ text }) => text)];
  };
  expect(idsBy('reward').join()).not.toContain('asks whether it is back');
  expect(idsBy('transaction').join()).toContain('asks whether it is back');
});

it('late without a reason that anything tells', () => {
  const oldestPending = [{ program: 'coffee-club', since: at, seconds: 2_700, isPart: false }];
  expect(health({ stats: { oldestPending } })).toMatchObject({
    state: 'broken',
    sentence: 'Delivery of coffee-club is late: the oldest intent has waited for 45 min',
  });
  expect(health({ stats: { oldestPending, pauses: [pause] } }).others).toEqual([]);
});

it('ingest is behind', () => {
  const doctor = doctorWith([{ name: 'kafka.lag', state: 'warning', detail: 'loyalty.purchases 120000 behind' }]);
  expect(health({ doctor })).toMatchObject({
    state: 'attention',
    sentence: 'Ingest is behind: loyalty.purchases 120000 behind',
  });
  const lagOf = (oldestSeconds: number | null) => ({ records: 120_000, oldestSeconds, topics: [] });
  expect(health({ doctor, stats: { lag: lagOf(720) } })).toMatchObject({
    state: 'attention',
    sentence: 'Kafka is 120,000 records (12 min) ahead of what is taken in',
    others: [],
  });
  expect(health({ doctor, stats: { lag: lagOf(null) } }).state).toBe('well');
});

it('what the examination only warns of is a note', () => {
  const doctor = doctorWith([
    { name: 'kafka.retention', state: 'warning', detail: 'three days' },
    { name: 'clock.postgres', state: 'ok', detail: 'right' },
  ]);
  expect(health({ doctor })).toMatchObject({
    state: 'well',
    others: [{ text: 'Check kafka.retention warns: three days' }],
  });
});

it('what the examination found broken: what nothing works without, and what is a risk', () => {
  const doctor = doctorWith([
    { name: 'postgres.settings.fsync', state: 'failed', detail: 'off' },
    { name: 'postgres.settings.full_page_writes', state: 'failed', detail: 'off' },
    { name: 'partner.token', state: 'failed', detail: 'wrong secret' },
  ]);
  const { state, sentence, others } = health({ doctor });
  expect(state).toBe('broken');
  expect(sentence).toBe('Check partner.token failed: wrong secret');
  expect(others.map(({ severity, text }) => [severity, text])).toEqual([
    ['attention', '2 checks failed: postgres.settings.fsync, ...'],
  ]);
});

it('unknown outcomes: some for a moment are well, many are not', () => {
  const unknown = {
    ...refused,
    status: 'unknown' as const,
    reason: null,
    intents: 3,
    firstAt: '2026-11-27T02:58:00.000Z',
  };
  expect(health({ groups: [unknown] })).toMatchObject({ state: 'well', others: [{ id: 'unknown' }] });
  expect(health({ groups: [{ ...unknown, firstAt: '2026-11-27T02:00:00.000Z' }] }).state).toBe('attention');
  expect(health({ groups: [{ ...unknown, intents: 27 }] })).toMatchObject({
    state: 'broken',
    sentence: '27 outcomes not known, the oldest since 02:58: evidence is looked for, their members wait',
  });
});

it('quarantine, what a restore left, stopped jobs, files that differ, figures that are late', () => {
  const { state, sentence, others } = health({
    stats: {
      quarantine: [
        { reason: 'invalid', records: 2 },
        { reason: 'unknown-program', records: 40 },
      ],
      recovery: { recoveredFrom: at, startedAt: at, producedUntil: at, open: 4, undecided: 12 },
      jobs: [
        {
          id: 'r1',
          kind: 'replay',
          state: 'stopped',
          error: 'the first failed again',
          reason: 'x',
          createdAt: at,
          createdBy: 'anna',
        },
      ],
      processes: [process, { ...process, id: 'p2', programs: 'other' }],
      countedUntil: { lagSeconds: 150 },
    },
  });
  expect(state).toBe('attention');
  expect([sentence, ...others.map(({ text }) => text)]).toEqual([
    'In doubt since the restore: 12 intents must be decided by a person',
    'Processes work by 2 different programs files',
    'Replay r1 has stopped itself: the first failed again',
    '42 records set aside as unusable, most of them unknown-program',
    'These figures are 2 min 30 s behind: deliveries are counted later than they happen',
  ]);
  // One that has stopped itself is gone to at once, not by way of the list.
  expect(others.find(({ id }) => id === 'job-r1')?.place).toMatchObject({
    to: '/jobs/$kind/$id',
    params: { kind: 'replay', id: 'r1' },
  });
});

it('the worst comes first: nobody delivers, the partner rests, a pause, refusals', () => {
  const { worst, others } = health({
    groups: [refused],
    stats: {
      pauses: [pause],
      processes: [{ ...process, roles: ['ingest', 'operations'] }],
      partner: [partnerAt('open')],
    },
  });
  expect([worst, ...others].map((trouble) => trouble?.id)).toEqual([
    'role-delivery',
    'breaker-coffee-club',
    'coffee-club~transaction~parked~rejected~http-400~f1',
    'pause-["coffee-club",null,null]',
  ]);
});

describe('what was delivered lately', () => {
  const items = [
    { at: '2026-11-27T02:58:00.000Z', delivered: 1_204 },
    { at: '2026-11-27T02:59:00.000Z', delivered: 17 },
    { at: '2026-11-27T03:00:00.000Z', delivered: null },
  ];

  it('is what the last counted minute brought', () => {
    expect(deliveredLately(calm, { stepSeconds: 60, items })).toEqual({ count: 17, isRate: false });
    const behind = { ...calm, countedUntil: { lagSeconds: 20 } };
    expect(deliveredLately(behind, { stepSeconds: 60, items })).toEqual({ count: 1_204, isRate: false });
  });

  it('else how fast it goes', () => {
    expect(deliveredLately(calm, null)).toEqual({ count: 1_202, isRate: true });
    expect(deliveredLately(calm, { stepSeconds: 300, items })).toEqual({ count: 1_202, isRate: true });
    expect(deliveredLately({ ...calm, rates: [] }, null)).toBeNull();
  });
});

it('names a bad till as it names a bad store: how many, since when, who sent them, which rule and what is at stake', () => {
  const rule = 'data.total.minor: expected number, received string';
  const cause = {
    ...{ reason: 'invalid', cause: rule, detail: rule, records: 30, newest: 597, lastAt: at, hours: [], stores: [] },
    ...{ firstAt: at, money: [{ minor: 58_500, currency: 'EUR', digits: 2 }] },
    sources: [{ name: '/pos/graz/till-3', records: 30 }],
  };
  const quarantine = [{ reason: 'invalid', records: 42 }];
  const { sentence, worst, others } = health({ stats: { quarantine }, causes: [cause] });
  expect(sentence).toBe(
    `30 records are set aside since 03:00, all from /pos/graz/till-3: invalid, ${rule}; EUR\u00a0585.00 at stake`,
  );
  expect(worst?.place).toMatchObject({ search: { reason: 'invalid', cause: rule, source: '/pos/graz/till-3' } });
  expect(others.map(({ text }) => text)).toContain('12 records set aside for other causes');
});
