import type { EventPlanner, PartnerCommand, TransactionCommand } from '#intents/core';
import { plannedAnewBy } from '#intents/core';

import type { Lease } from '../../testing/lease.js';
import { begin, beginOf, claim, completion, leaseOf, record, stepOf } from '../../testing/lease.js';
import { enrolment, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { loadPlanned } from '../operator/load-planned.js';
import type { ClaimedIntent } from './claimed-lane.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
  await till.record(purchase('p1', 'm1'));
});

afterEach(() => store.close());

/** The file that routed what the specs record. */
const ownHash = Buffer.alloc(16, 1).toString('hex');

const planUnmapped = (): never => {
  throw new Error('each has a call');
};

const sendsKept = (): boolean => false;

/** Plans another transaction type, as a mended file would. */
function planner(transactionTypeId: string, programsHash = transactionTypeId): EventPlanner {
  const plan: EventPlanner['plan'] = ({ command }) => ({ ...command, transactionTypeId }) as PartnerCommand;
  return { programsHash, plan, planUnmapped, sendsKept };
}

const typeOf = ({ command }: Pick<ClaimedIntent, 'command'>): string =>
  (command as TransactionCommand | null)?.transactionTypeId ?? '';

interface Claimed {
  readonly lease: Lease;
  readonly intent: ClaimedIntent;
}

async function claimed(by: EventPlanner): Promise<Claimed> {
  await store.sql('UPDATE lane SET due_at = $1::timestamptz, owner = NULL', new Date(now).toISOString());
  const [lane] = await claim(store, { planner: by });
  const intent = lane?.intents.get(1);
  if (lane === undefined || intent === undefined) throw new Error('nothing was claimed');
  return { lease: leaseOf(lane), intent };
}

/** Begins the attempt as delivery does: what was planned anew is appended with it. */
async function send({ lease, intent }: Claimed): Promise<Lease> {
  const { plannedAnew } = intent;
  if (plannedAnew === undefined) return begin(store, lease);
  const event = { type: 'IntentCorrected', at: now, ...plannedAnewBy } as const;
  const events = [{ seq: lease.seq, event, evidence: plannedAnew }];
  const attempt = lease.attempt + 1;
  const step = stepOf(lease, { completion: { ...completion(lease, 'stay'), events }, begin: beginOf(1, attempt) });
  expect(await record(store, step)).toMatchObject({ begun: true });
  return { ...lease, attempt, attemptOpen: true };
}

const turnedAway = ({ attempt }: Lease) =>
  ({ type: 'AttemptNotApplied', at: now, attempt, code: 'http-503', answered: true, retryAt: now }) as const;
const lost = ({ attempt }: Lease) =>
  ({ type: 'AttemptUnknown', at: now, attempt, code: 'timeout', checkAt: now }) as const;
const ends = async (lease: Lease, event: ReturnType<typeof turnedAway> | ReturnType<typeof lost>): Promise<void> => {
  const kind = event.type === 'AttemptUnknown' ? 'doubt' : 'retry';
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events: [event], dueAt: now }) }));
};

