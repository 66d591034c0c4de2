import fc from 'fast-check';

import type { ReadAgainRecord, ReadAgainResult } from '#intents';

import { countRead, resultsListedMax } from './count-read.js';

const results: readonly ReadAgainResult[] = [
  { kind: 'recorded' },
  { kind: 'ignored', reason: 'duplicate-event' },
  { kind: 'ignored', reason: 'unmapped' },
  { kind: 'quarantined', reason: 'conflict' },
  { kind: 'quarantined', reason: 'invalid' },
  { kind: 'aside' },
  { kind: 'too-old' },
  { kind: 'known-place' },
  { kind: 'ignored-before' },
  { kind: 'differs', recorded: null, made: [] },
];

const verdict = { kind: 'ignored', reason: 'unmapped', identity: null } as const;

const readOf = (result: ReadAgainResult, offset: number): ReadAgainRecord => ({
  result,
  record: { original: { offset, brokerAt: 0, key: null, value: null, headersText: '{}' }, verdict },
});

const place = { topic: 't', partition: 0 };
const counted = ['recorded', 'missed', 'knownByIdentity', 'ignored', 'quarantined', 'aside', 'tooOld'];

describe('what is counted of a topic that is read again', () => {
  it('is each result once, however the records came together; of each the first are listed', () => {
    const some = fc.array(fc.constantFrom(...results), { maxLength: 60 });
    fc.assert(
      fc.property(some, fc.nat(60), fc.boolean(), (all, cut, isDryRun) => {
        const read = all.map(readOf);
        const whole = countRead({}, { ...place, read, isDryRun });
        const first = countRead({}, { ...place, read: read.slice(0, cut), isDryRun });
        const second = countRead(first.progress, { ...place, read: read.slice(cut), isDryRun });
        expect(second.progress).toEqual(whole.progress);
        expect([...first.lines, ...second.lines]).toEqual(whole.lines);
        const names = [...counted, 'knownByPlace', 'differs', 'ignoredBefore'];
        expect(names.reduce((sum, name) => sum + (whole.progress[name] ?? 0), 0)).toBe(all.length);
        const listed = Map.groupBy(whole.lines, ({ kind, reason }) => (kind === 'quarantined' ? reason : kind));
        for (const [kind, lines] of listed) {
          const isForPerson = kind === 'differs' || kind === 'ignored-before';
          expect(lines.length).toBeLessThanOrEqual(isForPerson ? Infinity : resultsListedMax);
        }
      }),
    );
  });

  it('is missed in a dry run, recorded else', () => {
    const read = [readOf({ kind: 'recorded' }, 7)];
    expect(countRead({}, { ...place, read, isDryRun: true })).toEqual({
      progress: { records: 1, missed: 1 },
      lines: [{ kind: 'missed', place: 't/0@7' }],
    });
    expect(countRead({}, { ...place, read, isDryRun: false }).progress).toEqual({ records: 1, recorded: 1 });
  });
});
