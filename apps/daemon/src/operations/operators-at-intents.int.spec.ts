import type { SourceEventName } from '#events';

import { OperatorsDoor } from './testing/operators-door.js';
import {
  changed,
  completed,
  enrolled,
  granted,
  needsAdmin,
  optedOut,
  own,
  refunded,
  sent,
  updated,
  event,
} from './testing/sent-events.js';
import type { Fields } from './testing/sent-events.js';

let door: OperatorsDoor;

beforeAll(async () => {
  door = await OperatorsDoor.open();
});

afterAll(() => door.close());

describe('a corrected intent', () => {
  /** @returns its path in the API */
  const intent = async (name: SourceEventName, changes: Fields = {}): Promise<string> => {
    const value = changed(own(name), changes);
    await door.ingest(sent(value));
    const { memberId } = value['data'] as { readonly memberId: string };
    return `/intents/coffee-club~${memberId}~1`;
  };

  it.each<[string, SourceEventName, Fields, readonly string[]]>([
    ['the amount', completed, { amount: '999999.00' }, ['amount', 'attributes.gross']],
    ['the form of the amount', completed, { amount: '59.990' }, ['amount']],
    ['the sign', completed, { amount: '-59.99' }, ['amount']],
    ['the amount of a refund', refunded, { amount: '50.41' }, ['amount']],
    [
      'the type of the transaction',
      completed,
      { transactionTypeId: '33' },
      ['transactionTypeId', 'uniqueAttribute.enforced'],
    ],
    ['the points', completed, { pointsDelta: 1_000_000 }, ['pointsDelta']],
    [
      'what the sale is known by',
      completed,
      { attributes: { receipt: 'a-second' } },
      ['attributes.receipt', 'uniqueAttribute.value'],
    ],
    [
      'that the sale is known by something',
      completed,
      { uniqueAttribute: null },
      ['uniqueAttribute.name', 'uniqueAttribute.value', 'uniqueAttribute.enforced'],
    ],
    ['an attribute that says the amount', completed, { attributes: { gross: 1 } }, ['attributes.gross']],
    ['a constant', completed, { attributes: { system: 'web' } }, ['attributes.system']],
    ['an attribute that nobody has mapped', completed, { attributes: { bonus: 2 } }, ['attributes.bonus']],
    ['an attribute in another case', completed, { attributes: { Store: 'x' } }, ['attributes.Store']],
    ['the reward', granted, { rewardId: '9002' }, ['rewardId']],
    ['the points of a reward', granted, { pointsDelta: 5 }, ['pointsDelta']],
    ['points', enrolled, { content: { passdata: { points: 9 } } }, ['content.passdata.points']],
    ['points by their path', enrolled, { content: { passdata: { 'points.x': 9 } } }, ['content.passdata.points.x']],
    ['the tier', enrolled, { content: { tierId: 2 } }, ['content.tierId']],
    ['the template', enrolled, { content: { templateId: 12 } }, ['content.templateId']],
    ['the consent', enrolled, { content: { smsSubscription: 900 } }, ['content.smsSubscription']],
    ['the group', enrolled, { content: { groupId: 'g-2' } }, ['content.groupId']],
    [
      'whom else the pass names',
      enrolled,
      { content: { passdata: { metaData: { shopify: '1' } } } },
      ['content.passdata.metaData.shopify'],
    ],
    ['the workflow', updated, { workflowId: '79' }, ['workflowId']],
    ['the scope', optedOut, { content: { passdata: { optOut: true } } }, ['content.passdata.optOut']],
  ])('takes an admin for %s (%s)', async (...[_what, name, patch, paths]) => {
    const path = await intent(name);
    expect(await door.post('viewer', `${path}/correct`, { patch })).toMatchObject({ status: 403 });
    expect(await door.post('operator', `${path}/correct`, { patch })).toMatchObject(needsAdmin(...paths));
    expect(await door.post('admin', `${path}/correct`, { patch })).toMatchObject({ status: 200 });
    const { actor, action, detail } = await door.newestAction();
    expect([actor, action, detail]).toMatchObject(['the admin', 'intent.correct', { privileged: paths }]);
  });

  it.each<[string, SourceEventName, Fields]>([
    ['when it was', completed, { transactionDate: '2026-11-21T08:00:00Z' }],
    ['the store', completed, { attributes: { store: 'berlin-08' } }],
    ['an attribute away that it is told', completed, { attributes: { campaign: null } }],
    ['the person', enrolled, { content: { person: { phone: null, email: 'ada@example.com' } } }],
    ['the message', enrolled, { content: { message: 'Hello' } }],
    ['the seat', enrolled, { content: { passdata: { seat: '12' } } }],
  ])('is an operator’s where it changes %s (%s)', async (...[_what, name, patch]) => {
    const path = await intent(name);
    expect(await door.post('operator', `${path}/correct`, { patch })).toMatchObject({ status: 200 });
    expect((await door.newestAction()).detail).not.toHaveProperty('privileged');
  });

  it('may be rid by an operator of what no event is given any more, and of that alone', async () => {
    const path = await intent(completed);
    const add = { attributes: { shop: 'berlin-07' } };
    expect(await door.post('admin', `${path}/correct`, { patch: add })).toMatchObject({ status: 200 });
    const take = { attributes: { shop: null } };
    expect(await door.post('operator', `${path}/correct`, { patch: { attributes: { shop: 'x' } } })).toMatchObject(
      needsAdmin('attributes.shop'),
    );
    expect(await door.post('operator', `${path}/correct`, { patch: take })).toMatchObject({ status: 200 });
    expect(await door.post('operator', `${path}/correct`, { patch: { attributes: { gross: null } } })).toMatchObject(
      needsAdmin('attributes.gross'),
    );
  });

  it('is nobody’s where it changes whose it is', async () => {
    const path = await intent(completed);
    for (const patch of [{ uniqueId: 'm-other' }, { programId: '2002' }, { operation: 'reward' }, { by: null }]) {
      const { status } = await door.post('admin', `${path}/correct`, { patch });
      expect([400, 422]).toContain(status);
    }
  });

  it('is not given up by an operator once an admin has changed what only an admin may', async () => {
    const path = await intent(completed);
    expect(await door.post('admin', `${path}/correct`, { patch: { amount: '1.00' } })).toMatchObject({ status: 200 });
    const refused = await door.post('operator', `${path}/cancel`);
    expect(refused).toMatchObject({ status: 403, body: { type: 'urn:loyaltyd:problem:role' } });
    expect(await door.post('operator', `${path}/correct`, { patch: { amount: '59.99' } })).toMatchObject(
      needsAdmin('amount', 'attributes.gross'),
    );
    expect(await door.post('admin', `${path}/cancel`)).toMatchObject({ status: 200 });
    const plain = await intent(completed);
    expect(await door.post('operator', `${plain}/cancel`)).toMatchObject({ status: 200 });
  });

  it('of a program that looks passes up by the person keeps the person', async () => {
    const value = changed(own(enrolled), { 'data.program': 'till-club' });
    await door.ingest(sent(value));
    const { memberId } = value['data'] as { readonly memberId: string };
    const patch = { content: { person: { email: 'eve@example.org' } } };
    const answer = await door.post('operator', `/intents/till-club~${memberId}~1/correct`, { patch });
    expect(answer).toMatchObject(needsAdmin('content.person.email'));
  });
});

