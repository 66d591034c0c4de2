import type { SourceEventName } from '#events';

import { OperatorsDoor } from './testing/operators-door.js';
import type { Answer } from './testing/operators-door.js';
import {
  broken,
  changed,
  completed,
  enrolled,
  event,
  granted,
  needsAdmin,
  optedOut,
  own,
  refunded,
  sent,
  structured,
  updated,
} from './testing/sent-events.js';
import type { Fields, Sent } from './testing/sent-events.js';

let door: OperatorsDoor;

beforeAll(async () => {
  door = await OperatorsDoor.open();
});

afterAll(() => door.close());

const resubmit = (role: 'viewer' | 'operator' | 'admin', id: number, corrected?: object): Promise<Answer> =>
  door.post(role, `/quarantine/${id}/resubmit`, corrected === undefined ? {} : { corrected });

/** Knows a purchase by its store and till as well, and looks passes up by email. */
const tillClub = { 'data.program': 'till-club', 'data.attributes.till': '3' };

describe('the attacks that were shown', () => {
  it('no operator corrects a record into the erasure of another member', async () => {
    const id = await door.setAside({ value: 'garbage' });
    const value = event(optedOut, { memberId: 'somebody-else', erase: true });
    const answer = await resubmit('operator', id, { value, headers: structured });
    expect(answer).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:needs-admin' } });
    expect(answer.detail).toMatch(/data\.erase.*type.*data\.memberId/);
    expect(answer.detail).not.toContain('somebody-else');
    expect(await door.sql(`SELECT FROM member WHERE member_id = 'somebody-else'`)).toEqual([]);
    expect(await door.get(`/quarantine/${id}`)).toMatchObject({ state: 'open' });
    expect(await resubmit('viewer', id, { value })).toMatchObject({ status: 403 });
    expect(await resubmit('admin', id, { value, headers: structured })).toMatchObject({ status: 200 });
    const { actor, action, detail } = await door.newestAction();
    expect([actor, action]).toEqual(['the admin', 'quarantine.resubmit']);
    expect(detail?.['privileged']).toEqual(expect.arrayContaining(['data.erase', 'type', 'data.memberId']));
    expect(JSON.stringify(detail)).not.toContain('somebody-else');
  });

  it('no operator corrects a record into a sale of 999,999 EUR', async () => {
    const sale = own(completed);
    const id = await door.setAside(sent(changed(sale, broken)));
    const value = changed(sale, { 'data.total.minor': 99_999_900 });
    expect(await resubmit('operator', id, { value })).toMatchObject(needsAdmin('data.total.minor'));
    expect(await resubmit('operator', id, { value: sale })).toMatchObject({ status: 200 });
  });
});

