import type { ProgramsFile } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { SourceEventName } from '#events';

import type { SampleSketch } from '../testing/fixtures.js';
import { eventOf, sampleNow } from '../testing/fixtures.js';
import type { Judgement } from './judge-sample.js';
import { judgeSample } from './judge-sample.js';
import { readRecord } from './read-record.js';

const programsOf = (text: string): ProgramsFile => {
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
};

const programs = programsOf(PROGRAMS_FILE_EXAMPLE);

interface Asked extends SampleSketch {
  readonly name?: SourceEventName;
  readonly programs?: ProgramsFile | null;
  /** The sample as a record with this key. */
  readonly key?: string | null;
}

const judge = ({ name = 'loyalty.purchase.completed.v1', programs: file = null, ...asked }: Asked): Judgement => {
  const event = eventOf(name, asked);
  const headers = { 'content-type': 'application/cloudevents+json' };
  const sample = asked.key === undefined ? event : { key: asked.key, headers, value: event };
  const read = readRecord(Buffer.from(JSON.stringify(sample)));
  if (!read.ok) throw new Error(read.detail);
  return judgeSample(read.record, { programs: file, now: sampleNow });
};

const warningsOf = (asked: Asked): string[] => judge(asked).warnings.map(({ code, detail }) => `${code} ${detail}`);

describe('what is routed', () => {
  it.each<[string, Asked, Partial<Judgement>]>([
    ['a purchase', {}, { verdict: 'accepted', causes: ['transaction'] }],
    ['an enrolment', { name: 'loyalty.member.enrolled.v1' }, { verdict: 'accepted', causes: ['issue'] }],
    ['a void', { name: 'loyalty.purchase.voided.v1' }, { verdict: 'accepted', causes: ['cancel'] }],
    [
      'a void that names no member',
      { name: 'loyalty.purchase.voided.v1', data: { memberId: null }, key: null },
      { verdict: 'accepted', causes: ['cancel'], warnings: [] },
    ],
    ['a merge', { name: 'loyalty.member.merged.v1' }, { verdict: 'accepted', causes: ['parked'] }],
    ['nobody’s purchase', { data: { memberId: null } }, { verdict: 'ignored', reason: 'no-member' }],
    [
      'another program',
      { data: { program: 'x' } },
      { verdict: 'refused', reason: 'unknown-program', detail: 'data.program: not in the programs file' },
    ],
    [
      'another currency',
      { data: { total: { minor: 1, currency: 'USD', digits: 2 } } },
      { verdict: 'refused', reason: 'unroutable', detail: "data.total.currency: not the program's currency" },
    ],
    [
      'no such reward',
      { name: 'loyalty.reward.granted.v1', data: { reward: 'x' } },
      { verdict: 'refused', reason: 'unroutable', detail: "data.reward: not one of the program's rewards" },
    ],
  ])('says of %s what the programs file makes of it', (_what, asked, judgement) => {
    expect(judge({ ...asked, programs })).toMatchObject(judgement);
    expect(judge({ ...asked, programs: null })).toMatchObject({ verdict: 'accepted', causes: [], reason: null });
  });

  it('says that a needed attribute is missing', () => {
    const text = PROGRAMS_FILE_EXAMPLE.replace('store: storeId', 'store: { from: storeId, required: true }');
    expect(judge({ programs: programsOf(text), data: { storeId: null } })).toMatchObject({
      verdict: 'refused',
      reason: 'invalid',
      detail: 'data.storeId: required by store',
    });
  });
});

