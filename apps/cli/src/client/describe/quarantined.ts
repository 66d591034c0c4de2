import type { QuarantinedDetails } from '#contracts';

import type { Field } from '../output/fields.js';
import { fields, section } from '../output/fields.js';
import { payloadText } from '../output/payload.js';
import { timeText } from '../output/times.js';
import { placeText } from '../get/quarantine-source.js';
import type { Described } from './describe.js';

function settlementFields({ state, settled }: QuarantinedDetails): readonly Field[] {
  if (settled === null) return [['State', state]];
  const { at, by, why, result, intent } = settled;
  return [
    ['State', `${state}: ${result}`],
    ['By', `${by}, ${at}: ${why}`],
    ['Intent', intent],
  ];
}

const notShown = {
  masked: 'no JSON, hence not shown',
  batch: 'a whole record batch as the broker has it: too large to be taken apart, or damaged',
};

function textOf(record: QuarantinedDetails): string {
  const { id, reason, detail, bytes, key, headers, isReadable, encoding } = record;
  const head = fields([
    ['Quarantine', id],
    ...settlementFields(record),
    ['Reason', reason],
    ['Detail', detail],
    ['Record', placeText(record)],
    ['Key', key],
    ['Bytes', bytes],
    ['Produced', timeText(record.producedAt)],
    ['Recorded', timeText(record.recordedAt)],
    ['Readable', isReadable ? 'yes' : 'no: no key opens it any more'],
  ]);
  const value = encoding === 'text' ? payloadText(record.value) : notShown[encoding];
  const changes = section('Corrected', payloadText(record.corrected?.changes));
  return `${head}${section('Headers', payloadText(headers))}${section('Value', value)}${changes}`;
}

/** A record that was set aside, as it came in. */
export function quarantined(id: number): Described<QuarantinedDetails> {
  return {
    load: async (client) => (await client.get(`/quarantine/${id}`)) as QuarantinedDetails,
    text: textOf,
    nameOf: (record) => String(record.id),
  };
}
