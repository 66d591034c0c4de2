import { ACTION_RECORDED } from '#contracts';
import type { PublishedAction } from '#intents';
import { auditSource } from '#intents';
import type { BackgroundLoop } from '#platform';

import type { EventMessage, PublishingSettings } from './topic-publisher.js';
import { createPublisher, eventHeaders, eventSource } from './topic-publisher.js';

/** An action as a message of the audit topic, keyed by its program: those of a program keep the order of their numbers. */
function toAuditMessage({ id, at, data }: PublishedAction): EventMessage {
  const event = {
    specversion: '1.0',
    id,
    source: eventSource,
    type: ACTION_RECORDED,
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  return { key: data.program ?? '', value: JSON.stringify(event), headers: eventHeaders };
}

interface AuditSettings extends PublishingSettings {
  /** Whether the programs file in force has it. */
  readonly isProgram: (name: string) => boolean;
}

/** The publisher of the audit topic; it runs where delivery runs, not yet started. */
export function createAuditPublisher(settings: AuditSettings): BackgroundLoop {
  return createPublisher(settings, {
    source: auditSource(settings),
    toMessage: toAuditMessage,
    failureMessage: 'the audit was not published',
  });
}