describe('stored work', () => {
  const kinds: [string, Fields][] = [
    ['reconcile', { program: 'coffee-club' }],
    ['reread', { program: 'coffee-club' }],
    ['provision', { program: 'coffee-club' }],
    ['export', {}],
  ];

  it.each(kinds)('is resumed and cancelled by the role that asked for it: %s', async (kind, asked) => {
    const refused = { status: 403, body: { type: 'urn:loyaltyd:problem:role' } };
    expect(await door.post('admin', '/jobs', { kind, ...asked, id: `${kind}-a` })).toMatchObject({ status: 200 });
    const admins = `/jobs/${kind}-a`;
    expect(await door.post('operator', `${admins}/cancel`)).toMatchObject(refused);
    expect(await door.post('operator', `${admins}/pause`)).toMatchObject({ status: 200 });
    expect(await door.post('operator', `${admins}/resume`)).toMatchObject(refused);
    // Asking for the same again neither changes it nor makes it an operator's.
    expect(await door.post('operator', '/jobs', { kind, ...asked, id: `${kind}-a` })).toMatchObject({
      body: { state: 'paused' },
    });
    expect(await door.post('operator', `${admins}/resume`)).toMatchObject(refused);
    expect(await door.post('admin', `${admins}/resume`)).toMatchObject({ status: 200 });
    const operators = `/jobs/${kind}-o`;
    expect(await door.post('operator', '/jobs', { kind, ...asked, id: `${kind}-o` })).toMatchObject({ status: 200 });
    expect(await door.post('admin', `${operators}/pause`)).toMatchObject({ status: 200 });
    expect(await door.post('operator', `${operators}/resume`)).toMatchObject({ status: 200 });
    expect(await door.post('operator', `${operators}/cancel`)).toMatchObject({ status: 200 });
  });

  it('no operator cancels the erasure that an admin has asked for, nor lets one go on; anybody who acts may pause it', async () => {
    const { data } = own(completed) as { readonly data: { readonly memberId: string } };
    await door.ingest(sent({ ...event(completed, data), id: 'for-the-erasure' }));
    const asked = { id: 'gdpr-1', program: 'coffee-club', memberId: data.memberId };
    expect(await door.post('operator', '/jobs', { kind: 'erase', ...asked })).toMatchObject({ status: 403 });
    expect(await door.post('admin', '/jobs', { kind: 'erase', ...asked })).toMatchObject({ status: 200 });
    const refused = { status: 403, body: { type: 'urn:loyaltyd:problem:role' } };
    expect(await door.post('operator', '/jobs/gdpr-1/cancel')).toMatchObject(refused);
    expect(await door.post('operator', '/jobs/gdpr-1/pause')).toMatchObject({ body: { state: 'paused' } });
    expect(await door.post('operator', '/jobs/gdpr-1/resume')).toMatchObject(refused);
    expect(await door.post('operator', '/jobs/gdpr-1/cancel')).toMatchObject(refused);
    expect(await door.post('admin', '/jobs/gdpr-1/resume')).toMatchObject({ body: { state: 'waiting' } });
    expect(await door.post('admin', '/jobs/gdpr-1/cancel')).toMatchObject({ body: { state: 'cancelled' } });
  });

  it('of a time when roles were not kept takes an admin', async () => {
    await door.post('operator', '/jobs', { kind: 'reconcile', program: 'coffee-club', id: 'old' });
    await door.sql('UPDATE job SET needs_role = NULL WHERE job_id = $1', 'old');
    expect(await door.post('operator', '/jobs/old/cancel')).toMatchObject({ status: 403 });
    expect(await door.post('operator', '/jobs/old/pause')).toMatchObject({ status: 200 });
    expect(await door.post('admin', '/jobs/old/cancel')).toMatchObject({ status: 200 });
  });
});
