import { hasItems, type Job, type JobKind } from './job-kinds.js';
import { wordsOf } from './job-progress.js';

/**
 * `finding`: somebody should see to it. `done`: it went as it should. `note`: good to know, such as whom a comparison did
 * not judge.
 */
type Weight = 'finding' | 'done' | 'note';

interface CountWords {
  readonly weight: Weight;
  /** What stands after the number, of one and of many. */
  readonly one: string;
  readonly many: string;
  /** What it asks for. */
  readonly next?: string;
}

/** Something that a job has counted, in words. */
export interface Counted extends Omit<CountWords, 'one' | 'many'> {
  readonly name: string;
  readonly count: number;
  readonly text: string;
}

const say = (weight: Weight, one: string, many: string, more: Pick<CountWords, 'next'> = {}): CountWords => ({
  weight,
  one,
  many,
  ...more,
});

const beyond = say(
  'finding',
  'finding more is counted, but has no line',
  'findings more are counted, but have no lines',
  {
    next: 'There were too many of a kind: see to these first, then run it again.',
  },
);
const withoutMemberId = say('finding', 'pass carries no id of ours', 'passes carry no id of ours', {
  next: 'Somebody else issued them, or somebody by hand: ask the partner whose they are. The lines name the passes.',
});
const unreadable = say('note', 'row of the listing is no pass', 'rows of the listing are no passes');

const reconcile: Readonly<Record<string, CountWords>> = {
  missingThere: say(
    'finding',
    'pass that we know is not at the partner',
    'passes that we know are not at the partner',
    {
      next: 'A look-up confirmed it: they were removed there, or lost. A repair issues them anew; opt those out first whose card was removed on purpose.',
    },
  ),
  missingHere: say(
    'finding',
    'member has a pass there that we do not know',
    'members have a pass there that we do not know',
    {
      next: 'A repair records them.',
    },
  ),
  differing: say('finding', 'pass differs from what we sent last', 'passes differ from what we sent last', {
    next: 'The lines say in what. Open a member and ask the partner: it shows both, value by value. Nothing mends it by itself: the next update of the member sends it again, else somebody changes it there.',
  }),
  unknownMember: say('finding', 'pass is of a member whom we never saw', 'passes are of members whom we never saw', {
    next: 'They can be taken over: their purchases then go without a lookup.',
  }),
  duplicateThere: say('finding', 'further pass of a member who has one', 'further passes of members who have one', {
    next: 'Ask the partner which one is in use, and have the other removed there.',
  }),
  unconfirmed: say(
    'finding',
    'pass is not listed, and nothing proves it missing',
    'passes are not listed, and nothing proves them missing',
    {
      next: 'The lines say why. Compare again later; no repair touches them.',
    },
  ),
  withoutMemberId,
  linesBeyond: beyond,
  matched: say('done', 'pass is known on both sides', 'passes are known on both sides'),
  issuedAnew: say('done', 'pass is issued anew', 'passes are issued anew'),
  adopted: say('done', 'pass is recorded', 'passes are recorded'),
  inFlux: say(
    'note',
    'of those is not compared: something of the member was just under way',
    'of those are not compared: something of the member was just under way',
  ),
  underWay: say(
    'note',
    'is not compared: its enrolment is under way',
    'are not compared: their enrolments are under way',
  ),
  newMeanwhile: say(
    'note',
    'is not compared: we know the pass since a moment only',
    'are not compared: we know the passes since a moment only',
  ),
  dead: say('note', 'is no card any more by its status', 'are no cards any more by their status'),
  listedLate: say('note', 'was not listed, but a look-up finds it', 'were not listed, but a look-up finds them'),
  listedAgain: say('note', 'was listed twice, as the pages shifted', 'were listed twice, as the pages shifted'),
  left: say('note', 'is of a member who was erased or has left', 'are of members who were erased or have left'),
  unreadable,
};

