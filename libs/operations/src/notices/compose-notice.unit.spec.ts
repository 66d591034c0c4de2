import type { NoticeCondition } from '#contracts';
import { noticeSchema } from '#contracts';

import { composeNotice, composeTrial, dueOf, gatherMs, listedMax, mailText } from './compose-notice.js';
import { conditionsIn } from './conditions.js';

const now = Date.parse('2026-12-01T12:00:00.000Z');
const minuteMs = 60_000;
const rules = { ageMinutes: 10, everyMinutes: 15 };
const blank = { operation: null, factor: null, reason: null, intents: null, money: null };
const paused: NoticeCondition = {
  ...{ ...blank, kind: 'automatic-pause', program: 'coffee-club', operation: 'transaction' },
  ...{ factor: 'store:lisboa', reason: 'the partner failed transaction (refused)' },
};
const doubtful: NoticeCondition = { ...blank, kind: 'doubts', program: 'coffee & co', intents: 12 };
const money = { minor: 123_450, currency: 'EUR', digits: 2 };
const held: NoticeCondition = { ...blank, kind: 'held-money', program: 'tea-club', intents: 3, money };

const seen = (detail: NoticeCondition, since: number) => ({ key: `${detail.kind} ${detail.program}`, since, detail });
const never = { begun: [], over: [], lastMadeAt: null };

describe('when a notice is due', () => {
  it('is never, where there is nothing to tell', () => {
    expect(dueOf(never, rules, now)).toBeNull();
  });

  it('is soon after delivery has paused something: what begins meanwhile is told with it', () => {
    const begun = [seen(paused, now), seen(doubtful, now - 10 * minuteMs + gatherMs)];
    expect(dueOf({ ...never, begun }, rules, now + gatherMs - 1)).toBeNull();
    expect(dueOf({ ...never, begun }, rules, now + gatherMs)).toEqual({ begun, over: [] });
  });

  it('is when doubts and held money have lasted, and they are not told before', () => {
    const begun = [seen(paused, now), seen(held, now)];
    expect(dueOf({ ...never, begun }, rules, now + gatherMs)?.begun).toEqual([begun[0]]);
    const lasting = { begun: [seen(held, now)], over: [] };
    const untold = { ...never, ...lasting };
    expect(dueOf(untold, rules, now + 10 * minuteMs)).toBeNull();
    expect(dueOf(untold, rules, now + 10 * minuteMs + gatherMs)).toEqual(lasting);
  });

  it('is not before so many minutes after the one before, whether something begins or is over', () => {
    const over = [{ ...seen(paused, now - minuteMs), overAt: now }];
    const untold = { begun: [seen(paused, now)], over, lastMadeAt: now };
    expect(dueOf(untold, rules, now + 15 * minuteMs - 1)).toBeNull();
    expect(dueOf(untold, rules, now + 15 * minuteMs)).toMatchObject({ begun: untold.begun, over });
  });
});

const at = { consoleUrl: 'https://loyaltyd.example.org/console' };

