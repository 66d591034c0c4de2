import type { Notice, NoticeCondition, NoticesEnvironment } from '#contracts';

import { isoTime } from '../requests/read-request.js';

/** A condition that stands, since when it was first seen, epoch ms. */
export interface SeenCondition {
  readonly key: string;
  readonly since: number;
  readonly detail: NoticeCondition;
}

/** A condition that a channel was told of, and that is over since then, epoch ms. */
export interface OverCondition extends SeenCondition {
  readonly overAt: number;
}

/** What a channel has not been told yet. */
export interface Untold {
  readonly begun: readonly SeenCondition[];
  readonly over: readonly OverCondition[];
  /** When its last notice was made, epoch ms; null: never. */
  readonly lastMadeAt: number | null;
}

type Rules = Pick<NoticesEnvironment, 'ageMinutes' | 'everyMinutes'>;

/** What begins within so long of something is told together with it. */
export const gatherMs = 30_000;
/** Of what begins and of what is over so many at most are listed each. */
export const listedMax = 20;
const minuteMs = 60_000;

/** What is to be told now; null: nothing, or not yet. @param now epoch ms */
export function dueOf(
  { begun, over, lastMadeAt }: Untold,
  rules: Rules,
  now: number,
): Omit<Untold, 'lastMadeAt'> | null {
  // What delivery has stopped is told at once; that something is in doubt or held may pass by itself.
  const ripeAt = ({ since, detail }: SeenCondition): number =>
    since + (detail.kind === 'automatic-pause' ? 0 : rules.ageMinutes * minuteMs);
  const ripe = begun.filter((condition) => ripeAt(condition) <= now);
  const firstAt = Math.min(...ripe.map(ripeAt), ...over.map(({ overAt }) => overAt));
  const isGathered = now - firstAt >= gatherMs;
  const isQuiet = lastMadeAt === null || now - lastMadeAt >= rules.everyMinutes * minuteMs;
  return isGathered && isQuiet ? { begun: ripe, over } : null;
}

function moneyText({ minor, currency, digits }: NonNullable<NoticeCondition['money']>): string {
  const text = String(minor).padStart(digits + 1, '0');
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return `${amount} ${currency}`;
}

/** A condition in words, without a full stop. */
export function conditionText({ kind, program, operation, factor, reason, intents, money }: NoticeCondition): string {
  switch (kind) {
    case 'automatic-pause': {
      const what = `${operation ?? 'everything'} of ${program}${factor === null ? '' : ` (${factor})`}`;
      return `Delivery has paused ${what}: ${reason ?? 'no reason given'}`;
    }
    case 'doubts':
      return `In doubt of ${program}: nobody knows whether they took effect (parked: ${intents ?? 0})`;
    case 'held-money':
      return `At stake of ${program}: ${money === null ? 'money' : moneyText(money)} is not delivered (intents: ${intents ?? 0})`;
  }
}

/** Where the console shows what is wrong. */
function linkOf({ kind, program }: NoticeCondition, consoleUrl: string): string {
  if (kind === 'automatic-pause') return `${consoleUrl}/pauses`;
  const parked = kind === 'doubts' ? { status: 'parked', reason: 'unknown-outcome' } : {};
  const path = kind === 'doubts' ? 'intents' : 'failures';
  return `${consoleUrl}/${path}?${new URLSearchParams({ program, ...parked }).toString()}`;
}

function lineOf({ begun, over }: Omit<Untold, 'lastMadeAt'>): string {
  const [first, ...others] = [...begun, ...over];
  const word = begun.length === 0 ? 'Over: ' : '';
  const text = first === undefined ? 'Nothing' : `${word}${conditionText(first.detail)}`;
  return others.length === 0 ? text : `${text}; and ${others.length} more`;
}

/** A notice of what is to be told. @param now epoch ms */
export function composeNotice(
  { begun, over }: Omit<Untold, 'lastMadeAt'>,
  { consoleUrl }: Pick<NoticesEnvironment, 'consoleUrl'>,
  now: number,
): Notice {
  const shown = ({ since, detail }: SeenCondition): Notice['data']['begun'][number] => ({
    ...detail,
    ...{ since: isoTime(since), text: conditionText(detail), link: linkOf(detail, consoleUrl) },
  });
  const [listedBegun, listedOver] = [begun.slice(0, listedMax), over.slice(0, listedMax)];
  return {
    type: 'loyaltyd.notice',
    timestamp: isoTime(now),
    data: {
      text: lineOf({ begun, over }),
      begun: listedBegun.map(shown),
      over: listedOver.map((condition) => ({ ...shown(condition), until: isoTime(condition.overAt) })),
      more: begun.length + over.length - listedBegun.length - listedOver.length,
      link: consoleUrl,
    },
  };
}

/** A notice that only shows that notices arrive. @param now epoch ms */
export function composeTrial({ consoleUrl }: Pick<NoticesEnvironment, 'consoleUrl'>, now: number): Notice {
  const text = 'A trial: notices of loyaltyd arrive here';
  const data = { text, begun: [], over: [], more: 0, link: consoleUrl };
  return { type: 'loyaltyd.trial', timestamp: isoTime(now), data };
}

/** The same as the text of a mail. */
export function mailText({ data: { text, begun, over, more, link } }: Notice): string {
  const told = [
    ...begun.map((each) => `${each.text}\n  since ${each.since}\n  ${each.link}`),
    ...over.map((each) => `Over: ${each.text}\n  from ${each.since} until ${each.until}\n  ${each.link}`),
  ];
  const lines = told.length === 0 ? [text] : told;
  const rest = more === 0 ? [] : [`And ${more} more.`];
  return `${[...lines, ...rest, `Console: ${link}`].join('\n\n')}\n`;
}
