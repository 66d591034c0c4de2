import type { SourceEventName } from '#contracts';
import { SOURCE_EVENT_SAMPLES } from '#contracts';

/** A time at which the samples below are fresh. */
export const sampleNow = Date.parse('2026-11-21T12:00:00Z');

export interface SampleSketch {
  readonly data?: object;
  readonly frame?: object;
}

/** The sample of a type as an event in structured mode. */
export function eventOf(name: SourceEventName, { data, frame }: SampleSketch = {}): Readonly<Record<string, unknown>> {
  return {
    specversion: '1.0',
    id: `id-of-${name}`,
    source: '/pos/berlin-07/till-3',
    type: name,
    time: '2026-11-21T10:15:04+01:00',
    data: { ...SOURCE_EVENT_SAMPLES[name], ...data },
    ...frame,
  };
}

/** The sample of a type as a record in binary mode. */
export function binaryRecordOf(name: SourceEventName, sketch: SampleSketch = {}): Readonly<Record<string, unknown>> {
  const { data, ...attributes } = eventOf(name, sketch);
  const headers = Object.entries(attributes).map(([key, value]) => [`ce_${key}`, value]);
  return { key: SOURCE_EVENT_SAMPLES[name].memberId, headers: Object.fromEntries(headers) as object, value: data };
}