describe('what never left', () => {
  it('is planned by what has been said of its member, where it enrols them', async () => {
    const { verdict, ...enrolled } = enrolment('e1', 'm2');
    await till.record({ ...enrolled, verdict: { ...verdict, profilePosition: { sequence: null, timeMs: now } } });
    const marks: (readonly string[] | null)[] = [];
    const asking = (programsHash: string): EventPlanner => ({
      ...{ programsHash, planUnmapped, sendsKept },
      plan: ({ command, marks: known }) => {
        marks.push(known === null ? null : [...known.keys()]);
        return command;
      },
    });
    const places = await store.sql<{ laneId: number; seq: number }>(
      'SELECT lane_id AS "laneId", seq FROM intent ORDER BY recorded_at, lane_id',
    );
    await claim(store, { planner: asking('ff') });
    await loadPlanned(store.database, places, { planner: asking('ff'), keys: store.keys.members });
    expect(marks).toEqual([null, expect.arrayContaining(['@enrolment']), null, expect.arrayContaining(['@enrolment'])]);
  });

  it('is sent by the file of now, and what was planned is recorded with its first attempt', async () => {
    const first = await claimed(planner('32'));
    expect(typeOf(first.intent)).toBe('32');
    await ends(await send(first), turnedAway({ ...first.lease, attempt: 1 }));
    const again = await claimed(planner('32'));
    expect([typeOf(again.intent), again.intent.plannedAnew]).toEqual(['32', undefined]);
  });

  it('is planned by no file that has planned it already, and back where that is in force again', async () => {
    const own = await claimed({
      ...{ programsHash: ownHash, planUnmapped, sendsKept },
      plan: () => {
        throw new Error('it is planned already');
      },
    });
    expect([typeOf(own.intent), own.intent.plannedAnew]).toEqual(['31', undefined]);
    const other = await claimed(planner('32'));
    await ends(await send(other), turnedAway({ ...other.lease, attempt: 1 }));
    const back = await claimed(planner('31', ownHash));
    expect(typeOf(back.intent)).toBe('31');
    expect(back.intent.plannedAnew).toBeDefined();
  });

  it('keeps what a person has corrected on top', async () => {
    const place = { laneId: (await claimed(planner('31', ownHash))).lease.laneId, seq: 1 };
    const revise = (current: PartnerCommand | null) => ({
      ...{ command: { ...(current as TransactionCommand), amount: '12.34' }, changed: ['amount'], privileged: [] },
    });
    const audit = { at: now + 5, actor: 'ada', address: null, reason: 'the till had the wrong amount' };
    await new IntentActionRepository(store.database, store.newMemberKeys()).correct({ place, revise, audit });
    const { intent } = await claimed(planner('32'));
    expect(intent.command).toMatchObject({ transactionTypeId: '32', amount: '12.34' });
  });
});

describe('what the daemon itself has corrected for another reason', () => {
  it('regression: stays on top of the newest plan, and is taken for none', async () => {
    const first = await claimed(planner('32'));
    await ends(await send(first), turnedAway({ ...first.lease, attempt: 1 }));
    const revise = (current: PartnerCommand | null) => ({
      ...{ command: { ...(current as TransactionCommand), amount: '12.34' }, changed: ['amount'], privileged: [] },
    });
    const audit = { at: now + 5, actor: plannedAnewBy.by, address: null, reason: 'enrolled-again' };
    const place = { laneId: first.lease.laneId, seq: 1 };
    await new IntentActionRepository(store.database, store.newMemberKeys()).correct({ place, revise, audit });
    const { intent } = await claimed(planner('33'));
    expect(intent.command).toMatchObject({ transactionTypeId: '33', amount: '12.34' });
  });
});

describe('what is in doubt', () => {
  it('stays as it was sent, whatever file comes', async () => {
    const first = await claimed(planner('32'));
    await ends(await send(first), lost({ ...first.lease, attempt: 1 }));
    const { intent } = await claimed(planner('33'));
    expect([typeOf(intent), intent.plannedAnew]).toEqual(['32', undefined]);
    const place = { laneId: first.lease.laneId, seq: 1 };
    const keys = store.newMemberKeys();
    expect(await loadPlanned(store.database, [place], { planner: planner('33'), keys })).toMatchObject([
      { ...place, current: { transactionTypeId: '32' }, next: { transactionTypeId: '32' } },
    ]);
  });
});

describe('what would be sent', () => {
  it('is shown beside what it says', async () => {
    const [{ laneId } = { laneId: 0 }] = await store.sql<{ laneId: number }>(
      'SELECT lane_id AS "laneId" FROM member WHERE program_id = $1',
      program,
    );
    const keys = store.newMemberKeys();
    expect(await loadPlanned(store.database, [{ laneId, seq: 1 }], { planner: planner('32'), keys })).toMatchObject([
      { current: { transactionTypeId: '31' }, next: { transactionTypeId: '32' } },
    ]);
  });
});
