import type { Message } from 'kafkajs';

import type { Outcome } from '#intents';

/** `source` of the CloudEvents that we emit. */
export const outcomeSource = '/loyaltyd';

const headers = { 'content-type': 'application/cloudevents+json' };

/**
 * An outcome as a message of the outcomes topic: a structured CloudEvent, keyed by its member. `sequence` rises within
 * a member's outcomes, so that a reader can tell an outcome that comes again from a newer one.
 */
export function toOutcomeMessage({ id, name, memberId, at, version, data }: Outcome): Message & { value: string } {
  const event = {
    specversion: '1.0',
    id,
    source: outcomeSource,
    type: name,
    subject: memberId,
    time: new Date(at).toISOString(),
    sequence: String(version),
    datacontenttype: 'application/json',
    data,
  };
  return { key: memberId, value: JSON.stringify(event), headers };
}
