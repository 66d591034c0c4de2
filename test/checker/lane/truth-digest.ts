import { hash } from 'node:crypto';

import type { LaneHistory } from '../history.js';

/** One short text for the truth of a lane up to a version: it is the same for ever, whatever comes after. */
export function truthDigest({ intents, events }: Pick<LaneHistory, 'intents' | 'events'>, upTo: number): string {
  const rows = [
    ...intents.map(({ version, seq, operation, dedupKey, topic, partition, offset, recordedAt }) => ({
      version,
      text: JSON.stringify([seq, operation, dedupKey, topic, partition, offset, recordedAt]),
    })),
    ...events.map(({ version, seq, epoch, event }) => ({ version, text: JSON.stringify([seq, epoch, sorted(event)]) })),
  ];
  const known = rows.filter(({ version }) => version <= upTo).sort((one, other) => one.version - other.version);
  return hash('sha256', known.map(({ version, text }) => `${version} ${text}`).join('\n'));
}

function sorted(event: object): [string, unknown][] {
  return Object.entries(event).sort(([one], [other]) => (one < other ? -1 : 1));
}
