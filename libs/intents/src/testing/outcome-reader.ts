import type { IntentEvent } from '#intents/core';
import type { Clock, Database } from '#platform';
import { SystemClock } from '#platform';

import { appendByOthers } from '../store/lanes/locked-lane.js';
import type { FeedStep } from '../store/feeds/topic-feed.js';
import { TopicFeed } from '../store/feeds/topic-feed.js';
import { outcomeSource } from '../store/outcomes/outcome-feed.js';
import type { Outcome } from '../store/outcomes/outcome.js';
import { laneOf } from './records.js';
import type { TestStore } from './test-store.js';

/** A clock whose `now` stands where it is put. */
export class SettableClock extends SystemClock {
  constructor(public at: number) {
    super();
  }

  override now(): number {
    return this.at;
  }
}

/** Appends an event to a member's intent, with evidence sealed as delivery seals it. */
export async function happens(
  store: TestStore,
  of: { readonly memberId: string; readonly seq: number; readonly evidence?: unknown },
  event: IntentEvent,
): Promise<void> {
  const { evidence = null } = of;
  const { lane_id: laneId } = await laneOf(store, of.memberId);
  const text = evidence === null ? null : JSON.stringify(evidence);
  await store.learnKeys();
  await store.database.transaction('happens', (session) =>
    appendByOthers(session, { laneId, seq: of.seq, event, evidence: text, settles: false }, store.keys.members),
  );
}

/** Evidence of an answer with this body. */
export function answered(body: unknown): unknown {
  return { phase: 'answered', request: null, response: { status: 200, headers: {}, body: JSON.stringify(body) } };
}

export interface OutcomeReader {
  readonly feed: TopicFeed<Outcome>;
  readonly received: Outcome[];
  /** One step; other specs' transactions on the same server are waited for. */
  step(): Promise<FeedStep>;
  /** Steps until nothing is left or somebody else reads. */
  drain(): Promise<void>;
}

/** A process that publishes into memory. `fail` is asked before each send. */
export function outcomeReader(
  store: TestStore,
  change: { owner: string; clock: Clock; database?: Database; fail?: () => boolean },
): OutcomeReader {
  const received: Outcome[] = [];
  const { owner, clock, database = store.database, fail = () => false } = change;
  const send = async (outcomes: readonly Outcome[]): Promise<void> => {
    if (fail()) throw new Error('the broker is away');
    received.push(...outcomes);
  };
  const feed = new TopicFeed({ database, source: outcomeSource(store.newMemberKeys()), clock, owner, send });
  const step = async (): Promise<FeedStep> => {
    for (;;) {
      const came = await feed.step();
      if (came !== 'open') return came;
      await clock.sleep(2);
    }
  };
  const drain = async (): Promise<void> => {
    while ((await step()) === 'published');
  };
  return { feed, received, step, drain };
}