describe('a corrected record', () => {
  // What arrived differs from the sample in the first, what it is corrected to in the second.
  it.each<[string, SourceEventName, Fields, Fields]>([
    ['type', completed, {}, { type: 'loyalty.purchase.voided.v1' }],
    ['type', completed, { type: 'loyalty.purchase.complete.v1' }, {}],
    ['id', completed, {}, { id: 'another' }],
    ['source', completed, {}, { source: '/another' }],
    ['data.program', completed, {}, { 'data.program': 'tea-club' }],
    ['data.program', completed, { 'data.program': 'cofee-club' }, {}],
    ['data.memberId', completed, {}, { 'data.memberId': 'm-other' }],
    ['data.memberId', completed, { 'data.memberId': '' }, {}],
    ['data.memberId', completed, {}, { 'data.memberId': undefined }],
    ['data.purchaseId', completed, {}, { 'data.purchaseId': 'once-more' }],
    ['data.total.minor', completed, {}, { 'data.total.minor': 5_998 }],
    ['data.total.minor', completed, { 'data.total.minor': '5999' }, {}],
    ['data.total.currency', completed, { 'data.total.currency': 'USD' }, {}],
    ['data.total.digits', completed, {}, { 'data.total.digits': 0 }],
    ['data.total.digits', completed, {}, { 'data.total.digits': undefined }],
    ['data.total', completed, { 'data.total': 59.99 }, {}],
    ['data.lines', completed, {}, { 'data.lines': [] }],
    ['data.invented', completed, {}, { 'data.invented': true }],
    ['data.total.minor', refunded, {}, { 'data.total.minor': 9_999_999 }],
    ['data.refundId', refunded, {}, { 'data.refundId': 'a-second-refund' }],
    ['data.purchaseId', refunded, {}, { 'data.purchaseId': 'of-another' }],
    ['data.scope', optedOut, {}, { 'data.scope': 'program' }],
    ['data.erase', optedOut, {}, { 'data.erase': true }],
    ['data.erase', optedOut, {}, { 'data.erase': undefined }],
    ['data.reward', granted, {}, { 'data.reward': 'free-car' }],
    ['data.grantId', granted, {}, { 'data.grantId': 'a-second' }],
    ['data.tier', enrolled, {}, { 'data.tier': 'gold' }],
    ['data.pass.points', enrolled, {}, { 'data.pass.points': 1_000_000 }],
    ['data.smsSubscription', enrolled, {}, { 'data.smsSubscription': 'transactional' }],
    ['data.metaData.wallet', enrolled, {}, { 'data.metaData.wallet': 'm-other' }],
    ['data.changed', updated, {}, { 'data.changed': ['pass.points', 'tier'] }],
    ['data.pass.points', updated, {}, { 'data.pass.points': 121 }],
    ['data.absorbed', 'loyalty.member.merged.v1', {}, { 'data.absorbed': ['m-9'] }],
    ['data.storeId', completed, tillClub, { ...tillClub, 'data.storeId': 'x' }],
    ['data.attributes.till', completed, tillClub, { ...tillClub, 'data.attributes.till': '4' }],
    ['data.person.email', enrolled, tillClub, { ...tillClub, 'data.person.email': 'eve@example.org' }],
  ])('takes an admin for %s of %s', async (...[path, name, arrived, taken]) => {
    const sample = own(name);
    const id = await door.setAside(sent(changed(sample, { ...broken, ...arrived })));
    const value = changed(sample, taken);
    expect(await resubmit('viewer', id, { value })).toMatchObject({ status: 403 });
    const paths = taken['data.erase'] === true ? ['data.erase'] : [path];
    expect(await resubmit('operator', id, { value })).toMatchObject(needsAdmin(...paths));
    const answer = await resubmit('admin', id, { value });
    expect(answer).toMatchObject({ status: 200 });
    const { actor, detail } = await door.newestAction();
    expect([actor, detail]).toMatchObject(['the admin', { quarantine: id, corrected: true, privileged: [path] }]);
  });

  it.each<[string, SourceEventName, Fields, Fields]>([
    ['time', completed, {}, {}],
    ['subject', completed, {}, { subject: 'till 3' }],
    ['sequence', updated, {}, { sequence: '7' }],
    ['the prefix of its type', completed, {}, { type: `com.acme.${completed}` }],
    ['data.storeId', completed, {}, { 'data.storeId': 'berlin-08' }],
    ['data.storeId', completed, { 'data.storeId': undefined }, {}],
    ['data.channel', completed, {}, { 'data.channel': 'web' }],
    ['data.attributes', completed, { 'data.attributes': undefined }, {}],
    ['data.attributes.campaign', completed, {}, { 'data.attributes.campaign': 'winter' }],
    ['data.reason', refunded, {}, { 'data.reason': 'broken' }],
    ['data.person', enrolled, { 'data.person': 'Ada' }, { 'data.person': { firstName: 'Ada' } }],
    ['data.person.email', enrolled, {}, { 'data.person.email': 'ada@example.com' }],
    ['data.message', enrolled, {}, { 'data.message': 'Hello' }],
    ['data.pass.seat', enrolled, {}, { 'data.pass.seat': '12' }],
  ])('is an operator’s where it changes %s of %s', async (...[_what, name, arrived, taken]) => {
    const sample = own(name);
    const id = await door.setAside(sent(changed(sample, { ...broken, ...arrived })));
    expect(await resubmit('operator', id, { value: changed(sample, taken) })).toMatchObject({ status: 200 });
    const { actor, detail } = await door.newestAction();
    expect(actor).toBe('the operator');
    expect(detail).not.toHaveProperty('privileged');
  });

  it('regression: one value is mended as it is shown, and what is masked beside it stays as it arrived', async () => {
    const sample = own(completed);
    const id = await door.setAside(sent(changed(sample, { 'data.storeId': 4_711, 'data.unknown': 'Ada' })));
    const { value } = await door.get(`/quarantine/${id}`);
    const shown = String(value);
    const { sku } = (sample['data'] as { readonly lines: readonly { readonly sku: string }[] }).lines[0] ?? { sku: '' };
    expect(shown).not.toMatch(new RegExp(`Ada|${sku}`));
    const mended = shown.replace('"storeId":4711', '"storeId":"berlin-07"');
    // Nothing that an admin must see has changed.
    expect(await resubmit('operator', id, { value: mended })).toMatchObject({ status: 200 });
    const { corrected } = (await door.get(`/quarantine/${id}`)) as { readonly corrected: Fields };
    expect(corrected['changes']).toEqual([
      { path: 'value.data.storeId', change: 'changed', from: 4_711, to: 'berlin-07' },
    ]);
  });

  it('is refused where dots stand where nothing arrived', async () => {
    const id = await door.setAside(sent(changed(own(completed), broken)));
    const answer = await resubmit('admin', id, { value: { data: { nickname: '•••' } } });
    expect(answer).toMatchObject({
      status: 400,
      detail: expect.stringContaining('value.data.nickname: •••') as string,
    });
    expect(await door.get(`/quarantine/${id}`)).toMatchObject({ state: 'open' });
  });

  describe('by another way round', () => {
    const sale = (): { readonly value: Fields; readonly arrived: Sent } => {
      const value = own(completed);
      return { value, arrived: sent(changed(value, broken)) };
    };
    const binary = ({ type, id, source, time }: Fields): Readonly<Record<string, string>> => ({
      ...{ ce_specversion: '1.0', ce_type: String(type), ce_id: String(id), ce_source: String(source) },
      ...{ ce_time: String(time), 'content-type': 'application/json' },
    });

    it('binary mode says the same as structured mode, and hides nothing', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const data = value['data'] as Fields;
      const much = changed(data, { 'total.minor': 1 });
      const headers = binary(value);
      expect(await resubmit('operator', id, { headers, value: much })).toMatchObject(needsAdmin('data.total.minor'));
      const other = { ...headers, ce_type: 'com.acme.loyalty.purchase.voided.v1' };
      expect(await resubmit('operator', id, { headers: other, value: data })).toMatchObject(needsAdmin('type'));
      expect(await resubmit('operator', id, { headers, value: data })).toMatchObject({ status: 200 });
    });

    it('headers alone make it another event', async () => {
      const value = own(completed);
      const headers = binary(changed(value, broken));
      const id = await door.setAside({ value: JSON.stringify(value['data']), headers });
      const renamed = { ...binary(value), ce_type: 'loyalty.purchase.voided.v1' };
      expect(await resubmit('operator', id, { headers: renamed })).toMatchObject(needsAdmin('type'));
      const asText = { 'content-type': 'application/cloudevents+json' };
      expect(await resubmit('operator', id, { headers: asText })).toMatchObject({ status: 403 });
      expect(await resubmit('operator', id, { headers: binary(value) })).toMatchObject({ status: 200 });
    });

    it('data in base64 is read', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const inBase64 = (data: unknown): Fields => ({
        ...changed(value, { data: undefined }),
        data_base64: Buffer.from(JSON.stringify(data)).toString('base64'),
      });
      const much = changed(value, { 'data.total.minor': 1 });
      expect(await resubmit('operator', id, { value: inBase64(much['data']) })).toMatchObject(
        needsAdmin('data.total.minor'),
      );
      expect(await resubmit('operator', id, { value: inBase64(value['data']) })).toMatchObject({ status: 200 });
    });

    it('of a key that is there twice the last counts, as for ingest', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const text = JSON.stringify(value);
      const twice = text.replace('"total":', '"total":{"minor":1,"currency":"EUR","digits":2},"total":');
      const hidden = text.replace(/"total":(\{[^}]*\})/, '"total":$1,"total":{"minor":1,"currency":"EUR","digits":2}');
      expect(await resubmit('operator', id, { value: hidden })).toMatchObject(needsAdmin('data.total.minor'));
      expect(await resubmit('operator', id, { value: twice })).toMatchObject({ status: 200 });
    });

    it('another spelling of the same number is the same, a number that lost digits is not', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const text = JSON.stringify(value);
      expect(await resubmit('operator', id, { value: text.replace('5999', '59.99e2') })).toMatchObject({ status: 200 });
      const other = own(completed);
      const lossy = JSON.stringify(other).replace('"minor":5999', '"minor":9007199254740993');
      const second = await door.setAside({ value: lossy });
      const rounded = changed(other, { 'data.total.minor': 9_007_199_254_740_992 });
      expect(await resubmit('operator', second, { value: rounded })).toMatchObject(needsAdmin('data.total.minor'));
    });

    it('names are told apart by their letters, and __proto__ is none', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const cased = changed(value, { 'data.MemberId': 'm-other' });
      expect(await resubmit('operator', id, { value: cased })).toMatchObject(needsAdmin('data.MemberId'));
      const proto = JSON.stringify(value).replace('"data":{', '"data":{"__proto__":{"memberId":"m-other"},');
      expect(await resubmit('operator', id, { value: proto })).toMatchObject({ status: 200 });
      expect(await door.sql(`SELECT FROM member WHERE member_id = 'm-other' AND program_id = 'x'`)).toEqual([]);
    });

    it('the key of the record decides nothing', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      expect(await resubmit('operator', id, { key: 'm-other', value })).toMatchObject({ status: 200 });
      expect((await door.newestAction()).member).toMatchObject({ memberId: (value['data'] as Fields)['memberId'] });
    });

    it('what takes everything away from a record, so that it is ignored, is not harmless', async () => {
      const { arrived, value } = sale();
      const id = await door.setAside(arrived);
      const answer = await resubmit('operator', id, { headers: binary(value), value: ' ' });
      expect(answer).toMatchObject({ status: 403 });
    });

    it('names many paths, and says how many more', async () => {
      const { value, arrived } = sale();
      const id = await door.setAside(arrived);
      const more = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`data.more${index}`, index]));
      const { status, detail } = await resubmit('operator', id, { value: changed(value, more) });
      expect([status, detail]).toEqual([403, expect.stringContaining('data.more19, 10 more.')]);
    });
  });
});