describe('what a producer should know', () => {
  it.each<[string, Asked, string[]]>([
    ['a whole sample', {}, []],
    ['the member as key', { key: 'm_81273' }, []],
    ['no key', { key: null }, ['no-key key: missing; the order of the member’s events is then your risk']],
    [
      'another key',
      { key: 'x' },
      ['other-key key: not the memberId; the order of the member’s events is then your risk'],
    ],
    [
      'no member',
      { data: { memberId: '' }, key: null },
      ['no-member data.memberId: absent, so that nothing is sent to the partner'],
    ],
    [
      'no digits',
      { data: { total: { minor: 1, currency: 'EUR' } } },
      ['digits-missing data.total.digits: left out, so that ISO 4217 decides; say it'],
    ],
    [
      'unusual digits',
      { data: { total: { minor: 100, currency: 'JPY', digits: 2 } } },
      ['digits-unusual data.total.digits: not what ISO 4217 says of this currency'],
    ],
    ['usual digits', { data: { total: { minor: 100, currency: 'JPY', digits: 0 } } }, []],
    ['a time long ago', { frame: { time: '2026-10-01T00:00:00Z' } }, ['old-time time: more than 30 days ago']],
    ['a time a month ago', { frame: { time: '2026-10-23T00:00:00Z' } }, []],
  ])('is told for %s', (_what, asked, warnings) => {
    expect(warningsOf(asked)).toEqual(warnings);
  });

  it('is nothing more for what is refused', () => {
    expect(judge({ data: { total: null, foo: 1 }, key: null }).warnings).toEqual([]);
  });

  it('is that data needs its frame', () => {
    const read = readRecord(Buffer.from('{"program":"coffee-club","memberId":"secret"}'));
    if (!read.ok) throw new Error(read.detail);
    const judgement = judgeSample(read.record, { programs, now: sampleNow });
    expect(judgement).toMatchObject({ verdict: 'refused', reason: 'unreadable', warnings: [{ code: 'data-alone' }] });
  });

  it('is that a program cannot tell its partner', () => {
    const without = programsOf(PROGRAMS_FILE_EXAMPLE.replace('{ via: workflow, workflowId: "78" }', '{ via: none }'));
    const asked = { name: 'loyalty.member.opted-out.v1', programs: without } as const;
    expect(judge(asked)).toMatchObject({ verdict: 'accepted', causes: ['parked'], warnings: [{ code: 'parked' }] });
  });

  it('is that an erasure waits for a person, where events may not erase; a merge is refused', () => {
    const strict = programsOf(PROGRAMS_FILE_EXAMPLE.replace(/eventsMay: .*/, ''));
    const erasure = { name: 'loyalty.member.opted-out.v1', data: { erase: true }, programs: strict } as const;
    expect(judge(erasure)).toMatchObject({ verdict: 'accepted', warnings: [{ code: 'left-for-person' }] });
    const merge = { name: 'loyalty.member.merged.v1', programs: strict } as const;
    expect(judge(merge)).toMatchObject({ verdict: 'refused', reason: 'not-permitted' });
  });

  it('never holds a value', () => {
    const data = { foo: 'secret', total: { minor: 1, currency: 'SEC', digits: 3, bar: 'secret' }, memberId: 'secret' };
    const frame = { time: '2020-01-01T00:00:00Z', id: 'secret', source: 'secret' };
    const judgement = judge({ data, frame, key: 'secret too' });
    expect(judgement.warnings.length).toBeGreaterThan(4);
    expect(JSON.stringify(judgement)).not.toMatch(/secret|SEC/);
  });
});

describe('fields that are not sent', () => {
  const extra = {
    foo: 1,
    total: { minor: 1, currency: 'EUR', digits: 2, gross: 1 },
    lines: [{ a: 1 }, { a: 1 }, { b: 1 }],
  };
  const paths = (asked: Asked): string[] =>
    judge(asked).warnings.flatMap(({ code, detail }) => (code === 'unsent-field' ? (detail.split(':')[0] ?? '') : []));

  it('are named where no field of the event is called so, each once', () => {
    expect(paths({ data: extra })).toEqual(['data.total.gross', 'data.lines[].a', 'data.lines[].b', 'data.foo']);
  });

  it('are those that the program maps nothing of', () => {
    const mapped = programsOf(PROGRAMS_FILE_EXAMPLE.replace('store: storeId', 'store: foo.bar'));
    const data = { foo: { bar: 1, baz: 2 }, attributes: { campaign: 'x', colour: 'y' }, fob: 1 };
    expect(paths({ data, programs: mapped })).toEqual(['data.fob', 'data.attributes.colour']);
    expect(paths({ data, programs })).toEqual(['data.foo', 'data.fob', 'data.attributes.colour']);
  });

  it('are not a person’s, unless the program is known', () => {
    const asked = { name: 'loyalty.member.enrolled.v1', data: { person: { birthDate: 'x', shoe: 42 } } } as const;
    expect(paths(asked)).toEqual([]);
    expect(paths({ ...asked, programs })).toEqual(['data.person.shoe']);
  });

  it('are named up to a limit', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
    expect(paths({ data: many })).toHaveLength(20);
  });

  it('are paths of an update that stand for nothing', () => {
    const changed = ['tier', 'pass.points', 'pass.pionts', 'teir', 'person.birthDate', 'metaData.x'];
    const data = { changed, pass: { points: 1, pionts: 1 }, person: { birthDate: 'x' }, metaData: { x: 1 } };
    const asked = { name: 'loyalty.member.updated.v1', data } as const;
    const details = (file: ProgramsFile | null): string[] =>
      judge({ ...asked, programs: file }).warnings.flatMap(({ code, detail }) =>
        code === 'unsent-change' ? detail : [],
      );
    expect(details(null)).toEqual(['data.changed[3]: names nothing that is sent']);
    expect(details(programs)).toEqual([2, 3].map((index) => `data.changed[${index}]: names nothing that is sent`));
  });
});
