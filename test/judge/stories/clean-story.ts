import { euro, Story, yen, type Draft } from './story.js';

/**
 * A week of a small shop in which all is right: two programs, six members, and one of each thing that shops do. Each
 * planted mistake changes what became of it, and nothing else.
 */
export function cleanStory(): Draft {
  const story = new Story();
  ada(story);
  bob(story);
  households(story);
  cem(story);
  kiosk(story);
  setAside(story);
  market(story);
  return story.draft;
}

/** Enrols, is promoted, clears a message; buys, returns, is given rewards. */
function ada(story: Story): void {
  const about = { program: 'coffee', memberId: 'ada' };
  const enrolled = story.tell('member.enrolled', {
    ...about,
    person: { firstName: 'Ada', lastName: 'L', email: 'home@example.org', birthDate: '1990-02-01' },
    tier: 'basic',
    message: 'Welcome',
    groupId: 'g-1',
    smsSubscription: 'promotional',
    pass: { points: 20, seat: '4' },
    metaData: { shopify: '7741' },
  });
  const updated = story.tell('member.updated', {
    ...about,
    changed: ['tier', 'pass.points', 'message'],
    tier: 'gold',
    pass: { points: 100 },
    message: null,
  });
  // Told late by a second till, of an earlier time: the tier is stale, the group is not.
  const stale = story.tell(
    'member.updated',
    { ...about, changed: ['tier', 'groupId'], tier: 'basic', groupId: 'g-2' },
    { source: '/web', time: story.timeOf(enrolled).replace('.000Z', '.500Z'), sequence: '900' },
  );
  story.effect('coffee', 'ada', { operation: 'issue', body: { passdata: { points: 20 } } });
  story.effect('coffee', 'ada', {
    operation: 'update-via-workflow',
    target: '78',
    body: { passdata: { points: 100 } },
  });
  story.effect('coffee', 'ada', { operation: 'update-via-workflow', target: '78', body: { groupId: 'g-2' } });
  story.pass('coffee', 'ada', {
    person: { firstName: 'Ada', lastName: 'L', email: 'home@example.org', birthday: '1990-02-01' },
    templateId: '11',
    templateTierId: '2',
    currentMessage: null,
    groupId: 'g-2',
    smsSubscription: 200,
    passdata: { points: 90, seat: '4', metaData: { shopify: '7741' } },
  });
  story.outcome('pass.issued', enrolled, { passId: 'coffee:ada', serialNumber: 's-ada' });
  story.delivered(enrolled, updated, stale);

  const bought = story.tell('purchase.completed', {
    ...about,
    purchaseId: 'B-1',
    storeId: 'berlin',
    total: euro(5990),
  });
  const again = story.tell('purchase.completed', { ...about, purchaseId: 'B-2', storeId: 'berlin', total: euro(1000) });
  const returned = story.tell('purchase.refunded', { ...about, refundId: 'R-1', purchaseId: 'B-1', total: euro(1990) });
  for (const [of, receipt, amount] of [
    [bought, 'B-1', '59.90'],
    [again, 'B-2', 10],
  ] as const) {
    story.transaction('coffee', 'ada', { target: '31', of, amount, attributes: { store: 'berlin', receipt } });
  }
  story.transaction('coffee', 'ada', {
    target: '32',
    of: returned,
    amount: -19.9,
    attributes: { receipt: 'R-1', of: 'B-1' },
  });
  const corrected = story.tell('purchase.corrected', {
    ...about,
    correctionId: 'C-1',
    purchaseId: 'B-2',
    storeId: 'berlin',
    previousTotal: euro(1000),
    total: euro(800),
  });
  story.transaction('coffee', 'ada', { target: '35', of: corrected, amount: -2, attributes: { correction: 'C-1' } });
  story.delivered(bought, again, returned, corrected);

  const granted = story.tell('reward.granted', { ...about, grantId: 'g-1', reward: 'free-coffee' });
  story.effect('coffee', 'ada', { operation: 'reward', target: '9001' });
  story.delivered(granted);
}

