import fc from 'fast-check';

import { parseProgramsFile } from '#contracts';
import { decodeSourceRecord, routeSourceEvent } from '#events';
import { encode } from '#shop';

import { programsText } from '../../dev/programs-text.js';
import type { Draft } from './draft.js';
import { effectKey } from './draft.js';
import { Traffic } from './traffic.js';

const startMs = Date.parse('2026-11-21T09:00:00.000Z');
const drafts = (seed: number, records: number): readonly Draft[] => [...new Traffic({ seed, records, startMs })];
const ofKind = (some: readonly Draft[], kind: Draft['expectation']['kind']): readonly Draft[] =>
  some.filter(({ expectation }) => expectation.kind === kind);

const parsed = parseProgramsFile(programsText({ inFlightMs: 3_000, missingPassWaitMs: 5_000 }));
if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
const programs = parsed.value;

/** What our own decoder and router make of a record. */
function judged(draft: Draft, mode: 'structured' | 'binary'): string {
  const decoded = decodeSourceRecord({ ...encode(draft.content, mode), now: startMs });
  if (decoded.kind === 'tombstone') return 'ignored tombstone';
  if (decoded.kind === 'quarantine') return `quarantine ${decoded.reason}`;
  const route = routeSourceEvent(decoded.event, programs);
  if (route.kind !== 'routed') return `${route.kind} ${route.reason}`;
  return route.intents.map(({ operation }) => operation).join() || 'cancel';
}

/** The same, as the generator expects it; null where it depends on what came before. */
function meant({ expectation, role }: Draft): string | null {
  switch (expectation.kind) {
    case 'quarantined':
      return role === 'conflict' ? null : `quarantine ${expectation.reason}`;
    case 'effect':
    case 'parked':
      return expectation.effect.operation;
    case 'void':
      return 'cancel';
    case 'nothing':
      return { useless: 'ignored tombstone', 'no-member': 'ignored no-member' }[role] ?? null;
  }
}

describe('the traffic of the demo', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(drafts(7, 300)).toEqual(drafts(7, 300));
    expect(drafts(8, 300)).not.toEqual(drafts(7, 300));
  });

  it('has exactly as many records as asked for, and all enrolments that are owed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 400 }), (seed, records) => {
        const some = drafts(seed, records);
        expect(some).toHaveLength(records);
        const enrolled = new Set(some.filter(({ role }) => role === 'member.enrolled').map(({ key }) => key));
        const needy = ofKind(some, 'effect').filter(({ role }) => role !== 'member.enrolled');
        expect(needy.filter(({ key }) => !enrolled.has(key))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('goes on for ever when no end is given', () => {
    const source = new Traffic({ seed: 1, records: null, startMs })[Symbol.iterator]();
    expect(source.next().done).toBe(false);
  });

  it('expects no effect twice, but for grants of the same reward and opt-outs', () => {
    const alike = ['reward.granted', 'member.opted-out'];
    const keys = ofKind(drafts(3, 2_000), 'effect').flatMap(({ expectation, role }) =>
      expectation.kind === 'effect' && !alike.includes(role) ? [effectKey(expectation.effect)] : [],
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has everything that goes wrong, in 200 records', () => {
    const some = drafts(1, 200);
    const reasons = some.flatMap(({ expectation }) => (expectation.kind === 'quarantined' ? [expectation.reason] : []));
    expect(new Set(reasons)).toEqual(
      new Set(['unreadable', 'invalid', 'unsupported-type', 'unknown-program', 'unroutable', 'conflict']),
    );
    const roles = new Set(some.map(({ role }) => role));
    for (const role of [
      'duplicate',
      'told-anew',
      'useless',
      'no-member',
      'purchase.voided',
      'purchase.refunded',
      'reward.granted',
      'member.updated',
      'member.opted-out',
    ]) {
      expect(roles).toContain(role);
    }
    expect(ofKind(some, 'parked').length).toBeGreaterThan(0);
    const enrolledAt = new Map(some.map(({ key, role }, index) => [role === 'member.enrolled' ? key : '', index]));
    const early = ofKind(some, 'effect').filter((draft) => some.indexOf(draft) < (enrolledAt.get(draft.key) ?? 0));
    expect(early.length).toBeGreaterThan(0);
  });

  it.each(['structured', 'binary'] as const)('means in %s mode what it expects', (mode) => {
    for (const draft of drafts(5, 1_000)) {
      const wanted = meant(draft);
      if (wanted !== null) expect(judged(draft, mode)).toBe(wanted);
    }
  });

  it('repeats events under the same identity, and business under another', () => {
    const some = drafts(9, 1_000);
    // Some are emitted again later, with the time of then.
    const bodyOf = (draft: Draft): unknown =>
      draft.content.kind === 'event' ? { ...draft.content.event, time: null } : null;
    const earlier = (index: number, body: unknown): boolean =>
      some.slice(0, index).some((draft) => JSON.stringify(bodyOf(draft)) === JSON.stringify(body));
    some.forEach((draft, index) => {
      if (draft.role === 'duplicate') expect(earlier(index, bodyOf(draft))).toBe(true);
      if (draft.role === 'told-anew') expect(earlier(index, bodyOf(draft))).toBe(false);
    });
    expect(some.filter(({ role }) => ['duplicate', 'told-anew'].includes(role)).length).toBeGreaterThan(10);
  });
});
