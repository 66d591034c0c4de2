import { inspect } from 'node:util';
import type { Contestant, RoundFigures, RoundInput } from './contestant.js';

/** Loaded on demand: no contestant carries the others' code. */
const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  delivery: async () => (await import('./delivery.js')).delivery,
  'delivery-crowded': async () => (await import('./delivery.js')).delivery,
  'gateway-loop': async () => (await import('./gateway-loop.js')).gatewayLoop,
  'bare-loop': async () => (await import('./bare-loop.js')).bareLoop,
  'graphile-plain': async () => (await import('./graphile.js')).graphilePlain,
  'graphile-tuned': async () => (await import('./graphile.js')).graphileTuned,
  ingest: async () => (await import('./ingest.js')).ingest,
  'bare-ingest': async () => (await import('./bare-ingest.js')).bareIngest,
};

/** The answer to one `RoundInput`. */
export type RoundAnswer = { readonly figures: RoundFigures } | { readonly error: string };

const name = process.argv[2] ?? '';
const contestant = await contestants[name]?.();
if (contestant === undefined) throw new Error(`no contestant is called ${name}`);

const answer = async (input: RoundInput): Promise<RoundAnswer> => {
  try {
    return { figures: await contestant(input) };
  } catch (error) {
    return { error: error instanceof Error ? inspect(error) : String(error) };
  }
};

process.on('message', (input: RoundInput) => {
  void answer(input).then((result) => process.send?.(result));
});
// The benchmark is gone or wants us to end; `exit` lets a CPU profile be written.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
