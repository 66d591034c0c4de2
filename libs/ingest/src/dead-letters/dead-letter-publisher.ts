import { publishDeadLetters } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import type { DeadLetterSink } from './dead-letter-sink.js';
import { deadLetterValueBytesMax } from './to-dead-letter-message.js';

/** How long an idle publisher waits before it looks for what other replicas left behind. */
export const deadLetterPollMs = 5_000;

export interface DeadLetterPublisherTools {
  readonly database: Database;
  readonly quarantineKey: Uint8Array;
  readonly sink: DeadLetterSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Moves what is in the dead-letter outbox to its topic, at least once, in the order of quarantine. */
export function deadLetterPublisher(tools: DeadLetterPublisherTools): BackgroundLoop {
  const { database, quarantineKey, sink } = tools;
  const workOnce = async (): Promise<number> => {
    const published = await publishDeadLetters(database, {
      bytesMax: deadLetterValueBytesMax,
      quarantineKey,
      send: (letters) => sink.send(letters),
    });
    return published === 0 ? deadLetterPollMs : 0;
  };
  const close = (): Promise<void> => sink.close();
  return new BackgroundLoop({ ...tools, workOnce, close, complaint: 'dead letters were not published' });
}
