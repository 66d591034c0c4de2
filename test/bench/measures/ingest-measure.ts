import type { TestBroker } from '#test-support';
import { createTopics, kafkaClient, testBroker } from '#test-support';

import type { BacklogSize } from '../backlog/fill-store.js';
import { fillStore } from '../backlog/fill-store.js';
import { eventHeaders, memberId, purchaseEvent } from '../backlog/purchase-event.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Bar } from '../report/bench-report.js';
import type { Entrant, FinishedRound, Measure, MeasureTools } from './measure.js';

const recordsPerSend = 1_000;
const partitions = 4;

/** The broker of a run with a topic full of purchases. */
interface BenchKafka {
  readonly broker: TestBroker;
  readonly topic: string;
}

const fillTopic = async (broker: TestBroker, topic: string, size: BacklogSize): Promise<void> => {
  const total = size.members * size.intentsPerMember;
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  for (let from = 0; from < total; from += recordsPerSend) {
    const numbers = Array.from({ length: Math.min(recordsPerSend, total - from) }, (_, index) => from + index);
    const messages = numbers.map((number) => ({
      key: memberId(number % size.members),
      value: purchaseEvent(number % size.members, Math.floor(number / size.members) + 2),
      headers: eventHeaders,
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
};

/** Picks the broker as the tests do and writes the events; ranks begin at 2: each member has one intent already. */
const startBenchKafka = async (size: BacklogSize): Promise<BenchKafka> => {
  const broker = await testBroker();
  const topic = `loyalty.bench.${process.pid}.${Date.now()}`;
  await createTopics(broker, [topic, `${topic}.members`, `${topic}.rewards`], partitions);
  await fillTopic(broker, topic, size);
  return { broker, topic };
};

const ours = 'ingest';
const bare = 'bare-ingest';

const bars: readonly Bar[] = [
  { text: '>= 20,000 events/s (design.md section 11)', atLeast: 20_000, against: [] },
  {
    text: '>= 60 % of a bare kafkajs eachBatch + unnest loop (design.md section 11)',
    atLeast: 0.6,
    against: [bare],
  },
];

const notes = [
  'Kafka to committed rows, from the first commit to the last, without joining the group.',
  'The bare loop parses JSON and inserts the rows of the intents: no schema, identity, member, order or encryption.',
];

const verifyCount = async (table: string, { databaseUrl }: FinishedRound, records: number): Promise<void> => {
  const [row] = await runSql<{ count: number }>(databaseUrl, `SELECT count(*)::int AS count FROM ${table}`);
  if (row?.count !== records) throw new Error(`${table} holds ${row?.count ?? 0} rows instead of ${records}`);
};

/** Fills the template and the topic. */
export const ingestMeasure = async ({ plan, postgres, encryptionKey, say }: MeasureTools): Promise<Measure> => {
  const { members, intentsPerMember } = plan.ingest;
  const records = members * intentsPerMember;
  say(`ingest: starting Kafka and producing ${records} purchases of ${members} members`);
  const url = await postgres.create('members');
  await fillStore(url, encryptionKey, { members, intentsPerMember: 1 });
  await runSql(url, 'CREATE TABLE bare_intent (LIKE intent INCLUDING DEFAULTS INCLUDING INDEXES)');
  const { broker, topic } = await startBenchKafka(plan.ingest);
  let groups = 0;
  const entrant = (name: string, label: string, verify: Entrant['verify']): Entrant => ({
    name,
    label,
    settings: '4 partitions, 500 records a transaction',
    template: 'members',
    verify,
    get input() {
      groups += 1;
      return {
        stubOrigin: '',
        encryptionKey,
        members,
        intentsPerMember,
        concurrency: plan.concurrency,
        secondsMax: plan.roundSecondsMax,
        kafka: { brokers: broker.brokers, topic, groupId: `${topic}.${groups}`, records },
      };
    },
  });
  return {
    name: 'ingest',
    unit: 'events/s',
    entrants: [
      entrant(ours, 'loyaltyd', (round) => verifyCount('intent', round, records + members)),
      entrant(bare, 'bare eachBatch + unnest insert', (round) => verifyCount('bare_intent', round, records)),
    ],
    bars,
    notes: [...notes, `Kafka ${broker.version} (${broker.origin})${broker.isReal ? '' : ': NOT a real broker'}`],
    beforeRound: async () => undefined,
    stop: async () => undefined,
  };
};
