import { firstSteps } from './first-steps.js';
import type { DoctorReport, Stats } from './problem.js';

const at = '2026-11-27T03:00:00.000Z';

const worker = { id: 'p1', host: 'one', roles: ['ingest', 'delivery'], programs: 'a', startedAt: at, seenAt: at };

const empty: Stats = {
  at,
  ...{ intents: [], oldestPending: [], rates: [], blockedLanes: [], quarantine: [], valueAtRisk: [], pauses: [] },
  ...{ jobs: [], processes: [{ ...worker, isSelf: true }], partner: [], lag: null, recovery: null },
  figures: { processes: 1, silent: 0, ageSeconds: 1 },
  countedUntil: { lagSeconds: 0 },
};

const intents = (status: Stats['intents'][number]['status'], count: number): Stats['intents'][number] => ({
  ...{ program: 'coffee-club', operation: 'transaction', status, intents: count },
});

type Check = DoctorReport['checks'][number];

const good = ['postgres.connection', 'programs.file', 'kafka.topics.loyalty.members', 'partner.token'];

function doctorWith(...others: readonly Partial<Check>[]): DoctorReport {
  const plain = { state: 'ok', detail: '', remedy: null, page: 'operations/doctor.md' } as const;
  const checks = [...others, ...good.map((name) => ({ name }))].map((check) => ({ ...plain, name: '', ...check }));
  return { ok: true, checkedAt: at, durationMs: 5, checks };
}

const states = (stats: Stats, doctor: DoctorReport | null): readonly (string | undefined)[] | null =>
  firstSteps(stats, doctor)?.map(({ state }) => state) ?? null;

describe('the first steps', () => {
  it('are done up to the first event where all that is examined is well', () => {
    expect(states(empty, doctorWith())).toEqual(['done', 'done', 'done', 'done', 'done', 'open', 'open']);
  });

  it('are open as far as nobody has examined them', () => {
    expect(states(empty, null)).toEqual(['open', 'open', 'open', 'open', 'done', 'open', 'open']);
    const skipped = {
      ...doctorWith(),
      checks: doctorWith().checks.map((check) => ({ ...check, state: 'skipped' as const })),
    };
    expect(states(empty, skipped)?.slice(0, 4)).toEqual(['open', 'open', 'open', 'open']);
  });

  it('say what is wrong, what to do, and where more is said; a warning keeps nothing from working', () => {
    const failed: Partial<Check> = {
      ...{ name: 'kafka.topics.loyalty.rewards', detail: 'is missing', remedy: 'Create it.' },
      state: 'failed',
      page: 'operations/provisioning.md',
    };
    const [, programs, topics] =
      firstSteps(empty, doctorWith(failed, { name: 'programs.changes', state: 'warning' })) ?? [];
    expect(programs).toMatchObject({ state: 'done' });
    expect(topics).toMatchObject({
      ...{ state: 'wrong', text: 'kafka.topics.loyalty.rewards: is missing. Create it.' },
      page: 'operations/provisioning.md',
    });
  });

  it('name the role that nobody has', () => {
    const [, , , , workers] = firstSteps({ ...empty, processes: [] }, doctorWith()) ?? [];
    expect(workers).toMatchObject({ state: 'wrong', text: 'No process has the role ingest or delivery.' });
  });

  it('tell an event that was set aside from none, and a call that was refused', () => {
    const aside = firstSteps({ ...empty, quarantine: [{ reason: 'invalid', records: 1 }] }, doctorWith())?.at(-2);
    expect(aside).toMatchObject({ state: 'wrong', text: '1 record is set aside, and none was taken in.' });
    const parked = firstSteps({ ...empty, intents: [intents('parked', 2)] }, doctorWith())?.slice(-2);
    expect(parked?.map(({ state, text }) => [state, text])).toEqual([
      ['done', '2 intents recorded.'],
      ['wrong', '2 intents parked or in doubt, and none is delivered.'],
    ]);
  });

  it('are over with the first delivery', () => {
    expect(firstSteps({ ...empty, intents: [intents('delivered', 1), intents('parked', 2)] }, null)).toBeNull();
  });
});
