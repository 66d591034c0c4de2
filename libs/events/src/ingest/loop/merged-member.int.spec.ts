import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const frame = at('09:00');
const later = at('09:30');

const enrolment = (memberId: string, more: object = {}): EventSketch => ({
  ...{ id: `e-${memberId}`, name: 'loyalty.member.enrolled.v1', frame: at('08:00') },
  data: { memberId, ...more },
});

const merge = (into: string, absorbed: readonly string[], id = `m-${into}`): EventSketch => ({
  ...{ id, name: 'loyalty.member.merged.v1', frame },
  data: { memberId: into, absorbed },
});

const unmerge = (into: string, absorbed: readonly string[], id = `u-${into}`): EventSketch => ({
  ...{ id, name: 'loyalty.member.unmerged.v1', frame: later },
  data: { memberId: into, absorbed },
});

const sale = (memberId: string, purchaseId: string): EventSketch => ({
  ...{ id: purchaseId, name: 'loyalty.purchase.completed.v1', frame: later },
  data: { memberId, purchaseId },
});

const refund = (memberId: string | undefined, purchaseId: string): EventSketch => ({
  ...{ id: `r-${purchaseId}`, name: 'loyalty.purchase.refunded.v1', frame: later },
  data: { memberId, purchaseId, refundId: `R-${purchaseId}` },
});

const voided = (memberId: string, purchaseId: string): EventSketch => ({
  ...{ id: `v-${purchaseId}`, name: 'loyalty.purchase.voided.v1', frame: later },
  data: { memberId, purchaseId },
});

const optOut = (memberId: string, scope: string, erase = false): EventSketch => ({
  ...{ id: `o-${memberId}`, name: 'loyalty.member.opted-out.v1', frame: later },
  data: { memberId, scope, erase },
});

/** What is owed to whom, in order: member, operation, status. */
async function owed(): Promise<string[]> {
  const text = `SELECT concat_ws(' ', m.member_id, i.operation, i.purchase_id, i.amount, COALESCE(s.status, 'open'), s.reason) AS line
    FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq) ORDER BY m.member_id, i.seq`;
  const { rows } = await till.database.execute<{ line: string }>({ name: 'spec owed', text });
  return rows.map(({ line }) => line);
}

