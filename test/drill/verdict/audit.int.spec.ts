import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import type { Told } from '../traffic/emission.js';
import { audit, readFigures } from './audit.js';

let test: TestDatabase;
const run = (text: string): Promise<unknown> => queryOnce(test.ownerUrl, text);

const place = 'loyalty.purchases/0';

/** Intents of one member: what happened to each, in its order. */
async function tell(member: string, lane: { id: number; state: string }, intents: readonly (readonly string[])[]) {
  const { id, state } = lane;
  await run(
    `INSERT INTO lane (lane_id, program_id, state) OVERRIDING SYSTEM VALUE VALUES (${id}, 'coffee-club', '${state}')`,
  );
  await run(
    `INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (${id}, 'coffee-club', '${member}', now())`,
  );
  for (const [index, events] of intents.entries()) {
    const seq = index + 1;
    await run(`INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at,
      recorded_at, topic, partition, kafka_offset, programs_hash, amount, currency, store_id, purchase_id)
      VALUES (${id}, ${seq}, ${seq}, 'transaction', '\\x00', '\\x00', 'loyalty.purchase.completed.v1', now(), now(), now(),
      'loyalty.purchases', 0, ${id * 10 + seq}, '\\x00', ${seq}.00, 'EUR', 'berlin', '${member}-${seq}')`);
    for (const [step, event] of events.entries()) {
      const [type, data = null] = event.split(' ', 2);
      await run(`INSERT INTO intent_event (lane_id, seq, version, type, attempt, epoch, at, data)
        VALUES (${id}, ${seq}, ${seq * 100 + step}, '${type ?? ''}', 1, 1, now(), ${data === null ? 'NULL' : `'${data}'`})`);
    }
  }
}

const sale = (memberId: string, number: number): Told => {
  const [key, purchase] = [`b-${number}`, `coffee-club berlin ${memberId}-${number}`];
  const told = { operation: 'transaction', memberId, key, minor: 100 * number, purchase } as const;
  return { ...told, thing: `sale ${purchase}`, takesBack: null, isOwed: true };
};

const inDoubt = 'AttemptUnknown {"code":"reset"}';
const asksAgain = 'ResendDecided {"basis":"unique-attribute"}';
const refused = (code: string): string => `AttemptRejected {"code":"${code}"}`;
const parked = (reason: string): string => `IntentParked {"reason":"${reason}","lane":"continue"}`;

beforeAll(async () => {
  test = await testDatabase();
  await run('CREATE SCHEMA wallet_sandbox');
  await run(`CREATE TABLE wallet_sandbox.ledger (seq int, operation text, brand_id text, program_id text, pass_id bigint,
    unique_id text, key text, target_id text, request_id text, arrived_at timestamptz, applied_at timestamptz, body jsonb)`);
  await tell('ada', { id: 1, state: 'blocked' }, [['WaitingBegan {"for":"pass"}'], [parked('rejected')], []]);
  await tell('bob', { id: 2, state: 'live' }, [['WaitingBegan {"for":"pass"}']]);
  await tell('cleo', { id: 3, state: 'live' }, [
    ['AttemptBegun', inDoubt, parked('unknown-outcome')],
    ['AttemptBegun', inDoubt, asksAgain, 'AttemptBegun', refused('refused'), parked('unknown-outcome')],
  ]);
});

afterAll(() => test.dispose());

describe('what the audit reads', () => {
  it('tells what waits behind what is parked from what is lost', async () => {
    const owed = [sale('ada', 1), sale('ada', 2), sale('ada', 3), sale('bob', 1)];
    const report = await audit(owed, { truth: test.ownerUrl, wallet: test.ownerUrl });
    expect(report.excused).toEqual({ 'behind what is parked': 2, 'IntentParked rejected': 1 });
    expect(report.lost).toEqual([owed[3]]);
  });

  it('names what was parked as unknown without having been asked', async () => {
    const { overParked } = await readFigures(test.ownerUrl);
    expect(overParked).toEqual([
      { memberId: 'cleo', operation: 'transaction', place: `${place}/31`, answers: ['AttemptUnknown reset'] },
    ]);
  });
});