/** Voids: one before its purchase, one in time, one too late; a refund of what was cancelled is parked. */
function bob(story: Story): void {
  const about = { program: 'coffee', memberId: 'bob' };
  const enrolled = story.tell('member.enrolled', { ...about, person: { firstName: 'Bob' }, tier: 'basic' });
  story.effect('coffee', 'bob', { operation: 'issue', body: { passdata: {} } });
  story.pass('coffee', 'bob', {
    person: { firstName: 'Bob' },
    templateId: '11',
    templateTierId: '1',
    passdata: { points: 0 },
  });
  story.delivered(enrolled);
  const buy = (purchaseId: string): string =>
    story.tell('purchase.completed', { ...about, purchaseId, storeId: 'paris', total: euro(700) });
  const take = (purchaseId: string, readByMs: number): string =>
    story.tell('purchase.voided', { ...about, purchaseId, storeId: 'paris', total: euro(700) }, { readByMs });

  take('V-1', story.nowMs());
  story.list('cancelled', buy('V-1'), 'voided');
  const inTime = buy('V-2');
  take('V-2', story.nowMs());
  story.list('cancelled', inTime, 'voided');
  const late = buy('V-3');
  story.transaction('coffee', 'bob', {
    target: '31',
    of: late,
    amount: 7,
    attributes: { store: 'paris', receipt: 'V-3' },
  });
  take('V-3', story.nowMs());
  story.delivered(late);
  const hopeless = story.tell('purchase.refunded', { ...about, refundId: 'R-2', purchaseId: 'V-2', total: euro(700) });
  story.list('parked', hopeless, 'missing-purchase', { member: 'bob' });
  story.outcome('intent.parked', hopeless, { reason: 'missing-purchase', holdsLane: false });

  const training = { attributes: { training: 'true' } };
  story.tell('purchase.completed', { ...about, ...training, purchaseId: 'T-1', storeId: 'paris', total: euro(700) });
  story.tell('purchase.voided', { ...about, purchaseId: 'T-1', channel: 'test', total: euro(700) });
  const refused = story.tell('purchase.completed', { ...about, purchaseId: 'P-1', storeId: 'paris', total: euro(300) });
  story.list('parked', refused, 'rejected', { member: 'bob' });
  const granted = story.tell('reward.granted', { ...about, grantId: 'g-2', reward: 'cake' });
  story.effect('coffee', 'bob', { operation: 'reward', target: '9002' });
  story.delivered(granted);
  story.tell('reward.revoked', { ...about, grantId: 'g-3' });
  story.list('cancelled', story.tell('reward.granted', { ...about, grantId: 'g-3', reward: 'cake' }), 'revoked');
  const regretted = story.tell('reward.revoked', { ...about, grantId: 'g-2' });
  story.list('parked', regretted, 'unroutable');
}

/** Dora shares Ada's e-mail address. Her enrolment was refused once, mended by an operator, and went. */
function households(story: Story): void {
  const about = { program: 'coffee', memberId: 'dora' };
  const enrolled = story.tell('member.enrolled', {
    ...about,
    person: { firstName: 'Dora', email: 'home@example' },
    tier: 'basic',
  });
  story.act('correct', {
    place: enrolled,
    atMs: story.nowMs(),
    data: { ...about, person: { firstName: 'Dora', email: 'home@example.org' }, tier: 'basic' },
  });
  story.effect('coffee', 'dora', { operation: 'issue', body: { passdata: {} } });
  story.pass('coffee', 'dora', {
    person: { firstName: 'Dora', email: 'home@example.org' },
    templateId: '11',
    templateTierId: '1',
    passdata: { points: 0 },
  });
  story.outcome('pass.issued', enrolled, { passId: 'coffee:dora', serialNumber: 's-dora' });
  story.delivered(enrolled);
}