describe('a notice', () => {
  const over = [{ ...seen(doubtful, now - 60 * minuteMs), overAt: now - minuteMs }];
  const notice = composeNotice({ begun: [seen(paused, now - minuteMs), seen(held, now)], over }, at, now);

  it('says what has begun and what is over, since and until when, and where it is seen', () => {
    expect(noticeSchema.parse(notice)).toEqual(notice);
    expect(notice).toMatchObject({
      ...{ type: 'loyaltyd.notice', timestamp: '2026-12-01T12:00:00.000Z' },
      data: {
        text: 'Delivery has paused transaction of coffee-club (store:lisboa): the partner failed transaction (refused); and 2 more',
        begun: [
          { ...paused, since: '2026-12-01T11:59:00.000Z', link: `${at.consoleUrl}/pauses` },
          {
            text: 'At stake of tea-club: 1234.50 EUR is not delivered (intents: 3)',
            link: `${at.consoleUrl}/failures?program=tea-club`,
          },
        ],
        over: [
          {
            ...{ since: '2026-12-01T11:00:00.000Z', until: '2026-12-01T11:59:00.000Z' },
            link: `${at.consoleUrl}/intents?program=coffee+%26+co&status=parked&reason=unknown-outcome`,
          },
        ],
        ...{ more: 0, link: at.consoleUrl },
      },
    });
  });

  it('is a text as a mail', () => {
    expect(mailText(notice))
      .toBe(`Delivery has paused transaction of coffee-club (store:lisboa): the partner failed transaction (refused)
  since 2026-12-01T11:59:00.000Z
  https://loyaltyd.example.org/console/pauses

At stake of tea-club: 1234.50 EUR is not delivered (intents: 3)
  since 2026-12-01T12:00:00.000Z
  https://loyaltyd.example.org/console/failures?program=tea-club

Over: In doubt of coffee & co: nobody knows whether they took effect (parked: 12)
  from 2026-12-01T11:00:00.000Z until 2026-12-01T11:59:00.000Z
  https://loyaltyd.example.org/console/intents?program=coffee+%26+co&status=parked&reason=unknown-outcome

Console: https://loyaltyd.example.org/console
`);
  });

  it('says of only what is over that it is over, and lists no more than can be read', () => {
    expect(composeNotice({ begun: [], over }, at, now).data.text).toMatch(/^Over: In doubt of coffee & co/);
    const many = Array.from({ length: listedMax + 2 }, (_, place) => seen({ ...doubtful, program: `p${place}` }, now));
    const { begun, more } = composeNotice({ begun: many, over }, at, now).data;
    expect([begun.length, more]).toEqual([listedMax, 2]);
    expect(mailText(composeNotice({ begun: many, over }, at, now))).toContain('And 2 more.');
  });

  it('may be a trial, which tells of nothing', () => {
    const trial = composeTrial(at, now);
    expect(noticeSchema.parse(trial)).toEqual(trial);
    expect(mailText(trial)).toBe(`${trial.data.text}\n\nConsole: ${at.consoleUrl}\n`);
  });
});

describe('what is told', () => {
  const pause = {
    pauseId: 1,
    program: 'coffee-club',
    operation: 'transaction',
    since: now,
    until: null,
    by: 'x',
    reason: 'why',
  } as const;
  const conditions = (
    given: Partial<Parameters<typeof conditionsIn>[0]>,
    doubts: Parameters<typeof conditionsIn>[1] = [],
    limits: Parameters<typeof conditionsIn>[2] = { doubts: 5, money: { EUR: '100.50' } },
  ): readonly string[] =>
    conditionsIn({ pauses: [], valueAtRisk: [], ...given }, doubts, limits).map(({ detail }) => detail.kind);

  it('is what delivery has paused, and no pause of a person', () => {
    expect(conditions({ pauses: [{ ...pause, automatic: true }] })).toEqual(['automatic-pause']);
    expect(conditions({ pauses: [{ ...pause, automatic: false }] })).toEqual([]);
  });

  it('is so many doubts of one program', () => {
    expect(conditions({}, [{ program: 'coffee-club', intents: 5 }])).toEqual(['doubts']);
    expect(conditions({}, [{ program: 'coffee-club', intents: 4 }])).toEqual([]);
  });

  it.each([
    [10_050, 2, 'EUR', 1],
    [10_049, 2, 'EUR', 0],
    [101, 0, 'EUR', 1],
    [100, 0, 'EUR', 0],
    [100_500, 3, 'EUR', 1],
    [999_999, 2, 'GBP', 0],
  ])('is so much money: %i with %i digits of %s', (minor, digits, currency, count) => {
    const valueAtRisk = [{ program: 'coffee-club', minor, digits, currency, intents: 1 }];
    expect(conditions({ valueAtRisk })).toHaveLength(count);
  });

  it('has the same key as long as it lasts, whatever the figures, and each its own', () => {
    const keys = (amount: number): readonly string[] =>
      conditionsIn(
        {
          pauses: [
            { ...pause, automatic: true },
            { ...pause, factor: 'store:lisboa', automatic: true },
          ],
          valueAtRisk: ['EUR', 'GBP'].map((currency) => {
            return { program: 'coffee-club', currency, minor: amount, digits: 0, intents: amount };
          }),
        },
        [{ program: 'coffee-club', intents: amount }],
        { doubts: 1, money: { EUR: '1', GBP: '1' } },
      ).map(({ key }) => key);
    expect(keys(7)).toEqual(keys(8));
    expect(new Set(keys(7)).size).toBe(5);
  });
});
