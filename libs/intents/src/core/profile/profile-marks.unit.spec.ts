import fc from 'fast-check';

import type { PartnerCommand } from '../owed/partner-command.js';
import type { ProfileMark, ProfileMarks } from './profile-marks.js';
import {
  isOlder,
  isStale,
  markedPathsMax,
  markedSourcesMax,
  moveMarks,
  noMarks,
  profilePaths,
  wholeProfile,
  withdrawals,
  withdrawnPaths,
  withoutProfilePaths,
  withProfilePathsOf,
} from './profile-marks.js';

const at = (timeMs: number, sequence: string | null = null, source = 'a'): ProfileMark => ({
  source,
  sequence,
  timeMs,
});

/** Takes each, in order; which of them were stale for `tierId`. */
function taken(...marks: readonly ProfileMark[]): { readonly marks: ProfileMarks; readonly stale: readonly boolean[] } {
  let known = noMarks;
  const stale = marks.map((mark) => {
    const isLate = isStale(known, 'tierId', mark);
    known = moveMarks(known, ['tierId'], mark);
    return isLate;
  });
  return { marks: known, stale };
}

describe('of two events', () => {
  it.each([
    ['numbers of one source, whatever their times', at(2, '9'), at(1, '10'), true, false],
    ['numbers of one source, leading zeros aside', at(1, '0000000042'), at(2, '42'), false, false],
    ['numbers of any length', at(2, '99999999999999999999'), at(1, '100000000000000000000'), true, false],
    ['texts of one source', at(1, 'a9'), at(2, 'a10'), false, true],
    ['times, where they are of different sources', at(2, '1', 'a'), at(1, '2', 'b'), false, true],
    ['times, where one has no number', at(2, '7'), at(1), false, true],
    ['times, where neither has one', at(1), at(2), true, false],
    ['nothing, where the times are equal', at(5), at(5), false, false],
    [
      'times, where nobody knows of whom',
      { ...at(2, '1'), source: null },
      { ...at(1, '2'), source: null },
      false,
      true,
    ],
  ])('the older one is told by %s', (...[_by, a, b, isFirst, isSecond]) => {
    expect([isOlder(a, b), isOlder(b, a)]).toEqual([isFirst, isSecond]);
  });
});

describe('a path', () => {
  it('remembers each source by its own numbers', () => {
    const events = [
      at(1, '10', 'till'),
      at(2, '900', 'web'),
      at(3, '11', 'till'),
      at(4, '899', 'web'),
      at(5, '10', 'till'),
    ];
    expect(taken(...events).stale).toEqual([false, false, false, true, true]);
  });

  it('keeps a number when its source goes on without one', () => {
    expect(taken(at(1, '10'), at(2), at(3, '9'), at(4, '11')).stale).toEqual([false, false, true, false]);
  });

  it('is not held back by another one, but by what is about all of them', () => {
    const marks = moveMarks(noMarks, ['tierId'], at(5));
    expect([isStale(marks, 'tierId', at(4)), isStale(marks, 'message', at(4))]).toEqual([true, false]);
    expect(isStale(moveMarks(marks, [wholeProfile], at(6)), 'message', at(5))).toBe(true);
  });

  it('never goes back', () => {
    const mark = fc.record({
      source: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      sequence: fc.option(fc.nat(50).map(String)),
      timeMs: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 40 }), (marks) => {
        const { marks: known, stale } = taken(...marks);
        const newest = Math.max(
          -1,
          ...marks.filter((_mark, index) => stale[index] === false).map(({ timeMs }) => timeMs),
        );
        expect(known.get('tierId')?.length ?? 0).toBeLessThanOrEqual(markedSourcesMax);
        expect(isStale(known, 'tierId', at(newest + 1, null, 'z'))).toBe(false);
        if (marks.every(({ sequence }) => sequence === null)) {
          expect(isStale(known, 'tierId', at(newest - 1, null, 'z'))).toBe(newest > -1);
        }
      }),
    );
  });
});

describe('what is remembered of a member', () => {
  it('forgets the number of a source beyond the limit, which goes by its time from then on', () => {
    const others = Array.from({ length: markedSourcesMax }, (_, index) => at(index + 2, '1', `s${index}`));
    const { marks } = taken(at(1, '10', 'a'), ...others);
    expect(marks.get('tierId')).toHaveLength(markedSourcesMax);
    expect(isStale(marks, 'tierId', at(100, '9', 'a'))).toBe(false);
  });

  it('remembers the oldest paths beyond the limit together, as of every path', () => {
    const paths = Array.from({ length: markedPathsMax + 2 }, (_, index) => `person.p${index}`);
    const marks = paths.reduce((known, path, index) => moveMarks(known, [path], at(index)), noMarks);
    expect(marks.size).toBe(markedPathsMax + 1);
    expect(isStale(marks, 'person.p0', at(0))).toBe(true);
    expect(isStale(marks, 'person.p0', at(1))).toBe(false);
    expect(isStale(marks, `person.p${markedPathsMax + 1}`, at(markedPathsMax))).toBe(true);
  });
});

