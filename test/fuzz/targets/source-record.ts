import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile } from '#contracts';
import { canonicalJson, type JsonValue } from '#intents/core';
import { decodeSourceRecord, SOURCE_EVENT_SAMPLES, type DecodedRecord } from '#events';
import { headersOf, headersText, type SourceRecord } from '#events/core';
import { prepareRecord } from '#events/ingest';
import type { Chance } from '#shop';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

const now = Date.UTC(2026, 10, 21, 12);
/** Longest reason of a record that is set aside: it is logged, and published. */
const detailCharsMax = 8_192;

/** What a record's parts may be called, and what they may say. */
const words: readonly string[] = [
  ...[
    'specversion',
    '1.0',
    'id',
    'source',
    'type',
    'subject',
    'time',
    'sequence',
    'traceparent',
    'data',
    'data_base64',
  ],
  ...[
    'program',
    'memberId',
    'purchaseId',
    'refundId',
    'grantId',
    'total',
    'minor',
    'currency',
    'digits',
    'lines',
    'net',
  ],
  ...[
    'person',
    'pass',
    'metaData',
    'attributes',
    'changed',
    'scope',
    'erase',
    'tier',
    'reward',
    'absorbed',
    'coffee-club',
  ],
  ...['EUR', 'JPY', 'gold', 'free-coffee', 'sms', 'wallet', '2026-11-21T10:15:04Z', 'application/json', 'loyalty.'],
  ...Object.keys(SOURCE_EVENT_SAMPLES),
];

const headerNames = [
  ...['content-type', 'Content-Type', 'ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'ce_subject'],
  ...['ce_sequence', 'ce_traceparent', 'traceparent', 'x-original-topic', '__proto__', ''],
];
const structured = { 'content-type': 'application/cloudevents+json' };

/** A record as bytes: a line of headers as they are stored (and `isNull`), then the value. */
function inputOf(headers: object, value: unknown): Buffer {
  return joinHead({ headers }, Buffer.from(JSON.stringify(value)));
}

function samplesOf([type, data]: readonly [string, object]): Buffer[] {
  const frame = {
    specversion: '1.0',
    id: 'e-1',
    source: '/pos/berlin-07/till-3',
    type,
    time: '2026-11-21T10:15:04+01:00',
  };
  const named = Object.entries(frame).map(([name, text]) => [`ce_${name}`, text] as const);
  return [
    inputOf(structured, { ...frame, data }),
    inputOf({ ...Object.fromEntries(named), 'content-type': 'application/json' }, data),
  ];
}

function programs(): ProgramsFile {
  const read = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.value;
}

function isItem(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string')
  );
}

/** Null where the input, cut or changed, is none. */
function recordOf(input: Buffer): SourceRecord | null {
  const parts = splitHead(input);
  if (parts === null) return null;
  const { headers, isNull } = parts.head as { readonly headers?: unknown; readonly isNull?: unknown };
  if (typeof headers !== 'object' || headers === null) return null;
  const usable = Object.entries(headers).filter(([, value]) =>
    Array.isArray(value) ? value.every(isItem) : isItem(value),
  );
  return {
    value: isNull === true ? null : parts.body,
    headers: headersOf(JSON.stringify(Object.fromEntries(usable))),
    now,
  };
}

function oddHeader(chance: Chance): unknown {
  const bytes = { base64: Buffer.from([chance.below(256), 0xff, chance.below(256)]).toString('base64') };
  return chance.pick<unknown>([null, '', planted, bytes, [planted, null], [], chance.pick(words), chance.pick(words)]);
}

function withHeader(head: object, chance: Chance): object {
  const { headers = {} } = head as { readonly headers?: object };
  const entries = Object.entries(headers);
  const name = entries.length > 0 && chance.happens(0.6) ? chance.pick(entries)[0] : chance.pick(headerNames);
  const others = entries.filter(([other]) => other !== name);
  const changed = chance.happens(0.3) ? others : [...others, [name, oddHeader(chance)] as const];
  return { headers: Object.fromEntries(changed), ...(chance.happens(0.02) ? { isNull: true } : {}) };
}

