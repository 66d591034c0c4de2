import { durationText } from '../../components/time-words.js';
import type { Replay } from './replay-filter.js';

interface Expectation {
  readonly short: string;
  readonly meaning: string;
  /** Whether it is sent at all. */
  readonly isSent: boolean;
}

/** What the daemon expects of an item, by its own history. */
const expectations: Readonly<Record<string, Expectation>> = {
  'will-post': { short: 'will be sent', meaning: 'Nothing speaks against it.', isSent: true },
  'was-refused': {
    short: 'refused before',
    meaning: 'The partner refused it: it will do so again unless its cause is mended.',
    isSent: true,
  },
  'corrected-since': {
    short: 'corrected since',
    meaning: 'The partner refused it, and somebody has corrected it afterwards.',
    isSent: true,
  },
  'needs-decision': {
    short: 'may have taken effect',
    meaning: 'Left as it is: sending it again could do it twice. Look at the partner and resolve it.',
    isSent: false,
  },
  'answered-yes': {
    short: 'most likely done',
    meaning: 'Left as it is: the partner answered with a success that proved nothing. Look, and resolve it.',
    isSent: false,
  },
  expired: { short: 'over', meaning: 'Left as it is: it was good until a certain time.', isSent: false },
  voided: { short: 'taken back', meaning: 'Left as it is: a void or revocation took it back.', isSent: false },
  'lane-blocked': {
    short: 'behind another one',
    meaning: 'Left as it is: another intent of its member, which is not selected, blocks the queue. Mend that first.',
    isSent: false,
  },
  'nothing-to-send': { short: 'nothing to send', meaning: 'Left as it is: no call can carry it.', isSent: false },
  'not-a-member': {
    short: 'member has left',
    meaning: 'Left as it is: its member has left the program.',
    isSent: false,
  },
  merged: {
    short: 'member absorbed',
    meaning:
      'Left as it is: another member has absorbed its member. What is to count is told anew for that one, under a number of its own.',
    isSent: false,
  },
  'will-change': { short: 'will be corrected', meaning: 'It gets the other content.', isSent: true },
  'nothing-changed': {
    short: 'says that already',
    meaning: 'Left as it is: the correction changes nothing.',
    isSent: false,
  },
  'cannot-be-corrected': {
    short: 'cannot be corrected so',
    meaning: 'Left as it is: no request could be made of it, or there is no such field. The list says why.',
    isSent: false,
  },
  'needs-admin': { short: 'takes an admin', meaning: 'Refused, unless an admin starts this.', isSent: true },
  listed: { short: 'in the list', meaning: 'The partner has it: it is settled as delivered.', isSent: true },
  'not-listed': {
    short: 'not in the list',
    meaning:
      'The list has all of that time, and not this: nothing is in doubt any more. It is not sent: replay it afterwards.',
    isSent: true,
  },
  ambiguous: { short: 'not certain', meaning: 'Left in doubt: rows may be of another call.', isSent: false },
  unproven: { short: 'not in the list', meaning: 'Left in doubt: that it is not there proves nothing.', isSent: false },
  'can-prove': { short: 'can be proved', meaning: 'A look may show what became of it.', isSent: true },
  'proves-nothing': {
    short: 'cannot be proved',
    meaning: 'Left in doubt: whatever the partner shows, it proves nothing. The list says why.',
    isSent: false,
  },
  untried: { short: 'not tried yet', meaning: 'It is tried before anything is done.', isSent: true },
  'will-be-taken': { short: 'will be taken in', meaning: 'It becomes what it tells of, and is sent.', isSent: true },
  duplicate: {
    short: 'taken in already',
    meaning: 'The producer has sent the same again: nothing is done a second time.',
    isSent: true,
  },
  ignored: { short: 'without effect', meaning: 'It is taken in and comes to nothing, as in its topic.', isSent: true },
  'refused-again': { short: 'refused again', meaning: 'It stays set aside, for the rule below.', isSent: false },
  'record-batch': {
    short: 'whole batch',
    meaning: 'Its records are judged one by one as they are taken in.',
    isSent: true,
  },
  'settled-since': { short: 'dealt with', meaning: 'Somebody was faster.', isSent: false },
  'will-be-discarded': { short: 'given up', meaning: 'Nothing of it is ever sent; its bytes are kept.', isSent: true },
  'member-gone': { short: 'member erased', meaning: 'Left as it is: the member was forgotten.', isSent: false },
};

const unheard: Expectation = {
  short: 'not foreseen',
  meaning: 'This version of the console does not know it.',
  isSent: true,
};

export const expectationOf = (forecast: string): Expectation => expectations[forecast] ?? unheard;

export interface ForecastLine extends Expectation {
  readonly forecast: string;
  readonly count: number;
}

/** What is to be expected of how many: those that are sent first, the most first. */
export function forecastLines({ byForecast }: Pick<Replay, 'byForecast'>): readonly ForecastLine[] {
  return Object.entries(byForecast)
    .map(([forecast, count]) => ({ forecast, count, ...expectationOf(forecast) }))
    .toSorted((one, two) => Number(two.isSent) - Number(one.isSent) || two.count - one.count);
}

/** How many of them will be sent. */
export function sendable(replay: Pick<Replay, 'byForecast'>): number {
  return forecastLines(replay).reduce((sum, { count, isSent }) => sum + (isSent ? count : 0), 0);
}

interface Pace {
  readonly count: number;
  readonly ratePerSecond: number;
  readonly isCanary: boolean;
}

const secondMs = 1_000;

/** How long it takes at least: `About 31 s at 10 a second, if the partner keeps up.` */
export function paceText({ count, ratePerSecond, isCanary }: Pace): string {
  if (!(ratePerSecond > 0)) return 'Say how many a second.';
  const ms = (count / ratePerSecond) * secondMs;
  const time = ms < secondMs ? 'Less than a second' : `About ${durationText(ms)}`;
  const wait = isCanary && count > 1 ? ', and the time in which the first ones are answered' : '';
  return `${time} at ${ratePerSecond.toLocaleString('en')} a second${wait}. It yields to live traffic.`;
}

const figure = (count: number): string => count.toLocaleString('en');
const willBeRefused = 'refused before, and will be again unless the cause is mended.';

function refusedText(refused: number, sent: number): string {
  if (refused === 0) return '';
  if (refused === sent) return ` All of those were ${willBeRefused}`;
  return ` ${figure(refused)} of those ${refused === 1 ? 'was' : 'were'} ${willBeRefused}`;
}

const correctedText = (corrected: number): string =>
  corrected === 0 ? '' : ` ${figure(corrected)} ${corrected === 1 ? 'was' : 'were'} corrected after the refusal.`;

function leftText(left: number): string {
  if (left === 0) return '';
  return left === 1 ? ' 1 is left as it is.' : ` ${figure(left)} are left as they are.`;
}

/** What is to be expected of all of them together, in a sentence or two. */
export function forecastText(replay: Pick<Replay, 'byForecast' | 'items'>): string {
  const sent = sendable(replay);
  const { items } = replay;
  const refused = replay.byForecast['was-refused'] ?? 0;
  const corrected = replay.byForecast['corrected-since'] ?? 0;
  if (sent === 0) return 'None of them can be sent again: each needs something else first.';
  if (items === 1) {
    return `It will be sent once more.${refused === 0 ? '' : ` It was ${willBeRefused}`}${correctedText(corrected)}`;
  }
  const which = sent === items ? `All ${figure(sent)}` : `${figure(sent)} of ${figure(items)}`;
  return `${which} will be sent once more.${refusedText(refused, sent)}${correctedText(corrected)}${leftText(items - sent)}`;
}