const reread: Readonly<Record<string, CountWords>> = {
  proven: say('done', 'answer proves now that it was done', 'answers prove now that it was done'),
  settled: say('done', 'intent counts as delivered now', 'intents count as delivered now'),
  stillUnproven: say('finding', 'answer still proves nothing', 'answers still prove nothing', {
    next: 'They stay parked: look at the partner and resolve them, or mend the dialect and read again.',
  }),
  withoutAnswer: say(
    'finding',
    'intent has no answer that could be read',
    'intents have no answer that could be read',
    {
      next: 'They stay parked: look at the partner and resolve them.',
    },
  ),
  movedMeanwhile: say('note', 'was settled by somebody meanwhile', 'were settled by somebody meanwhile'),
  read: say('note', 'intent was looked at', 'intents were looked at'),
};

/** What a topic that was read again holds. */
const rereadTopic: Readonly<Record<string, CountWords>> = {
  differs: say('finding', 'record makes other events now', 'records make other events now', {
    next: 'Nothing was changed for them. The lines name each intent and in what it differs: correct what has not left, and have the shop correct what has.',
  }),
  missed: say('finding', 'event was missed', 'events were missed', {
    next: 'They can be recorded, once, from this page.',
  }),
  ignoredBefore: say('finding', 'record holds an event that was ignored', 'records hold events that were ignored', {
    next: 'They are made otherwise now, and known by their ids: let the map give them other ids, reload, and read again.',
  }),
  quarantined: say('finding', 'event cannot be taken in', 'events cannot be taken in', {
    next: 'The lines say why. What is recorded goes into quarantine, once.',
  }),
  tooOld: say('finding', 'record is too old to be judged', 'records are too old to be judged', {
    next: 'Identities of then are remembered no longer: it could count twice.',
  }),
  aside: say('note', 'record is in quarantine, or was', 'records are in quarantine, or were', {
    next: 'They are dealt with there.',
  }),
  recorded: say('done', 'event was missed, and is recorded now', 'events were missed, and are recorded now'),
  knownByPlace: say('done', 'record is known by its place', 'records are known by their place'),
  knownByIdentity: say('done', 'event is known by its identity', 'events are known by their identity'),
  ignored: say('note', 'event asks for nothing', 'events ask for nothing'),
  records: say('note', 'record was read', 'records were read'),
};

/** Steps of the plan, and what became of them. */
const provision: Readonly<Record<string, CountWords>> = {
  refused: say('finding', 'step is refused', 'steps are refused', {
    next: 'The lines say why. The next one tries again.',
  }),
  unknown: say('finding', 'step is in doubt', 'steps are in doubt', {
    next: 'Look at the partner, then say what became of it.',
  }),
  skipped: say('finding', 'step is skipped', 'steps are skipped', {
    next: 'What it belongs to was refused, or is in doubt.',
  }),
  'cannot-be-changed': say(
    'finding',
    'thing differs, and no call changes it',
    'things differ, and no call changes them',
    {
      next: 'Change it at the partner, then declare it with exists: true.',
    },
  ),
  'cannot-be-read': say('note', 'thing was made by somebody else', 'things were made by somebody else', {
    next: 'No call reads it: look at the partner whether it is as declared.',
  }),
  'gone-from-file': say('finding', 'thing is declared no longer', 'things are declared no longer', {
    next: 'No call deletes it: that is done at the partner.',
  }),
  warnings: say('finding', 'warning', 'warnings', {
    next: 'The lines name what is sent and declared by nobody, or required and not sent.',
  }),
  create: say('note', 'step makes something new', 'steps make something new'),
  update: say('note', 'step changes something', 'steps change something'),
  'in-place': say('note', 'thing is as declared', 'things are as declared'),
  created: say('done', 'thing is made', 'things are made'),
  updated: say('done', 'thing is changed', 'things are changed'),
  inPlace: say('done', 'thing was as declared', 'things were as declared'),
  leftAlone: say('note', 'step is left alone', 'steps are left alone'),
};

/** What came of its items. */
const replay: Readonly<Record<string, CountWords>> = {
  parked: say('finding', 'intent failed again', 'intents failed again', {
    next: 'See why, mend the cause, then plan a new replay of the same selection.',
  }),
  delivered: say('done', 'intent is delivered', 'intents are delivered'),
};