const command: PartnerCommand = {
  ...{ brandId: '101', programId: '2001', uniqueId: 'm', uniqueIdKey: 'memberId' },
  ...{ operation: 'update-via-workflow', workflowId: '78' },
  content: {
    person: { email: 'a@b', phone: null },
    passdata: { points: 5, metaData: { memberId: 'm', 'shoe.size': 42 } },
    tierId: null,
    smsSubscription: 200,
    templateId: 11,
  },
};

describe('an enrolment gives no consent', () => {
  const silent: PartnerCommand = { ...command, content: { tierId: 2 } };
  const consent = ['smsSubscription', 'passdata.optOut'];
  const spoken = moveMarks(noMarks, consent, at(5));
  const left = moveMarks(spoken, [wholeProfile], at(5));

  it.each([
    ['of which something newer has spoken, where it says so', command, spoken, ['smsSubscription']],
    ['that its member withdrew by leaving since, whatever it says', silent, left, consent],
    ['that a newer leaving withdrew, beside what it says', command, left, consent],
  ])('%s', (_truth, enrolment, marks, paths) => {
    expect(withdrawnPaths(enrolment, marks, at(4))).toEqual(paths);
  });

  it('is not said of one that is as new, nor of one that is silent where its member has not left', () => {
    expect(withdrawnPaths(command, left, at(5))).toEqual([]);
    expect(withdrawnPaths(silent, spoken, at(4))).toEqual([]);
    expect(withdrawnPaths(silent, moveMarks(noMarks, [wholeProfile], at(5)), at(4))).toEqual([]);
  });

  const stop: PartnerCommand = { ...command, content: { smsSubscription: 900 } };
  const stopped = (marks: ProfileMarks, minute: number): ProfileMarks =>
    moveMarks(moveMarks(marks, ['smsSubscription'], at(minute)), withdrawals(stop), at(minute));

  it('regression: that was withdrawn before there was a card, however late the enrolment is and whatever else it says', () => {
    const withdrawn = stopped(noMarks, 5);
    for (const minute of [4, 5, 6]) {
      expect(withdrawnPaths(silent, withdrawn, at(minute))).toEqual(['smsSubscription']);
    }
    expect(withdrawnPaths(command, withdrawn, at(6))).toEqual([]);
    expect(withdrawnPaths(silent, moveMarks(withdrawn, ['smsSubscription'], at(6)), at(7))).toEqual([]);
    expect(withdrawnPaths(silent, stopped(moveMarks(noMarks, ['smsSubscription'], at(6)), 7), at(8))).toEqual([
      'smsSubscription',
    ]);
  });

  it('is withdrawn by what says so, and by an opt-out that no call can carry', () => {
    expect(withdrawals(command)).toEqual([]);
    expect(withdrawals({ ...command, content: { passdata: { optOut: true } } })).toEqual(['!passdata.optOut']);
    expect(withdrawals(null, ['smsSubscription'])).toEqual(['!smsSubscription']);
  });
});

describe('a command', () => {
  it('says what it is about, cleared values too, but the key of its pass', () => {
    const paths = [
      'person.email',
      'person.phone',
      'passdata.points',
      'metaData.shoe.size',
      'tierId',
      'smsSubscription',
    ];
    expect(profilePaths(command)).toEqual(paths);
    expect(profilePaths(null)).toEqual([]);
  });

  it('is left with the rest, and its key', () => {
    const left = withoutProfilePaths(
      command,
      new Set(['person.email', 'person.phone', 'metaData.shoe.size', 'tierId']),
    );
    expect(left).toMatchObject({
      content: { passdata: { points: 5, metaData: { memberId: 'm' } }, smsSubscription: 200 },
    });
    expect(profilePaths(left)).toEqual(['passdata.points', 'smsSubscription']);
    expect(withoutProfilePaths(command, new Set(['x']))).toBe(command);
  });

  it('regression: loses its template with its tier, and keeps it otherwise', () => {
    const templateWithout = (path: string): unknown => {
      const left = withoutProfilePaths(command, new Set([path]));
      return left !== null && 'content' in left ? left.content.templateId : null;
    };
    expect([templateWithout('tierId'), templateWithout('person.email')]).toEqual([undefined, 11]);
  });

  it('is nothing any more once all of it is dropped', () => {
    expect(withoutProfilePaths(command, new Set(profilePaths(command)))).toBeNull();
  });

  it('takes paths over from another one, as far as that says them, and nothing else', () => {
    const content = { person: { phone: '1' }, passdata: { points: 1, metaData: { memberId: 'm' } }, templateId: 12 };
    const mine: PartnerCommand = { ...command, content };
    const paths = new Set(['person.email', 'metaData.shoe.size', 'metaData.hat', 'tierId', 'groupId']);
    expect(withProfilePathsOf(mine, command, paths)).toEqual({
      ...command,
      content: {
        person: { email: 'a@b', phone: '1' },
        passdata: { points: 1, metaData: { memberId: 'm', 'shoe.size': 42 } },
        tierId: null,
        // The template goes with the tier.
        templateId: 11,
      },
    });
    expect(withProfilePathsOf(mine, command, new Set(['groupId']))).toEqual(mine);
  });
});
