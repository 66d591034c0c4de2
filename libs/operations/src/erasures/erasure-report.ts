import type { TopicNames } from '#contracts';
import type { ErasureTrace } from '#intents';

/** What the search of the quarantine came to. */
export interface QuarantineCounts {
  readonly quarantineLooked: number;
  readonly quarantineErased: number;
  readonly alreadyPublished: number;
}

interface OutOfReach {
  readonly what: string;
  readonly why: string;
}

function topicsOutOfReach(topics: TopicNames | null, { alreadyPublished }: QuarantineCounts): OutOfReach[] {
  if (topics === null) {
    return [{ what: 'Kafka topics', why: 'Records stay until the retention of their topic ends.' }];
  }
  const { members, purchases, rewards, outcomes, deadLetter } = topics;
  const why = 'Records stay until the retention of the topic ends; ask whoever runs Kafka.';
  const letters = `${why} It has been given ${alreadyPublished} records about the member that were set aside.`;
  return [
    ...[members, purchases, rewards].map((what) => ({ what: `topic ${what}`, why })),
    ...(outcomes === null
      ? []
      : [{ what: `topic ${outcomes}`, why: `${why} It may hold download links of the pass.` }]),
    ...(deadLetter === null ? [] : [{ what: `topic ${deadLetter}`, why: letters }]),
  ];
}

const elsewhere: readonly OutOfReach[] = [
  { what: 'partner', why: 'It has no call that deletes a person or a pass: ask it in writing.' },
  {
    what: 'backups',
    why: 'Backups, WAL archives and replicas of before hold the key: keep them no longer than needed.',
  },
  { what: 'exports', why: 'Files that were made with personal values: delete them where they lie.' },
  {
    what: 'quarantine',
    why: 'Records that do not tell whom they are about, and those set aside while this ran, stay as they are, sealed.',
  },
  { what: 'logs', why: 'They hold no personal values; a member is 12 digits of a keyed hash.' },
];

/** What an erasure did, step by step, what it left on purpose, and what it cannot reach. */
export function erasureReport(trace: ErasureTrace, counts: QuarantineCounts, topics: TopicNames | null): object {
  const { alreadyErased, intents, cancelled, parkedAsErased, leftUnderWay, optOutsUntold } = trace;
  const { quarantineLooked: looked, quarantineErased: erased, alreadyPublished } = counts;
  return {
    alreadyErased,
    steps: [
      { step: 'queue', cancelled, parkedAsErased, leftUnderWay, optOutsUntold },
      { step: 'key', intents },
      { step: 'quarantine', looked, erased, alreadyPublished },
    ],
    kept: [
      'the member id, ids of purchases, stores and passes, amounts and times: the history of what was sent',
      'keyed digests of what was seen: they tell what comes again, and nothing of a person',
      'who asked for this erasure, when and why',
    ],
    outOfReach: [...elsewhere, ...topicsOutOfReach(topics, counts)],
  };
}