describe('everything in a record', () => {
  it('is shown to an admin, who says why, and kept in the audit', async () => {
    const sale = changed(own(completed), { ...broken, 'data.unknown': 'Ada' });
    const id = await door.setAside({ ...sent(sale), headers: { ...structured, note: 'Lovelace' } });
    expect(JSON.stringify(await door.get(`/quarantine/${id}`))).not.toMatch(/Ada|Lovelace/);
    const path = `/quarantine/${id}/unmask`;
    expect(await door.post('operator', path)).toMatchObject({ status: 403 });
    expect(await door.post('admin', path, { reason: '' })).toMatchObject({ status: 400 });
    const { status, body } = await door.post('admin', path, { reason: 'a till is broken' });
    expect([status, body]).toEqual([
      200,
      {
        ...{ id, isReadable: true, key: null, encoding: 'text', value: JSON.stringify(sale) },
        headers: JSON.stringify({ ...structured, note: 'Lovelace' }),
      },
    ]);
    const { actor, action, reason, detail } = await door.newestAction();
    expect([actor, action, reason]).toEqual(['the admin', 'quarantine.unmask', 'a till is broken']);
    expect(detail).toEqual({ quarantine: id });
  });

  it('is nothing of a whole record batch, nor where there is no such record', async () => {
    const id = await door.setAsideBatch([sent(own(completed))]);
    const { body } = await door.post('admin', `/quarantine/${id}/unmask`);
    expect(body).toEqual({ id, isReadable: true, key: null, headers: '{}', value: null, encoding: 'batch' });
    expect(await door.post('admin', '/quarantine/999999/unmask')).toMatchObject({ status: 404 });
  });
});

