import type { ProgramsFile, SourceEventName } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';

import type { SampleSketch } from '../testing/fixtures.js';
import { eventOf, sampleNow } from '../testing/fixtures.js';
import { judgeSample } from './judge-sample.js';
import { readRecord } from './read-record.js';
import { SampleMemory } from './sample-memory.js';

type Sketch = SampleSketch & { readonly name?: SourceEventName };

const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
const programs = parsed.ok ? parsed.value : null;
const identityCodes = ['conflict', 'duplicate-event', 'duplicate-business-key', 'enrolment-again'];

/** What each of several samples in one file is told of those before it. */
const meetAll = (sketches: readonly Sketch[], file: ProgramsFile | null, memory = new SampleMemory(100)): string[] =>
  sketches.map(({ name = 'loyalty.purchase.completed.v1', ...sketch }, index) => {
    const read = readRecord(Buffer.from(JSON.stringify(eventOf(name, sketch))));
    if (!read.ok) throw new Error(read.detail);
    const place = { file: 'f', line: index + 1 };
    const { warnings } = judgeSample(read.record, { programs: file, now: sampleNow, memory, place });
    const told = warnings.filter(({ code }) => identityCodes.includes(code));
    return told.map(({ code, detail }) => `${code} ${/f:\d+/.exec(detail)?.[0] ?? ''}`).join();
  });

const id = (text: string): object => ({ id: text });

describe.each([
  ['by the programs file', programs],
  ['by the usual business keys', null],
])('samples that repeat each other, %s', (_how, file) => {
  it.each<[string, Sketch[], string[]]>([
    ['the same event', [{}, {}, {}], ['', 'duplicate-event f:1', 'duplicate-event f:1']],
    ['the same id with other data', [{}, { data: { channel: 'web' } }], ['', 'conflict f:1']],
    ['the same id of another source', [{ data: { purchaseId: 'a' } }, { frame: { source: '/b' } }], ['', '']],
    [
      'the same purchase under a new id',
      [{}, { frame: id('b') }, { frame: id('b') }],
      ['', 'duplicate-business-key f:1', 'duplicate-event f:2'],
    ],
    [
      'another purchase of the same number',
      [{}, { frame: id('b'), data: { channel: 'web' } }, { frame: id('b'), data: { purchaseId: 'c' } }],
      ['', 'conflict f:1', ''],
    ],
    ['the same number in another program', [{}, { frame: id('b'), data: { program: 'x', channel: 'web' } }], ['', '']],
    [
      'another refund, another grant of the same number',
      [
        { name: 'loyalty.purchase.refunded.v1' },
        { name: 'loyalty.purchase.refunded.v1', frame: id('b'), data: { reason: 'x' } },
        { name: 'loyalty.reward.granted.v1' },
        { name: 'loyalty.reward.granted.v1', frame: id('c'), data: { purchaseId: 'x' } },
      ],
      ['', 'conflict f:1', '', 'conflict f:3'],
    ],
    [
      'a member who enrols again',
      [
        { name: 'loyalty.member.enrolled.v1' },
        { name: 'loyalty.member.enrolled.v1', frame: id('b'), data: { tier: 'gold' } },
        { name: 'loyalty.member.enrolled.v1', frame: id('c') },
      ],
      ['', 'enrolment-again f:1', 'enrolment-again f:2'],
    ],
    [
      'a member who enrols anew after leaving',
      [
        { name: 'loyalty.member.enrolled.v1' },
        { name: 'loyalty.member.opted-out.v1', data: { scope: 'program' } },
        { name: 'loyalty.member.enrolled.v1', frame: id('b'), data: { tier: 'gold' } },
      ],
      ['', '', ''],
    ],
    [
      'a void of a purchase',
      [{}, { name: 'loyalty.purchase.voided.v1' }, { name: 'loyalty.purchase.voided.v1', frame: id('b') }],
      ['', '', ''],
    ],
  ])('are found: %s', (_what, sketches, told) => {
    expect(meetAll(sketches, file)).toEqual(told);
  });
});

describe('samples that repeat each other', () => {
  it('have what the program widens its numbers by', () => {
    const widened = parseProgramsFile(
      PROGRAMS_FILE_EXAMPLE.replace('purchaseKey: [purchaseId]', 'purchaseKey: [storeId, purchaseId]')
        .replace('receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }')
        .replace('receipt: refundId', 'receipt: { join: [storeId, refundId] }'),
    );
    const sketches = [{}, { frame: id('b'), data: { storeId: 'b' } }];
    expect(meetAll(sketches, programs)).toEqual(['', 'conflict f:1']);
    expect(meetAll(sketches, widened.ok ? widened.value : null)).toEqual(['', '']);
  });

  it('are found among the last of them, as many as the limit allows', () => {
    const memory = new SampleMemory(4);
    const sketches = ['a', 'b', 'c', 'a', 'c'].map((text) => ({ frame: id(text), data: { purchaseId: text } }));
    expect(meetAll(sketches, programs, memory)).toEqual(['', '', '', '', 'duplicate-event f:3']);
    expect(memory.forgotten).toBe(4);
  });
});