const many: Readonly<Record<string, CountWords>> = {
  ...replay,
  refused: say('finding', 'intent was refused', 'intents were refused', { next: 'The list below says why.' }),
  done: say('done', 'intent is dealt with', 'intents are dealt with'),
  skipped: say('note', 'intent was left as it is', 'intents were left as they are'),
};

const others: Readonly<Partial<Record<JobKind, Readonly<Record<string, CountWords>>>>> = {
  export: {
    intents: say('done', 'intent', 'intents'),
    events: say('done', 'event of them', 'events of them'),
    erased: say('note', 'is of an erased member: nobody can read it', 'are of erased members: nobody can read them'),
  },
  schedule: {
    selected: say('done', 'pass fits now', 'passes fit now'),
    failed: say('finding', 'call failed', 'calls failed'),
  },
  erase: {
    intents: say('done', 'intent can be opened no more', 'intents can be opened no more'),
    cancelled: say('done', 'intent in the queue is cancelled', 'intents in the queue are cancelled'),
    quarantineErased: say('done', 'record set aside is erased', 'records set aside are erased'),
    quarantineLooked: say('note', 'record set aside was looked through', 'records set aside were looked through'),
    alreadyPublished: say(
      'finding',
      'record was already copied into the topic of rejected ones',
      'records were already copied into the topic of rejected ones',
      {
        next: 'No erasure reaches them there: they go with that topic’s retention.',
      },
    ),
    waitingForAttempt: say('note', 'attempt is waited for', 'attempts are waited for'),
    waitingForOptOut: say('note', 'opt-out is waited for', 'opt-outs are waited for'),
  },
};

const ofRecords = (one: string, more: string): Readonly<Record<string, CountWords>> => ({
  refused: say('finding', 'record stays set aside', 'records stay set aside', {
    next: 'The list says why of each. Mend the cause, then resubmit them once more.',
  }),
  done: say('done', `record ${one}`, `records ${more}`),
  skipped: say('note', 'record was left', 'records were left'),
  waiting: say('note', 'record waits', 'records wait'),
});

const looked: Readonly<Record<string, CountWords>> = {
  refused: say('finding', 'look proves nothing', 'looks prove nothing', {
    next: 'They stay in doubt: the list says why of each. Settle them by the partner’s list, or resolve them.',
  }),
  done: say('done', 'intent is settled by what the partner shows', 'intents are settled by what the partner shows'),
  skipped: say(
    'note',
    'was not asked about: no look can prove anything',
    'were not asked about: no look can prove anything',
  ),
  waiting: say('note', 'intent waits', 'intents wait'),
};

const wordsByKind: Readonly<Partial<Record<JobKind, Readonly<Record<string, CountWords>>>>> = {
  ...{ resolve: many, correct: many, cancel: many, settle: many, ask: looked },
  ...{ resubmit: ofRecords('is taken in', 'are taken in'), discard: ofRecords('is given up', 'are given up') },
  ...{ replay, reconcile, reread, 'reread-topic': rereadTopic, provision },
  ...others,
};

/** Worth saying of a job that has ended also where there is none. */
const always: Readonly<Partial<Record<JobKind, readonly string[]>>> = {
  reconcile: ['matched'],
  reread: ['read'],
  'reread-topic': ['records'],
  export: ['intents'],
  schedule: ['selected'],
};

/** Said by the progress, or in a sentence of its own; `failed` of steps is the refused and the unknown together. */
const saidElsewhere = ['rows', 'pages', 'totalCount', 'steps', 'offsets', 'offsetsRead'];

/** What a repair has mended is none of those that are missing any more. */
function unrepaired(progress: Job['progress']): Job['progress'] {
  const { missingThere = 0, missingHere = 0, issuedAnew = 0, adopted = 0 } = progress;
  return { ...progress, missingThere: missingThere - issuedAnew, missingHere: Math.max(0, missingHere - adopted) };
}

function countsOf(job: Job): Readonly<Record<string, number>> {
  const { kind, progress, selection } = job;
  if (hasItems(kind)) return selection?.byState ?? {};
  if (kind === 'reconcile') return unrepaired(progress);
  return kind === 'provision' ? stepsOf(job) : progress;
}

