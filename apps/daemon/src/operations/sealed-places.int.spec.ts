import { OperatorsDoor } from './testing/operators-door.js';
import type { Fields } from './testing/sent-events.js';
import { changed, completed, own, sent } from './testing/sent-events.js';

let door: OperatorsDoor;

beforeAll(async () => {
  door = await OperatorsDoor.open();
});

afterAll(() => door.close());

interface Told {
  readonly memberId: string;
  /** In quarantine. */
  readonly id: number;
}

const memberOf = (value: Fields): string => (value['data'] as { readonly memberId: string }).memberId;

/** A sale whose program is not known yet. */
async function saleAside(): Promise<Told> {
  const value = changed(own(completed), { 'data.program': 'late-club' });
  return { id: await door.setAside(sent(value)), memberId: memberOf(value) };
}

async function discarded(): Promise<Told> {
  const told = await saleAside();
  expect(await door.post('operator', `/quarantine/${told.id}/discard`)).toMatchObject({ status: 200 });
  return told;
}

const intentsOf = (memberId: string): Promise<object[]> =>
  door.sql('SELECT i.seq FROM intent i JOIN member m USING (lane_id) WHERE m.member_id = $1', memberId);

describe('regression: who changes rows and has no key', () => {
  it('has no discarded record taken in under the row of another one', async () => {
    door.mend((text) => text);
    const given = await discarded();
    const { id, memberId } = await saleAside();
    door.mend((text) => text.replace('  chai-club:', '  late-club:'));
    await door.sql(
      `UPDATE quarantine q SET sealed_key = d.sealed_key, sealed_value = d.sealed_value, sealed_headers = d.sealed_headers,
         value_bytes = d.value_bytes FROM quarantine d WHERE q.quarantine_id = $1 AND d.quarantine_id = $2`,
      ...[id, given.id],
    );
    const answer = await door.post('operator', `/quarantine/${id}/resubmit`);
    expect(answer).toMatchObject({ status: 409, body: { type: 'urn:loyaltyd:problem:bytes-lost' } });
    expect([...(await intentsOf(given.memberId)), ...(await intentsOf(memberId))]).toEqual([]);
    expect(await door.get(`/quarantine/${id}`)).toMatchObject({ state: 'open' });
  });

  it('has no discarded record taken in by calling it open again', async () => {
    door.mend((text) => text);
    const { id, memberId } = await discarded();
    door.mend((text) => text.replace('  chai-club:', '  late-club:'));
    await door.sql(`UPDATE quarantine SET state = 'open' WHERE quarantine_id = $1`, id);
    const answer = await door.post('operator', `/quarantine/${id}/resubmit`);
    expect(answer).toMatchObject({ status: 409, body: { type: 'urn:loyaltyd:problem:already-discarded' } });
    expect(await door.post('operator', `/quarantine/${id}/discard`)).toMatchObject({ status: 409 });
    expect(await intentsOf(memberId)).toEqual([]);
  });

  it('has no correction come back that was withdrawn', async () => {
    const value = own(completed);
    await door.ingest(sent(value));
    const memberId = memberOf(value);
    const path = `/intents/coffee-club~${memberId}~1`;
    for (const amount of ['1.00', '2.00']) {
      expect(await door.post('admin', `${path}/correct`, { patch: { amount } })).toMatchObject({ status: 200 });
    }
    expect(await door.get(path)).toMatchObject({ command: { amount: '2.00' } });
    await door.sql(
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
       SELECT lane_id, seq, version + 9, attempt, epoch, type, at, data, sealed FROM intent_event
       WHERE type = 'IntentCorrected' AND lane_id = (SELECT lane_id FROM member WHERE member_id = $1)
       ORDER BY version LIMIT 1`,
      memberId,
    );
    expect(await door.get(path)).toMatchObject({ command: null });
    const patch = { storeId: 'x' };
    expect((await door.post('admin', `${path}/correct`, { patch })).status).toBe(409);
  });
});