describe('a record that erases', () => {
  it('takes an admin although it is taken as it arrived', async () => {
    const erasing = changed(own(optedOut), { 'data.erase': true, time: '2026-11-23T10:00:00Z' });
    const sale = changed(own(completed), { time: '2026-11-23T10:00:00Z' });
    const [id, other] = [await door.setAside(sent(erasing)), await door.setAside(sent(sale))];
    // They came more than a day too early. Then they are sound.
    door.clock.at += 2 * 86_400_000;
    expect(await resubmit('operator', id)).toMatchObject(needsAdmin('data.erase'));
    expect(await resubmit('operator', other)).toMatchObject({ status: 200 });
    const stateOf = async (one: number): Promise<unknown> => (await door.get(`/quarantine/${one}`))['state'];
    expect([await stateOf(id), await stateOf(other)]).toEqual(['open', 'resubmitted']);
    expect(await resubmit('admin', id)).toMatchObject({ status: 200 });
    const { actor, detail } = await door.newestAction();
    expect([actor, detail]).toMatchObject(['the admin', { corrected: false, privileged: ['data.erase'] }]);
    const { memberId } = erasing['data'] as { readonly memberId: string };
    const erased = 'SELECT FROM erasure JOIN member USING (lane_id) WHERE member_id = $1';
    expect(await door.sql(erased, memberId)).toHaveLength(1);
  });

  it('takes one where only its time is mended', async () => {
    const erasing = changed(own(optedOut), { 'data.erase': true });
    const id = await door.setAside(sent(changed(erasing, broken)));
    expect(await resubmit('operator', id, { value: erasing })).toMatchObject(needsAdmin('data.erase'));
  });
});