/** Leaves, buys all the same, and comes back with another tier; the points of the card stay. */
function cem(story: Story): void {
  const about = { program: 'coffee', memberId: 'cem' };
  const first = story.tell('member.enrolled', {
    ...about,
    person: { firstName: 'Cem' },
    tier: 'basic',
    pass: { points: 5 },
  });
  const left = story.tell('member.opted-out', { ...about, scope: 'program' }, { readByMs: story.nowMs() + 1_001 });
  const away = story.tell('purchase.completed', { ...about, purchaseId: 'A-1', storeId: 'berlin', total: euro(900) });
  story.list('parked', away, 'not-a-member');
  const back = story.tell('member.enrolled', {
    ...about,
    person: { firstName: 'Cem' },
    tier: 'gold',
    message: 'Back again',
    smsSubscription: 'promotional',
    pass: { points: 0, optOut: false },
  });
  story.effect('coffee', 'cem', { operation: 'issue', body: { passdata: { points: 5 } } });
  story.effect('coffee', 'cem', {
    operation: 'update-via-workflow',
    target: '78',
    body: { passdata: { optOut: true } },
  });
  story.effect('coffee', 'cem', {
    operation: 'update-via-workflow',
    target: '78',
    body: { passdata: { optOut: false } },
  });
  story.pass('coffee', 'cem', {
    person: { firstName: 'Cem' },
    templateId: '11',
    templateTierId: '2',
    currentMessage: 'Back again',
    smsSubscription: 200,
    passdata: { points: 5, optOut: false },
  });
  story.delivered(first, left, back);
  const quiet = story.tell('member.enrolled', { program: 'coffee', memberId: 'eve', smsSubscription: 'promotional' });
  const stop = story.tell('member.opted-out', { program: 'coffee', memberId: 'eve', scope: 'sms' });
  story.effect('coffee', 'eve', { operation: 'issue', body: { passdata: {} } });
  story.effect('coffee', 'eve', { operation: 'update-via-workflow', target: '78', body: { smsSubscription: 900 } });
  story.pass('coffee', 'eve', { templateId: '11', smsSubscription: 900, passdata: { points: 0 } });
  story.delivered(quiet, stop);
}

/** Receipts that restart per store, yen without digits, a mapped void, a mapped revocation. */
function kiosk(story: Story): void {
  const about = { program: 'kiosk', memberId: 'ren' };
  const enrolled = story.tell('member.enrolled', about);
  story.effect('kiosk', 'ren', { operation: 'issue', body: { passdata: { points: 0 } } });
  story.pass('kiosk', 'ren', { passdata: { points: 5 } });
  story.delivered(enrolled);
  const buy = (storeId: string, minor: number): string =>
    story.tell('purchase.completed', { ...about, purchaseId: '118', storeId, total: yen(minor) });
  for (const [store, amount] of [
    ['berlin', 5999],
    ['paris', 820],
  ] as const) {
    const of = buy(store, amount);
    story.transaction('kiosk', 'ren', { target: '41', of, amount, attributes: { store, receipt: '118' } });
    story.delivered(of);
  }
  const taken = story.tell('purchase.voided', { ...about, purchaseId: '118', storeId: 'paris', total: yen(820) });
  story.transaction('kiosk', 'ren', { target: '43', of: taken, amount: -820, attributes: { receipt: '118' } });
  const elsewhere = story.tell('purchase.refunded', {
    ...about,
    refundId: 'R-9',
    purchaseId: '118',
    storeId: 'rome',
    original: { storeId: 'berlin', purchaseId: '118' },
    total: yen(999),
  });
  story.transaction('kiosk', 'ren', { target: '42', of: elsewhere, amount: -999, attributes: { receipt: 'R-9' } });
  const tickets = ['t-1', 't-2', 't-3'].map((grantId) =>
    story.tell('reward.granted', { ...about, grantId, reward: 'ticket' }),
  );
  tickets.forEach(() => story.effect('kiosk', 'ren', { operation: 'reward', target: '9101' }));
  const regretted = [1, 2].map((n) => story.tell('reward.revoked', { ...about, grantId: `t-${n}` }));
  regretted.forEach(() => story.effect('kiosk', 'ren', { operation: 'reward', target: '9102' }));
  story.delivered(taken, elsewhere, ...tickets, ...regretted);
}

