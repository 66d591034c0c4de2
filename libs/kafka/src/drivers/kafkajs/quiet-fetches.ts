import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

/** Fetches in a row that have brought nothing: then the ones that follow are not urgent. */
const quietAfter = 20;
/** How much longer a fetch waits then. A heartbeat is due once a second, and follows a fetch. */
const quietFactor = 2;

interface FetchWait {
  readonly usualMs: number;
  empty: number;
}

const waits = new WeakMap<ConsumerGroup, FetchWait>();

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its group below
const fetchAsKafkaJsDoes = ConsumerGroup.prototype.fetch;

/**
 * KafkaJS 2.2.4 lets each fetch wait for the same time for a first byte, however long there has been none: every answer wakes a
 * process that has nothing to do. What comes is answered at once all the same. A stop, and a partition resumed after a long
 * rest, wait for the end of the fetch under way. For all consumers of this process.
 */
ConsumerGroup.prototype.fetch = async function (this: ConsumerGroup, nodeId) {
  const batches = await fetchAsKafkaJsDoes.call(this, nodeId);
  const wait = waits.get(this) ?? { usualMs: this.maxWaitTime, empty: 0 };
  waits.set(this, wait);
  wait.empty = batches.every((batch) => batch.isEmpty()) ? wait.empty + 1 : 0;
  this.maxWaitTime = wait.usualMs * (wait.empty >= quietAfter ? quietFactor : 1);
  return batches;
};