function make(chance: Chance, pool: readonly Buffer[]): Buffer {
  const parts = splitHead(chance.pick(pool));
  if (parts === null) return mutateBytes(chance.pick(pool), chance, words, pool);
  const json = jsonOf(parts.body);
  const head = chance.happens(0.2) ? withHeader(parts.head, chance) : parts.head;
  const isTree = json !== undefined && chance.happens(0.6);
  return joinHead(
    head,
    isTree
      ? Buffer.from(JSON.stringify(mutateJson(json, chance, words)))
      : mutateBytes(parts.body, chance, words, pool),
  );
}

/** Whether a key is what was planted: paths name keys, and so may a detail. */
function isPlantedKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes(planted) || isPlantedKey(member));
}

function judgeDetail(detail: string, { value }: SourceRecord): void {
  mustHold(detail !== '' && detail.length <= detailCharsMax, 'a detail of a length that nobody reads', detail.length);
  if (detail.includes(planted)) {
    mustHold(isPlantedKey(jsonOf(Buffer.from(value ?? []))), 'a detail quotes a value', detail);
  }
}

function sameJson(value: unknown, what: string): void {
  const text = canonicalJson(value as JsonValue);
  mustHold(
    canonicalJson(JSON.parse(text) as JsonValue) === text,
    `${what} is another one once it was kept`,
    text.slice(0, 500),
  );
}

function judgeDecoded(decoded: DecodedRecord, record: SourceRecord): void {
  const again = decodeSourceRecord({ ...record, headers: headersOf(headersText(record.headers)) });
  mustHold(
    JSON.stringify(again) === JSON.stringify(decoded),
    'a record says something else once its headers were kept',
  );
  if (decoded.kind === 'quarantine') judgeDetail(decoded.detail, record);
  if (decoded.kind === 'event') sameJson(decoded.event.sentData, 'an event');
}

type Prepared = ReturnType<typeof prepareRecord>['verdict'];

/** Decoding and routing, as ingest does it. */
function judgePrepared(verdict: Prepared, record: SourceRecord): string {
  switch (verdict.kind) {
    case 'quarantine':
      mustHold(!verdict.detail.startsWith('prepare: '), 'preparing it failed', verdict.detail);
      judgeDetail(verdict.detail, record);
      return `quarantine ${verdict.reason} ${verdict.detail.slice(0, 120)}`;
    case 'ignored':
      return `ignored ${verdict.reason}`;
    case 'routed': {
      const intents = [...verdict.intents, ...(verdict.enrolmentAsUpdate === null ? [] : [verdict.enrolmentAsUpdate])];
      for (const { command } of intents) sameJson(command, 'a command');
      mustHold(verdict.eventKeyText !== '' && verdict.eventContentText !== '', 'an event without an identity');
      const effects = verdict.cancels.length + (verdict.memberEffects === null ? 0 : 1);
      return `routed ${verdict.eventType} ${intents.map(({ operation }) => operation).join(' ')} ${effects}`;
    }
    default:
      return verdict satisfies never;
  }
}

/** Records as any producer may send them, through decoding and routing. */
export function sourceRecordTarget(): FuzzTarget {
  const file = programs();
  const source = { topic: 'loyalty.members', partition: 0 };
  const judge = (input: Buffer): string => {
    const record = recordOf(input);
    if (record === null) return 'no record';
    const decoded = decodeSourceRecord(record);
    judgeDecoded(decoded, record);
    const fetched = { ...{ offset: 5, brokerAt: now, key: null, headers: record.headers }, value: record.value };
    const { verdict } = prepareRecord(fetched, { source, authority: null, programs: file, now });
    return `${decoded.kind} ${judgePrepared(verdict, record)}`;
  };
  return { name: 'source-record', samples: Object.entries(SOURCE_EVENT_SAMPLES).flatMap(samplesOf), make, judge };
}