/** A plan says what it would do, by action; once carried out its steps are counted by their results. */
function stepsOf({ progress, report }: Pick<Job, 'progress' | 'report'>): Readonly<Record<string, number>> {
  const { plan = {}, apply = false } = (report ?? {}) as {
    readonly plan?: Readonly<Record<string, number>>;
    apply?: boolean;
  };
  const { failed: _failed, ...results } = progress;
  return apply ? results : { ...plan, warnings: progress.warnings ?? 0 };
}

const order: Readonly<Record<Weight, number>> = { finding: 0, done: 1, note: 2 };

interface Told {
  /** What there is any of: what asks for somebody first. */
  readonly some: readonly Counted[];
  /** Of what there is none, so that it is known to have been looked for. */
  readonly none: readonly string[];
}

/** By a repair itself nothing is offered to be repaired. */
const whenRepaired: Readonly<Record<string, string>> = {
  missingThere: 'They could not be issued anew: the lines say why.',
  missingHere: 'They could not be recorded: the lines say how they stand.',
};

/** Of a count of a later version the name. */
function inWords({ kind, request }: Job, name: string, count: number): Counted {
  const { one, many, next: usual, ...more } = wordsByKind[kind]?.[name] ?? say('note', wordsOf(name), wordsOf(name));
  const next = (request.repair === true ? whenRepaired[name] : undefined) ?? usual;
  return { name, count, text: count === 1 ? one : many, ...more, ...(next === undefined ? {} : { next }) };
}

/** What a job has counted, in words. */
export function told(job: Job): Told {
  const words = wordsByKind[job.kind] ?? {};
  const places = Object.keys(words);
  const kept = job.state === 'done' ? (always[job.kind] ?? []) : [];
  const counts = { ...Object.fromEntries(kept.map((name) => [name, 0])), ...countsOf(job) };
  const some = Object.entries(counts)
    .filter(([name, count]) => (count > 0 || kept.includes(name)) && !saidElsewhere.includes(name))
    .map(([name, count]) => inWords(job, name, count))
    .toSorted((a, b) => order[a.weight] - order[b.weight] || places.indexOf(a.name) - places.indexOf(b.name));
  const found = new Set(some.map(({ name }) => name));
  const none = Object.entries(words).filter(([name, { weight }]) => weight === 'finding' && !found.has(name));
  return { some, none: none.map(([, { many }]) => many) };
}

/** How many things somebody should see to. */
export const findingsOf = (job: Job): number =>
  told(job).some.reduce((sum, { weight, count }) => sum + (weight === 'finding' ? count : 0), 0);

/** Good news of a comparison that has ended; null: there is none, or something differs. */
export function agreementText(job: Job): string | null {
  if (job.kind !== 'reconcile' || job.state !== 'done' || findingsOf(job) > 0) return null;
  return told(job).some.some(({ weight }) => weight === 'note')
    ? 'Of all that could be compared nothing differs.'
    : 'Both sides agree: there is nothing to do.';
}

const figure = (count: number): string => count.toLocaleString('en');

function lengthText(rows: number, totalCount: number | undefined): string {
  if (totalCount === undefined) {
    return `The partner listed ${figure(rows)} passes, and did not say how many there are.`;
  }
  if (totalCount === rows) return `The partner counts ${figure(rows)} passes, and listed as many.`;
  return `The partner counts ${figure(totalCount)} passes and listed ${figure(rows)}: pages shift under traffic, so some may have been missed. Run it again.`;
}

interface Listing {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Whether the listing that was read is whole, by the partner's own count; null where a job reads none, or has not ended. */
export function listingText({ kind, progress, report }: Job): Listing | null {
  if (kind !== 'reconcile' || report === null || report === undefined) return null;
  const { rows = 0, totalCount } = progress;
  const { isPartial = false } = report as { readonly isPartial?: boolean };
  const part = isPartial ? ' Only that part of the listing was read: what it lacks was not looked for.' : '';
  return {
    text: `${lengthText(rows, totalCount)}${part}`,
    isWhole: totalCount === undefined || totalCount === rows,
  };
}