describe('what no event of the program may do', () => {
  const ofChai = (value: Fields): Fields => changed(value, { 'data.program': 'chai-club' });
  const merge = (): Fields => ofChai(own('loyalty.member.merged.v1'));
  const erasure = (): Fields => changed(ofChai(own(optedOut)), { 'data.erase': true, 'data.scope': 'program' });
  const memberOf = (value: Fields): string => (value['data'] as { readonly memberId: string }).memberId;
  const isErased = async (value: Fields): Promise<boolean> =>
    (await door.sql('SELECT FROM member WHERE member_id = $1', memberOf(value))).length === 0;

  it('is listed, and done where an admin takes it in', async () => {
    for (const [value, path] of [
      [erasure(), 'data.erase'],
      [merge(), 'data.absorbed'],
    ] as const) {
      const id = await door.setAside(sent(value));
      expect(await door.get(`/quarantine/${id}`)).toMatchObject({ state: 'open', reason: 'not-permitted' });
      expect(await resubmit('operator', id)).toMatchObject(needsAdmin(path));
      expect(await resubmit('admin', id)).toMatchObject({ status: 200, body: { result: 'recorded' } });
      const { actor, action, detail } = await door.newestAction();
      expect([actor, action, detail]).toMatchObject(['the admin', 'quarantine.resubmit', { privileged: [path] }]);
    }
  });

  it('is not done by who takes in a whole batch: it waits by itself', async () => {
    const value = erasure();
    const id = await door.setAsideBatch([sent(own(completed)), sent(value), sent(merge())]);
    const records = { recorded: 1, duplicate: 0, ignored: 0, setAside: 2 };
    expect(await resubmit('operator', id)).toMatchObject({ status: 200, body: { records } });
    expect(await isErased(value)).toBe(false);
  });

  it('what events did by their own word is in the audit, by their source', async () => {
    const value = changed(own(optedOut), { 'data.erase': true });
    await door.ingest(sent(value));
    expect(await door.newestAction()).toMatchObject({
      ...{ actor: '/pos/berlin-07/till-3', role: null, action: 'event.erase', reason: 'an event says so' },
      detail: { program: 'coffee-club', members: 1 },
    });
  });
});

