import type { MemberKeys, OutcomeStep } from '#intents';
import { OutcomeFeed, switchOutcomes } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { KafkaOutcomeSink } from './kafka-outcome-sink.js';
import type { OutcomeSink } from './outcome-sink.js';

/** How soon the next look is: the answer to a till must not wait for a poll of seconds, an idle house costs little. */
const nextLookMs: Readonly<Record<Exclude<OutcomeStep, 'open'>, number>> = {
  published: 0,
  'caught-up': 50,
  idle: 100,
  elsewhere: 2_000,
};
/** Transactions end within milliseconds; one that somebody left open is not asked for 200 times a second. */
const openLookMsMin = 5;
const openLookMsMax = 250;

/** Waits the longer the more often it was told `open` in a row. */
export function outcomeLookMs(): (step: OutcomeStep) => number {
  let openMs = 0;
  return (step) => {
    openMs = step === 'open' ? Math.min(openLookMsMax, Math.max(openLookMsMin, openMs * 2)) : 0;
    return step === 'open' ? openMs : nextLookMs[step];
  };
}

/** Everything the outcomes topic needs from its process. */
export interface OutcomesSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  /** `null`: nothing is published, and what happens meanwhile is not owed. */
  readonly topic: string | null;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Counted by event type, once the broker has them. */
  readonly onPublished: (type: string, count: number) => void;
}

function kafkaSink({ connection, topic, clock, logger }: OutcomesSettings): OutcomeSink | null {
  return topic === null ? null : new KafkaOutcomeSink({ connection, topic }, { clock, logger });
}

/** The publisher of the outcomes topic; it runs where delivery runs, not yet started. One process publishes at a time. */
export function createOutcomes(
  settings: OutcomesSettings,
  sink: OutcomeSink | null = kafkaSink(settings),
): BackgroundLoop {
  const { database, clock, random, onPublished } = settings;
  const feed = new OutcomeFeed({
    ...settings,
    owner: random.uuid(),
    send: async (outcomes) => {
      await sink?.send(outcomes);
      for (const [type, group] of Map.groupBy(outcomes, ({ name }) => name)) onPublished(type, group.length);
    },
  });
  const lookMs = outcomeLookMs();
  let isSwitched = false;
  const workOnce = async (): Promise<number> => {
    if (!isSwitched) await switchOutcomes(database, sink !== null);
    isSwitched = true;
    return sink === null ? Infinity : lookMs(await feed.step());
  };
  const close = async (): Promise<void> => {
    await feed.release().catch(() => undefined);
    await sink?.close();
  };
  return new BackgroundLoop({ ...settings, clock, random, workOnce, close, complaint: 'outcomes were not published' });
}
