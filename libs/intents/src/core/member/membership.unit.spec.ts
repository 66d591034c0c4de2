import fc from 'fast-check';

import type { Membership, MembershipEvent } from './membership.js';
import { decideMembership, evolveMembership, hasLeft, unknownMembership } from './membership.js';

const enrolled = (at: number): MembershipEvent => ({ type: 'MemberEnrolled', at });
const left = (at: number): MembershipEvent => ({ type: 'MemberLeft', at });
const erased = (at: number): MembershipEvent => ({ type: 'MemberErased', at });
const given = (...events: readonly MembershipEvent[]): Membership => events.reduce(evolveMembership, unknownMembership);
const sale = (at: number, isLate = false): { at: number; isLate: boolean } => ({ at, isLate });

describe('given what a member did, when a sale comes', () => {
  it.each([
    ['nothing is known of them', [], sale(1), 'send'],
    ['they enrolled', [enrolled(1)], sale(2), 'send'],
    ['they have left, and it was made after that', [enrolled(1), left(3)], sale(4), 'not-a-member'],
    ['they have left, and it was made before that', [enrolled(1), left(3)], sale(2), 'send'],
    ['they left in the same millisecond', [enrolled(1), left(3)], sale(3), 'send'],
    ['they have left, and it is brought again', [enrolled(1), left(3)], sale(2, true), 'not-a-member'],
    ['they came back before it', [enrolled(1), left(3), enrolled(5)], sale(5), 'send'],
    ['they came back after it', [enrolled(1), left(3), enrolled(5)], sale(4), 'not-a-member'],
    ['they came back twice, after it once', [left(3), enrolled(7), enrolled(5)], sale(6), 'send'],
    ['they came back, and it is brought again', [left(3), enrolled(5)], sale(6, true), 'send'],
    ['the leaving is read last, and older', [enrolled(5), left(3)], sale(6), 'send'],
    ['nobody enrolled, and they left', [left(3)], sale(4), 'not-a-member'],
    ['they were erased, and it was made after that', [enrolled(1), erased(3)], sale(4), 'erased'],
    ['they were erased, and it was made before that', [enrolled(1), erased(3)], sale(2), 'erased'],
    ['they were erased, and an enrolment of before comes again', [erased(3), enrolled(2)], sale(4), 'erased'],
    ['they were erased, and enrolled in the same millisecond', [erased(3), enrolled(3)], sale(4), 'send'],
    ['they were erased, and enrolled before it', [erased(3), enrolled(5)], sale(5), 'send'],
    ['they were erased, and enrolled after it', [erased(3), enrolled(5)], sale(4), 'erased'],
    ['they were erased, enrolled, and left after it', [erased(3), enrolled(5), left(7)], sale(6), 'send'],
    ['they were erased, enrolled, and left before it', [erased(3), enrolled(5), left(7)], sale(8), 'not-a-member'],
    ['they were erased twice', [erased(3), enrolled(5), erased(7)], sale(6), 'erased'],
  ] as const)('%s', (_given, events, due, expected) => {
    expect(decideMembership(given(...events), due)).toBe(expected);
  });
});

describe('in whom a member lives on', () => {
  const merged = (at: number, into: string): MembershipEvent => ({ type: 'MemberMerged', at, into });
  const unmerged = (at: number, from: string): MembershipEvent => ({ type: 'MemberUnmerged', at, from });

  it.each<[string, readonly MembershipEvent[], string | null]>([
    ['a merge', [merged(1, 'ada')], 'ada'],
    ['the later of two', [merged(2, 'bob'), merged(1, 'ada')], 'bob'],
    ['one that was taken back', [merged(1, 'ada'), unmerged(2, 'ada')], null],
    ['one that is read after its taking back', [unmerged(2, 'ada'), merged(1, 'ada')], null],
    ['one that was told anew', [unmerged(2, 'ada'), merged(3, 'ada'), merged(1, 'ada')], 'ada'],
    ['another one than was taken back', [unmerged(2, 'ada'), merged(1, 'bob')], 'bob'],
    ['one between, taken back', [merged(1, 'bob'), unmerged(3, 'ada'), merged(2, 'ada')], null],
    ['of an erased member', [merged(1, 'ada'), erased(2)], null],
    ['of before an erasure', [erased(2), merged(1, 'ada')], null],
  ])('%s', (_of, events, into) => {
    expect(given(...events).mergedInto).toBe(into);
  });

  it('the order of reading does not matter', () => {
    const kinds = fc.record({ isUndone: fc.boolean(), of: fc.constantFrom('ada', 'bob') });
    const shuffled = fc.array(kinds, { maxLength: 6 }).chain((all) => {
      const events = all.map(({ isUndone, of }, at) => (isUndone ? unmerged(at, of) : merged(at, of)));
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }));
    });
    fc.assert(
      fc.property(shuffled, ([inTime, asRead]) => {
        fc.pre(inTime.filter(({ type }) => type === 'MemberUnmerged').length <= 1);
        expect(given(...asRead).mergedInto).toBe(given(...inTime).mergedInto);
      }),
    );
  });
});

describe('in whatever order, however often', () => {
  const events = fc.array(
    fc.record({ type: fc.constantFrom('MemberEnrolled', 'MemberLeft'), at: fc.integer({ min: 1, max: 30 }) }),
    { maxLength: 12 },
  ) as fc.Arbitrary<MembershipEvent[]>;
  const last = (all: readonly MembershipEvent[], type: MembershipEvent['type']): number =>
    Math.max(-Infinity, ...all.filter((event) => event.type === type).map(({ at }) => at));

  it('who has left is told by the last leaving and the last enrolment alone', () => {
    fc.assert(
      fc.property(events, (all) => {
        const [leaving, enrolment] = [last(all, 'MemberLeft'), last(all, 'MemberEnrolled')];
        expect(hasLeft(given(...all))).toBe(leaving > -Infinity && leaving >= enrolment);
        const { leftAt, enrolledAt } = given(...all);
        expect(given(...all, ...all)).toMatchObject({ leftAt, enrolledAt });
        expect(hasLeft(given(...all, ...all))).toBe(hasLeft(given(...all)));
      }),
    );
  });

  it('nothing is sent of what happened after the last leaving and before anybody enrolled again', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 31 }), fc.boolean(), (all, at, isLate) => {
        const leaving = last(all, 'MemberLeft');
        const isBack = all.some((event) => event.type === 'MemberEnrolled' && event.at > leaving && event.at <= at);
        fc.pre(leaving > -Infinity && at > leaving && !isBack);
        expect(decideMembership(given(...all), { at, isLate })).toBe('not-a-member');
      }),
    );
  });
});
