import type { QuarantinedDetails } from '#contracts';

import type { Field } from '../output/fields.js';
import { fields, section } from '../output/fields.js';
import { payloadText } from '../output/payload.js';
import { timeText } from '../output/times.js';
import type { Described } from './describe.js';

/** What became of it since, where somebody has dealt with it. */
interface Settlement {
  readonly state?: string;
  readonly settled?: {
    readonly at: string;
    readonly by: string;
    readonly why: string;
    readonly result: string;
    readonly intent: string | null;
  } | null;
  readonly corrected?: { readonly changes?: unknown } | null;
}

type Record = QuarantinedDetails & Settlement;

function settlementFields({ state, settled }: Record): readonly Field[] {
  if (settled === undefined || settled === null) return [['State', state ?? null]];
  const { at, by, why, result, intent } = settled;
  return [
    ['State', `${state ?? 'settled'}: ${result}`],
    ['By', `${by}, ${at}: ${why}`],
    ['Intent', intent],
  ];
}

function textOf(record: Record): string {
  const { id, reason, detail, topic, partition, offset, bytes, key, headers, isReadable, encoding } = record;
  const head = fields([
    ['Quarantine', id],
    ...settlementFields(record),
    ['Reason', reason],
    ['Detail', detail],
    ['Record', `${topic}/${partition}@${offset}`],
    ['Key', key],
    ['Bytes', bytes],
    ['Produced', timeText(record.producedAt)],
    ['Recorded', timeText(record.recordedAt)],
    ['Readable', isReadable ? 'yes' : 'no: no key opens it any more'],
  ]);
  const value = encoding === 'masked' ? 'no JSON, hence not shown' : payloadText(record.value);
  const changes = section('Corrected', payloadText(record.corrected?.changes));
  return `${head}${section('Headers', payloadText(headers))}${section('Value', value)}${changes}`;
}

/** A record that was set aside, as it came in. */
export function quarantined(id: number): Described<Record> {
  return {
    load: async (client) => (await client.get(`/quarantine/${id}`)) as Record,
    text: textOf,
    nameOf: (record) => String(record.id),
  };
}
