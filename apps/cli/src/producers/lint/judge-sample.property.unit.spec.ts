import fc from 'fast-check';

import type { DecodedRecord } from '#events';
import type { HeaderValue } from '#events/core';
import { decodeSourceRecord, SOURCE_EVENT_SAMPLES } from '#events';

import { binaryRecordOf, collected, eventOf, piecesOf, sampleNow } from '../testing/fixtures.js';
import type { SampleReport } from './report.js';
import { lintFile } from './lint-records.js';

type Outcome = Pick<SampleReport, 'verdict' | 'reason' | 'detail'>;

/** What lint says of each sample of a text. */
const lint = async (text: Uint8Array | string): Promise<Outcome[]> => {
  const stdin = piecesOf(Buffer.from(text), 4096);
  const context = { programs: null, stdin, clock: () => sampleNow };
  const reports = await collected(lintFile('-', context));
  return reports.map((report) => {
    if ('problem' in report) throw new Error(report.problem);
    return { verdict: report.verdict, reason: report.reason, detail: report.detail };
  });
};

/** The same in lint's words. */
const inWords = (decoded: DecodedRecord): Outcome => {
  switch (decoded.kind) {
    case 'event':
      return { verdict: 'accepted', reason: null, detail: null };
    case 'tombstone':
      return { verdict: 'ignored', reason: 'tombstone', detail: null };
    case 'quarantine':
      return { verdict: 'refused', reason: decoded.reason, detail: decoded.detail };
  }
};

const decode = (value: Uint8Array | null, headers: Readonly<Record<string, HeaderValue>>): Outcome =>
  inWords(decodeSourceRecord({ value, headers, now: sampleNow }));

const structured = { 'content-type': 'application/cloudevents+json' };
const name = fc.constantFrom(...(Object.keys(SOURCE_EVENT_SAMPLES) as (keyof typeof SOURCE_EVENT_SAMPLES)[]));
const part = fc.constantFrom('memberId', 'program', 'total', 'changed', 'absorbed', 'person', 'pass', 'lines', 'extra');
const attribute = fc.constantFrom('id', 'source', 'type', 'time', 'subject', 'sequence', 'data');
/** Whole or spoilt in one place. */
const sketch = fc.oneof(
  fc.constant({}),
  fc.tuple(part, fc.jsonValue()).map(([key, json]) => ({ data: { [key]: json } })),
  fc.tuple(attribute, fc.jsonValue()).map(([key, json]) => ({ frame: { [key]: json } })),
);

describe('the verdict of lint', () => {
  it('is the decoder’s, for events in lines and in an array', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, sketch), { minLength: 1, maxLength: 4 }), async (sketches) => {
        const texts = sketches.map(([type, changes]) => JSON.stringify(eventOf(type, changes)));
        const decoded = texts.map((text) => decode(Buffer.from(text), structured));
        expect(await lint(texts.join('\n'))).toEqual(decoded);
        expect(await lint(`[${texts.join(',')}]`)).toEqual(decoded);
      }),
    );
  });

  it('is the decoder’s, for records in binary mode', async () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed());
    const header = fc.tuple(fc.constantFrom('ce_id', 'ce_time', 'ce_type', 'content-type', 'other'), text);
    await fc.assert(
      fc.asyncProperty(name, sketch, fc.option(header), async (type, changes, spoilt) => {
        const { headers, value } = binaryRecordOf(type, changes);
        const texts = Object.entries(headers as object).filter(([, told]) => typeof told === 'string');
        const told = Object.fromEntries(spoilt === null ? texts : [...texts, spoilt]) as Record<string, string>;
        const [outcome] = await lint(JSON.stringify({ headers: told, value: value ?? null }));
        const bytes = value === undefined || value === null ? null : Buffer.from(JSON.stringify(value));
        expect(outcome).toEqual(decode(bytes, told));
      }),
    );
  });

  it('is the decoder’s, for bytes that are no JSON', async () => {
    const line = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => bytes.map((byte) => byte || 1));
    await fc.assert(
      fc.asyncProperty(line, async (bytes) => {
        const text = Buffer.concat([Buffer.from('{"specversion":"1.0"}\n!'), bytes.filter((byte) => byte !== 10)]);
        const [, second] = await lint(text);
        expect(second).toEqual(decode(text.subarray(text.indexOf(10) + 1), structured));
      }),
    );
  });
});