/** Repetitions, contradictions, what cannot be read; one of them was mended and taken in. */
function setAside(story: Story): void {
  const about = { program: 'coffee', memberId: 'ada' };
  const repeated = { ...about, purchaseId: 'B-2', storeId: 'berlin', total: euro(1000) };
  const first = story.draft.records.find(({ value }) => JSON.stringify(value).includes('"purchaseId":"B-2"'));
  story.tell('purchase.completed', { ...repeated, till: 'mended' }, { time: story.timeOf(first?.place ?? '') });
  story.list('quarantined', story.tell('purchase.completed', { ...repeated, total: euro(1100) }), 'conflict');
  story.list(
    'quarantined',
    story.tell('purchase.completed', { ...repeated, program: 'tea', purchaseId: 'B-9' }),
    'unknown-program',
  );
  const reset = { time: '2000-01-01T00:10:00Z' };
  story.list('quarantined', story.tell('purchase.completed', { ...repeated, purchaseId: 'B-0' }, reset), 'invalid');
  const yens = story.tell('purchase.completed', { ...repeated, purchaseId: 'B-3', total: yen(3) });
  story.list('quarantined', yens, 'unroutable', { dealtWith: 'resubmitted' });
  const { value } = story.draft.records.at(-1)!;
  const corrected = { ...(value as object), data: { ...repeated, purchaseId: 'B-3', total: euro(300) } };
  story.act('resubmit', { place: yens, atMs: story.nowMs(), corrected: { value: corrected } });
  story.transaction('coffee', 'ada', {
    target: '31',
    of: yens,
    amount: 3,
    attributes: { store: 'berlin', receipt: 'B-3' },
  });
  story.delivered(yens);
  // Lies in quarantine while its void passes; taken in, the void cancels it.
  const sleeping = story.tell('purchase.completed', { ...repeated, purchaseId: 'B-4', total: yen(4) });
  story.tell('purchase.voided', { ...about, purchaseId: 'B-4', storeId: 'berlin' }, { readByMs: story.nowMs() });
  story.list('quarantined', sleeping, 'unroutable', { dealtWith: 'resubmitted' });
  const { value: asleep } = story.draft.records.at(-2)!;
  const mended = { ...(asleep as object), data: { ...repeated, purchaseId: 'B-4', total: euro(400) } };
  story.act('resubmit', { place: sleeping, atMs: story.nowMs() + 10, corrected: { value: mended } });
  story.list('cancelled', sleeping, 'voided');
  story.list('parked', story.tell('member.merged', { ...about, absorbed: ['old'] }), 'merged');
}

/** A market's tills write receipts of their own: a sale, told again in another place, and an exchange, which is two things. */
function market(story: Story): void {
  const shop = 'markt';
  const first = { uuid: 'm-first', sold: { receipt: 'M-1', shop, sum: 20, items: [{ sku: 'S', n: 1 }] } };
  const bought = story.receipt('sale', first);
  story.ofReceipt(bought, '31', { amount: 20, attributes: { store: shop, receipt: 'M-1' } });
  const told = { program: 'coffee', memberId: 'ada' };
  story.outcome('intent.delivered', bought, { ...told, purchaseId: 'M-1' });
  const { printed } = story.draft.records.at(-1)?.value as { printed: number };
  story.receipt('sale', first, { partition: 1, printed });
  const exchanged = story.receipt('exchange', {
    returned: { number: 'N-1', ref: 'n 1', receipt: 'M-1', shop, sum: 5.5 },
    sold: { receipt: 'M-2', shop, sum: '29.90' },
  });
  story.ofReceipt(exchanged, '32', { amount: -5.5, attributes: { receipt: 'N-1', of: 'M-1' } });
  story.ofReceipt(exchanged, '31', { amount: 29.9, attributes: { store: shop, receipt: 'M-2' } });
  for (const purchaseId of ['M-1', 'M-2']) story.outcome('intent.delivered', exchanged, { ...told, purchaseId });
  story.receipt('training', first);
  const sold = { receipt: 'M-9', shop, sum: '12,50' };
  story.list('quarantined', story.receipt('sale', { sold }), 'invalid');
  story.list('quarantined', story.receipt('basket', { sold: { ...sold, sum: 1 } }), 'invalid');
  const returned = { number: 'N-9', receipt: 'M-1', shop, sum: 1 };
  story.list('quarantined', story.receipt('exchange', { returned, sold }), 'invalid');
  story.list('quarantined', story.receipt('gift', { given: { grant: 'g-9' } }), 'not-allowed');
}