describe.each(waysToSend)('%s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);
  const ofMember = async (memberId: string): Promise<string[]> =>
    (await owed()).filter((line) => line.startsWith(`${memberId} `)).map((line) => line.slice(memberId.length + 1));

  it("what is told of an absorbed member is the survivor's, what was told before stays where it is", async () => {
    await told(enrolment('ada'), enrolment('old'), sale('old', 'B-1'), merge('ada', ['old']), sale('old', 'B-2'));
    expect(await ofMember('old')).toEqual(['issue open', 'transaction B-1 59.99 open']);
    expect(await ofMember('ada')).toEqual([
      ...['issue open', 'update-via-workflow parked merged', 'transaction B-2 59.99 open'],
    ]);
  });

  it('so is what is told of one who was never seen before, and of one who was absorbed by an absorbed one', async () => {
    await told(merge('bob', ['older']), merge('ada', ['bob']), sale('older', 'B-1'), enrolment('older'));
    expect(await ofMember('ada')).toEqual([
      ...['update-via-workflow parked merged', 'transaction B-1 59.99 open', 'issue open'],
    ]);
  });

  it("a return of what the absorbed member bought is the survivor's, whoever brings it", async () => {
    await told(
      sale('old', 'B-1'),
      sale('old', 'B-2'),
      merge('ada', ['old']),
      refund('old', 'B-1'),
      refund(undefined, 'B-2'),
    );
    expect((await ofMember('ada')).slice(1)).toEqual(['transaction B-1 50.41 open', 'transaction B-2 50.41 open']);
  });

  it('an enrolment of the absorbed one changes the survivor, and makes no second card', async () => {
    await told(enrolment('ada'));
    await till.delivers();
    await told(merge('ada', ['old']), { ...enrolment('old', { tier: 'gold' }), frame: later });
    expect(await ofMember('ada')).toEqual([
      ...['issue open', 'update-via-workflow parked merged', 'update-via-workflow open'],
    ]);
    expect(await ofMember('old')).toEqual([]);
  });

  it('an opt-out of either is of each card', async () => {
    await told(enrolment('ada'), enrolment('old'), merge('ada', ['old']), optOut('old', 'sms'));
    expect([(await ofMember('old')).at(-1), (await ofMember('ada')).at(-1)]).toEqual([
      ...['update-via-workflow open', 'update-via-workflow open'],
    ]);
  });

  it('who leaves leaves with each card, and who is erased is erased with each', async () => {
    await told(enrolment('ada'), enrolment('old'), merge('ada', ['old']), optOut('ada', 'program', true));
    const text =
      'SELECT member_id AS line FROM member JOIN lane USING (lane_id) WHERE erased_seq > 0 AND merged_into IS NULL ORDER BY 1';
    const { rows } = await till.database.execute<{ line: string }>({ name: 'spec erased', text });
    expect(rows.map(({ line }) => line)).toEqual(['ada', 'old']);
    expect(await told(sale('old', 'B-9'))).toEqual(['erased']);
  });

  it('what parked before the merge is sent to the absorbed card by nobody, and says why; taken back, it is', async () => {
    await told(sale('old', 'B-1'));
    await till.delivers('refusal');
    await told(merge('ada', ['old']));
    expect(await till.replays('old')).toEqual(['merged']);
    await told(unmerge('ada', ['old']));
    expect(await till.replays('old')).toEqual([]);
  });

  it('a merge that is taken back makes two of them again', async () => {
    await told(merge('ada', ['old']), sale('old', 'B-1'), unmerge('ada', ['old']), sale('old', 'B-2'));
    expect(await ofMember('old')).toEqual(['transaction B-2 59.99 open']);
    expect(await ofMember('ada')).toEqual([
      ...['update-via-workflow parked merged', 'transaction B-1 59.99 open', 'update-via-workflow parked merged'],
    ]);
  });

  it('a void that was told while they lived on in another one cancels their sale after that; of the other one it is a conflict', async () => {
    await told(merge('ada', ['old']), voided('old', 'B-1'), unmerge('ada', ['old']), sale('old', 'B-1'));
    expect(await ofMember('old')).toEqual(['transaction B-1 59.99 cancelled voided']);
    expect((await ofMember('ada')).filter((line) => line.includes('missing-purchase'))).toEqual([]);
    await told(voided('ada', 'B-2'), sale('old', 'B-2'));
    expect((await ofMember('old')).at(-1)).toBe('transaction B-2 59.99 parked conflict');
  });

  it('of two that absorb each other the one that was named last lives on', async () => {
    await told(merge('ada', ['old']), { ...merge('old', ['ada'], 'back'), frame: later }, sale('ada', 'B-1'));
    expect((await ofMember('old')).at(-1)).toBe('transaction B-1 59.99 open');
  });

  it('a merge that is older than its taking back says nothing any more', async () => {
    await told(merge('ada', ['old']), unmerge('ada', ['old']), merge('ada', ['old'], 'late'), sale('old', 'B-1'));
    expect(await ofMember('old')).toEqual(['transaction B-1 59.99 open']);
  });

  it('a merge that is read after its taking back says nothing', async () => {
    await told(unmerge('ada', ['old']), merge('ada', ['old']), sale('old', 'B-1'));
    expect(await ofMember('old')).toEqual(['transaction B-1 59.99 open']);
  });

  it('what is taken back of a merge that nobody has told of leaves another one in force', async () => {
    await told(merge('bob', ['old']), unmerge('ada', ['old']), sale('old', 'B-1'));
    expect((await ofMember('bob')).at(-1)).toBe('transaction B-1 59.99 open');
  });

  it('a merge that would close a ring is set aside, and changes nothing', async () => {
    const outcomes = await told(merge('b', ['a']), merge('c', ['b']), merge('a', ['c']), sale('a', 'B-1'));
    expect(outcomes).toEqual(['recorded', 'recorded', 'conflict', 'recorded']);
    expect(await till.setAside()).toEqual([
      'conflict: data.absorbed: names one in whom data.memberId lives on by other merges',
    ]);
    expect((await ofMember('c')).at(-1)).toBe('transaction B-1 59.99 open');
  });

  it('no more merges lie one behind another than are followed', async () => {
    const chain = Array.from({ length: 17 }, (_each, index) => merge(`m-${index + 1}`, [`m-${index}`]));
    expect((await told(...chain)).slice(-2)).toEqual(['recorded', 'conflict']);
    expect(await told(merge('m-0', ['before']))).toEqual(['conflict']);
    await told(sale('m-0', 'B-1'));
    expect((await ofMember('m-16')).at(-1)).toBe('transaction B-1 59.99 open');
  });

  it('a void that came before the merge and its sale cancels that', async () => {
    await told(enrolment('ada'), voided('old', 'B-1'), merge('ada', ['old']), sale('old', 'B-1'));
    expect(await ofMember('old')).toEqual(['transaction B-1 59.99 cancelled voided']);
    expect((await ofMember('ada')).at(-1)).toBe('transaction B-1 59.99 cancelled voided');
  });

  it('a refund that came before the merge and its sale follows that to the survivor, once, and is known there', async () => {
    await told(enrolment('ada'), enrolment('old'), refund('old', 'B-1'), merge('ada', ['old']), sale('old', 'B-1'));
    expect((await ofMember('old')).at(-1)).toBe('transaction B-1 50.41 cancelled merged');
    expect((await ofMember('ada')).at(-1)).toBe('transaction B-1 50.41 parked missing-purchase');
    await till.delivers();
    expect((await till.intents()).filter((line) => line.includes('B-1'))).toEqual([
      ...['ada B-1 59.99 delivered', 'ada B-1 50.41 delivered', 'old B-1 50.41 cancelled merged'],
    ]);
    expect(await told({ ...refund('old', 'B-1'), id: 'again' })).toEqual(['duplicate-business-key']);
  });

  it('a void of somebody else leaves the sale for a person', async () => {
    await told(voided('bob', 'B-1'), merge('ada', ['old']), sale('old', 'B-1'));
    expect((await ofMember('ada')).at(-1)).toBe('transaction B-1 59.99 parked conflict');
  });

  it('what no call can merge stays for a person when the survivor leaves', async () => {
    const left = { ...optOut('ada', 'program'), id: 'left' };
    await told(enrolment('ada'), merge('ada', ['old']), optOut('ada', 'email'), left);
    expect((await ofMember('ada')).slice(1, 3)).toEqual([
      ...['update-via-workflow parked merged', 'update-via-workflow parked unroutable'],
    ]);
  });

  it('who absorbs himself is set aside', async () => {
    expect(await told(merge('ada', ['ada']))).toEqual(['invalid']);
  });
});
