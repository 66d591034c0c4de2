/** A part of the traffic's minute. */
interface Wave {
  readonly name: 'low' | 'high';
  readonly seconds: number;
  /** Of the high wave's rate. */
  readonly share: number;
}

/** They come again and again: the restarts begin with the high one. */
const waves: readonly Wave[] = [
  { name: 'low', seconds: 10, share: 1 / 12 },
  { name: 'high', seconds: 30, share: 1 },
  { name: 'low', seconds: 20, share: 1 / 12 },
];

export const highWaveSeconds = waves[0]?.seconds ?? 0;

const waveLengthSeconds = waves.reduce((sum, { seconds }) => sum + seconds, 0);
const eventsPerLength = waves.reduce((sum, { seconds, share }) => sum + seconds * share, 0);

/** How many events there should be after so many seconds. */
export function dueBy(seconds: number, rate: number): number {
  let due = Math.floor(seconds / waveLengthSeconds) * eventsPerLength;
  let left = seconds % waveLengthSeconds;
  for (const wave of waves) {
    due += Math.max(0, Math.min(left, wave.seconds)) * wave.share;
    left -= wave.seconds;
  }
  return due * rate;
}
