import { randomUUID } from 'node:crypto';

import { decodeSourceRecord } from '#contracts';

import { buildEvent, type BuiltEvent, type EventPlan } from './build-event.js';
import { encodeEvent, type EncodedEvent, type Mode } from './encode-event.js';

export interface TriggeredEvent {
  readonly event: BuiltEvent;
  readonly record: EncodedEvent;
  /** What the daemon would refuse it for, `reason: detail`; null when it takes it. */
  readonly refusal: string | null;
}

/** Makes the events of one run, one at a time. */
export class EventSource {
  constructor(
    private readonly plan: EventPlan,
    private readonly mode: Mode,
  ) {}

  /** @param number from 1. @throws {SettingError} */
  make(number: number): TriggeredEvent {
    const now = Date.now();
    const event = buildEvent(this.plan, { number, id: randomUUID(), now });
    const record = encodeEvent(event, this.mode);
    const decoded = decodeSourceRecord({ value: Buffer.from(record.value), headers: record.headers, now });
    const refusal = decoded.kind === 'quarantine' ? `${decoded.reason}: ${decoded.detail}` : null;
    return { event, record, refusal };
  }
}
