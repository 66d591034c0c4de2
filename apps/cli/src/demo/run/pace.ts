import { setTimeout as delay } from 'node:timers/promises';

import { Chance } from '../traffic/chance.js';
import type { Draft } from '../traffic/draft.js';
import { encode } from '../traffic/draft.js';
import type { OutgoingRecord } from './event-producer.js';

export interface PaceOptions {
  readonly eventsPerSecond: number;
  /** Decides the mode, structured or binary, of each record. */
  readonly seed: number;
  readonly signal: AbortSignal;
}

const tickMs = 50;
const sendBatchMax = 500;

/** Hands out what is due by the clock, at most `sendBatchMax` at a time, until there is no more or the signal says stop. */
export async function* paced(
  drafts: Iterable<Draft, void>,
  options: PaceOptions,
): AsyncGenerator<readonly OutgoingRecord[], void, undefined> {
  const { eventsPerSecond, signal } = options;
  const chance = new Chance(options.seed + 1);
  const source = drafts[Symbol.iterator]();
  const begin = performance.now();
  let handedOut = 0;
  while (!signal.aborted) {
    const dueInAll = Math.ceil(((performance.now() - begin) / 1_000) * eventsPerSecond);
    const batch = take(source, Math.min(dueInAll - handedOut, sendBatchMax));
    if (batch === null) return;
    handedOut += batch.length;
    if (batch.length > 0) yield batch.map((draft) => outgoing(draft, chance));
    await delay(tickMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Up to `count` of what is left; null when there is nothing left at all. */
function take(source: Iterator<Draft, void>, count: number): readonly Draft[] | null {
  const taken: Draft[] = [];
  while (taken.length < count) {
    const next = source.next();
    if (next.done === true) return taken.length === 0 ? null : taken;
    taken.push(next.value);
  }
  return taken;
}

function outgoing(draft: Draft, chance: Chance): OutgoingRecord {
  return { draft, encoded: encode(draft.content, chance.happens(0.5) ? 'structured' : 'binary') };
}
