import type { TestBroker } from '#test-support';
import { createTopics, testBroker } from '#test-support';

import { fillStore } from '../backlog/fill-store.js';
import { fillTopic } from '../backlog/fill-topic.js';
import { tillReceipt } from '../backlog/till-receipt.js';
import type { RoundInput } from '../contestants/contestant.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import type { Entrant, FinishedRound, Measure, MeasureTools } from './measure.js';

const partitions = 4;

const ours = 'ingest';
const mapped = 'mapped-ingest';
const two = 'ingest-fleet';
const bare = 'bare-ingest';
const sealing = 'sealing-ingest';

const bars: readonly Bar[] = [
  { text: 'one consumer >= 19,000 events/s', atLeast: 19_000, against: [] },
  { text: '>= 0.25 x a bare kafkajs eachBatch + unnest loop', atLeast: 0.25, against: [bare] },
  { text: '>= 0.5 x a bare loop that seals and writes the same rows', atLeast: 0.5, against: [sealing] },
  { text: 'a mapped JSON source >= 0.5 x events of ours', of: mapped, atLeast: 0.5, against: [ours] },
];

const barOfTwo: Bar = { text: 'two consumers >= 20,000 events/s', of: two, atLeast: 20_000, against: [] };

const notes = [
  'Kafka to committed rows, from the first commit to the last, without joining the group.',
  'The bare loop parses JSON and inserts the rows of the intents: no schema, identity, member, order or encryption.',
  "The mapped source reads a till's receipts in JSON, which tell the same, by a map in JSONata.",
  'The sealing loop writes our rows (intent, two identities, lane) with sealed payloads: no schema, no look for duplicates.',
];

const noteOfTwo = 'Two consumers: two processes of one group, from when all events lie in Kafka.';

const verifyCount = async (table: string, { databaseUrl }: FinishedRound, records: number): Promise<void> => {
  const [row] = await runSql<{ count: number }>(databaseUrl, `SELECT count(*)::int AS count FROM ${table}`);
  if (row?.count !== records) throw new Error(`${table} holds ${row?.count ?? 0} rows instead of ${records}`);
};

/** A topic with those of the daemon beside it. */
const createTopic = async (broker: TestBroker, topic: string): Promise<void> =>
  createTopics(broker, [topic, `${topic}.purchases`, `${topic}.members`, `${topic}.rewards`], partitions);

/** Fills the template and the topic. */
export const ingestMeasure = async ({ plan, postgres, encryptionKey, say }: MeasureTools): Promise<Measure> => {
  const { members, intentsPerMember } = plan.ingest;
  const records = members * intentsPerMember;
  say(`ingest: starting Kafka and producing ${records} purchases of ${members} members`);
  const url = await postgres.create('members');
  await fillStore(url, encryptionKey, { members, intentsPerMember: 1 });
  await runSql(url, 'CREATE TABLE bare_intent (LIKE intent INCLUDING DEFAULTS INCLUDING INDEXES)');
  const broker = await testBroker();
  const topic = `loyalty.bench.${process.pid}.${Date.now()}`;
  await createTopic(broker, topic);
  await fillTopic(broker, topic, plan.ingest);
  const receipts = `${topic}.receipts`;
  await createTopic(broker, receipts);
  await fillTopic(broker, receipts, { ...plan.ingest, told: { value: tillReceipt, headers: {} } });
  // Filled by the consumers' own process: only then all of them can have joined.
  const emptyTopics = Array.from({ length: plan.rounds + 1 }, (_, round) => `${topic}.${round}`);
  if (broker.isReal) for (const empty of emptyTopics) await createTopic(broker, empty);
  let groups = 0;
  const inputOf = (from: string): Omit<RoundInput, 'databaseUrl'> => {
    groups += 1;
    return {
      stubOrigin: '',
      encryptionKey,
      members,
      intentsPerMember,
      concurrency: plan.concurrency,
      secondsMax: plan.roundSecondsMax,
      kafka: { brokers: broker.brokers, topic: from, groupId: `${topic}.${groups}`, records },
    };
  };
  const entrant = (name: string, label: string, verify: Entrant['verify']): Entrant => ({
    name,
    label,
    settings: '4 partitions, 500 records a transaction',
    template: 'members',
    verify,
    get input() {
      return inputOf(topic);
    },
  });
  const twoConsumers: Entrant = {
    ...entrant(two, 'loyaltyd, two consumers', (round) => verifyCount('intent', round, records + members)),
    isProfiled: false,
    get input() {
      return { ...inputOf(emptyTopics.pop() ?? ''), processes: 2 };
    },
  };
  const mappedSource: Entrant = {
    ...entrant(mapped, 'loyaltyd, mapped JSON source', (round) => verifyCount('intent', round, records + members)),
    get input() {
      return inputOf(receipts);
    },
  };
  return {
    name: 'ingest',
    unit: 'events/s',
    entrants: [
      entrant(ours, 'loyaltyd', (round) => verifyCount('intent', round, records + members)),
      mappedSource,
      // Rebalances mean nothing on the embedded broker.
      ...(broker.isReal ? [twoConsumers] : []),
      entrant(bare, 'bare eachBatch + unnest insert', (round) => verifyCount('bare_intent', round, records)),
      entrant(sealing, 'bare eachBatch, our rows, sealed', async (round) => {
        await verifyCount('intent', round, records + members);
        await verifyCount('dedup', round, 2 * (records + members));
      }),
    ],
    bars: broker.isReal ? [...bars, barOfTwo] : bars,
    budgetsOf: [ours, mapped, sealing],
    notes: [
      ...notes,
      ...(broker.isReal ? [noteOfTwo] : []),
      `Kafka ${broker.version} (${broker.origin})${broker.isReal ? '' : ': NOT a real broker'}`,
    ],
    beforeRound: async () => undefined,
    stop: async () => undefined,
  };
};
