import type { TestBroker } from '../infrastructure/part.js';

/**
 * A `describe` whose tests mean nothing on the embedded broker (rebalances, retention, topics re-created). Without a
 * real Kafka they are reported as skipped, each with the reason:
 * `describeWithRealKafka(await testBroker(), 'a rebalance', () => { ... })`.
 */
export const describeWithRealKafka = (broker: TestBroker, title: string, body: () => void): void => {
  if (broker.isReal) describe(title, body);
  else describe.skip(`${title} [skipped, ${broker.origin}]`, body);
};