describe('a whole record batch', () => {
  const sales = (count: number): Sent[] => Array.from({ length: count }, () => sent(own(completed)));

  it('is taken in record by record, and the answer says how many became what', async () => {
    const [one, two, three] = [own(completed), own(completed), own(completed)];
    await door.ingest(sent(one));
    const id = await door.setAsideBatch([one, two, changed(three, broken)].map(sent));
    expect(await resubmit('viewer', id)).toMatchObject({ status: 403 });
    const answer = await resubmit('operator', id);
    const records = { recorded: 1, duplicate: 1, ignored: 0, setAside: 1 };
    expect(answer).toMatchObject({ status: 200, body: { id, result: 'recorded', intent: null, records } });
    const { actor, action, detail } = await door.newestAction();
    expect([actor, action, detail]).toMatchObject(['the operator', 'quarantine.resubmit', { quarantine: id, records }]);
    expect(await resubmit('operator', id)).toMatchObject({ status: 409 });
    // What is set aside by itself can be corrected as any other.
    const [alone] = await door.sql<{ id: number }>('SELECT max(quarantine_id) AS id FROM quarantine');
    expect(await resubmit('operator', alone!.id, { value: three })).toMatchObject({ status: 200 });
  });

  it('of which one record erases somebody takes an admin, and before that nothing of it is taken in', async () => {
    const erasure = sent(event(optedOut, { memberId: 'of-a-batch', erase: true }, { id: 'erasure-of-a-batch' }));
    const sale = own(completed);
    const id = await door.setAsideBatch([sent(sale), erasure]);
    const { purchaseId } = sale['data'] as { readonly purchaseId: string };
    expect(await resubmit('operator', id)).toMatchObject(needsAdmin('data.erase'));
    expect(await door.sql('SELECT FROM intent WHERE purchase_id = $1', purchaseId)).toEqual([]);
    expect(await resubmit('admin', id)).toMatchObject({ status: 200 });
    expect((await door.newestAction()).detail).toMatchObject({ privileged: ['data.erase'] });
  });

  it('that is still too large is refused with the name of the setting, and stays', async () => {
    const id = await door.setAsideBatch(sales(10));
    const answer = await resubmit('operator', id);
    expect(answer).toMatchObject({ status: 422, body: { type: 'urn:loyaltyd:problem:still-refused' } });
    expect(answer.detail).toMatch(/^oversized: .*Raise KAFKA_DECOMPRESSED_BYTES_MAX/);
    expect(await door.get(`/quarantine/${id}`)).toMatchObject({ state: 'open' });
  });

  it('that is damaged cannot be taken in, and none can be corrected', async () => {
    const damaged = await door.setAsideBatch([{ value: '' }], 'unreadable');
    const whole = await door.setAsideBatch(sales(2));
    const problem = { status: 422, body: { type: 'urn:loyaltyd:problem:record-batch' } };
    expect(await resubmit('operator', damaged)).toMatchObject(problem);
    expect(await resubmit('admin', whole, { value: own(completed) })).toMatchObject(problem);
  });
});
