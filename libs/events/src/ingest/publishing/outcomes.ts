import type { Outcome } from '#intents';
import { outcomeSource } from '#intents';
import type { BackgroundLoop } from '#platform';

import type { EventMessage, PublishingSettings, TopicSink } from './topic-publisher.js';
import { createPublisher, eventHeaders, eventSource } from './topic-publisher.js';

/** Where outcomes go. */
export type OutcomeSink = TopicSink<Outcome>;

/**
 * An outcome as a message of the outcomes topic, keyed by its member. `sequence` rises within a member's outcomes, so that
 * a reader can tell an outcome that comes again from a newer one.
 */
function toOutcomeMessage({ id, name, memberId, at, sequence, data }: Outcome): EventMessage {
  const event = {
    specversion: '1.0',
    id,
    source: eventSource,
    type: name,
    subject: memberId,
    time: new Date(at).toISOString(),
    sequence: String(sequence),
    datacontenttype: 'application/json',
    data,
  };
  return { key: memberId, value: JSON.stringify(event), headers: eventHeaders };
}

interface OutcomesSettings extends PublishingSettings {
  /** Counted by event type, once the broker has them. */
  readonly onPublished: (type: string, count: number) => void;
}

/** The publisher of the outcomes topic; it runs where delivery runs, not yet started. */
export function createOutcomes(settings: OutcomesSettings, sink?: OutcomeSink | null): BackgroundLoop {
  const publication = {
    source: outcomeSource(settings.keys),
    toMessage: toOutcomeMessage,
    onPublished: (outcomes: readonly Outcome[]) => {
      for (const [type, group] of Map.groupBy(outcomes, ({ name }) => name)) settings.onPublished(type, group.length);
    },
    failureMessage: 'outcomes were not published',
  };
  return createPublisher(settings, publication, sink);
}
