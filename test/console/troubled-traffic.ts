import type { StatsView } from '#contracts';
import { waitUntil } from '#embedded';

import type { Emission } from '../e2e/traffic.js';
import { emission, enrolled, produce, purchased, refunded } from '../e2e/traffic.js';
import type { ConsoleFixture } from './console-fixture.js';

type IntentStatus = StatsView['intents'][number]['status'];

const memberCount = 24;
const refusals = 9;
const waitMsMax = 60_000;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);

/** A record that no till should send. */
const broken: Emission = { topic: 'purchases', message: { key: 'm-1', value: '{"specversion":"1.0"', headers: {} } };
const unknownProgram = emission('purchases', 'purchase.completed', {
  id: 'p-nowhere',
  memberId: 'm-2',
  purchaseId: 'nowhere',
  program: 'tea-club',
  channel: 'web',
  total: { minor: 500, currency: 'EUR', digits: 2 },
  lines: [],
});

/**
 * Something of everything to look at: delivered, refused by the partner, in doubt, waiting for a pass, set aside, paused.
 */
export async function makeTroubles(fixture: ConsoleFixture): Promise<void> {
  const { broker, topics } = fixture.harness;
  const operator = fixture.api('operator');
  await produce(broker, topics, [
    ...members.map(enrolled),
    ...members.map((memberId) => purchased(memberId, `${memberId}-p0`)),
    ...[broken, unknownProgram],
    purchased('guest-1', 'guest-1-p0'),
  ]);
  await awaitStatus(fixture, 'delivered', memberCount * 2);
  await fixture.breakPartner(
    { operation: 'transaction', kind: 'error-before', status: 422, count: refusals },
    { operation: 'transaction', kind: 'drop-after', probability: 0.3, count: 4 },
  );
  await produce(
    broker,
    topics,
    members.map((memberId) => purchased(memberId, `${memberId}-p1`)),
  );
  await awaitStatus(fixture, 'parked', refusals);
  await fixture.breakPartner();
  const paused = await operator.post('/pauses', {
    program: 'coffee-club',
    operation: 'transaction',
    reason: 'the partner looks at its refunds',
  });
  if (paused.status >= 300) throw new Error(`no pause: ${JSON.stringify(paused.body)}`);
  await produce(
    broker,
    topics,
    members.slice(0, 5).map((memberId) => refunded(memberId, `${memberId}-p0`, `${memberId}-r0`)),
  );
}

/** How many intents stand so. */
async function count(fixture: ConsoleFixture, status: IntentStatus): Promise<number> {
  const { intents } = (await fixture.api('viewer').get('/stats')).body as StatsView;
  return intents.filter((row) => row.status === status).reduce((sum, row) => sum + row.intents, 0);
}

/** Waits until so many intents stand so. */
export async function awaitStatus(fixture: ConsoleFixture, status: IntentStatus, least: number): Promise<void> {
  await waitUntil(async () => (await count(fixture, status)) >= least, {
    what: `${least} ${status}`,
    timeoutMs: waitMsMax,
    intervalMs: 200,
  });
}
