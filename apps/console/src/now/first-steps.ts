import type { DoctorCheck } from './check-areas.js';
import { countOf, type DoctorReport, standing, type Stats } from './problem.js';

/** What an installation needs before the first event can reach the partner. */
export interface FirstStep {
  readonly name: string;
  /** `wrong`: a person must do something. `open`: it has not been yet. */
  readonly state: 'done' | 'wrong' | 'open';
  readonly text: string;
  /** Where more is said of it: a page below `docs/`. */
  readonly page: string;
}

interface Examined {
  readonly name: string;
  /** How the names of its checks begin. */
  readonly starts: readonly string[];
  readonly well: string;
  readonly page: string;
}

/** Steps that the examination sees. */
const examined: readonly Examined[] = [
  {
    name: 'Postgres is ready',
    starts: ['postgres.', 'installation.'],
    well: 'The schema is there, and our keys open what is in it.',
    page: 'operations/install.md',
  },
  {
    name: 'The programs file is valid',
    starts: ['programs.'],
    well: 'Each program and its dialect can be read.',
    page: 'operations/programs-file.md',
  },
  {
    name: 'The topics are there',
    starts: ['kafka.token', 'kafka.connection', 'kafka.topics', 'sources.'],
    well: 'The brokers answer, and we may read each topic.',
    page: 'operations/provisioning.md',
  },
  {
    name: 'The partner lets us in',
    starts: ['partner.'],
    well: 'It gave a token, and answered a lookup of each program.',
    page: 'partner-dialect.md',
  },
];

function ofExamined({ name, starts, well, page }: Examined, checks: readonly DoctorCheck[] | null): FirstStep {
  if (checks === null) return { name, state: 'open', text: 'Not examined yet.', page };
  const own = checks.filter((check) => starts.some((start) => check.name.startsWith(start)));
  const failed = own.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    return {
      name,
      state: 'wrong',
      text: `${failed.name}: ${failed.detail}. ${failed.remedy ?? ''}`,
      page: failed.page,
    };
  }
  const seen = own.some(({ state }) => state !== 'skipped');
  return seen ? { name, state: 'done', text: well, page } : { name, state: 'open', text: 'Not looked at.', page };
}

function workers({ processes }: Stats): FirstStep {
  const absent = ['ingest', 'delivery'].filter((role) => !processes.some(({ roles }) => roles.includes(role)));
  return {
    name: 'Somebody takes in and delivers',
    state: absent.length === 0 ? 'done' : 'wrong',
    text:
      absent.length === 0 ? 'There are processes of both roles.' : `No process has the role ${absent.join(' or ')}.`,
    page: 'operations/install.md',
  };
}

function firstEvent(stats: Stats): FirstStep {
  const recorded = stats.intents.reduce((sum, { intents }) => sum + intents, 0);
  const aside = stats.quarantine.reduce((sum, { records }) => sum + records, 0);
  const step = { name: 'The first event is taken in', page: 'producers.md' };
  if (recorded > 0) return { ...step, state: 'done', text: `${countOf(recorded, 'intent')} recorded.` };
  if (aside === 0) return { ...step, state: 'open', text: 'No event has made anything owed yet.' };
  const are = aside === 1 ? 'is' : 'are';
  const text = `${countOf(aside, 'record')} ${are} set aside, and none was taken in.`;
  return { ...step, state: 'wrong', text, page: 'operations/quarantine.md' };
}

function firstDelivery(stats: Stats): FirstStep {
  const parked = standing(stats, ['parked', 'unknown']);
  const step = { name: 'The first call is delivered', page: 'operations/stuck.md' };
  if (parked === 0) return { ...step, state: 'open', text: 'Nothing was delivered yet.' };
  return { ...step, state: 'wrong', text: `${countOf(parked, 'intent')} parked or in doubt, and none is delivered.` };
}

/**
 * What is to be done until the first call is delivered, in order; null once one was. A warning keeps nothing from working: the
 * checks show it.
 */
export function firstSteps(stats: Stats, doctor: DoctorReport | null): readonly FirstStep[] | null {
  if (standing(stats, ['delivered']) > 0) return null;
  return [
    ...examined.map((one) => ofExamined(one, doctor?.checks ?? null)),
    workers(stats),
    firstEvent(stats),
    firstDelivery(stats),
  ];
}
