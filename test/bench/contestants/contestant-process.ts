import { inspect } from 'node:util';
import type { Contestant, RoundAnswer, RoundInput } from './contestant.js';

/** Loaded on demand: no contestant carries the others' code. */
const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  delivery: async () => (await import('./delivery.js')).delivery,
  'delivery-share': async () => (await import('./delivery.js')).deliveryShare,
  'delivery-fleet': async () => (await import('./fleet.js')).fleetOf('delivery-share'),
  'gateway-loop': async () => (await import('./gateway-loop.js')).gatewayLoop,
  'bare-loop': async () => (await import('./bare-client.js')).bareLoop,
  graphile: async () => (await import('./graphile.js')).graphile,
  'graphile-rows': async () => (await import('./graphile.js')).graphileRows,
  'graphile-share': async () => (await import('./graphile.js')).graphileShare,
  'graphile-fleet': async () => (await import('./fleet.js')).fleetOf('graphile-share'),
  'pg-boss': async () => (await import('./pg-boss.js')).pgBoss,
  'pg-boss-share': async () => (await import('./pg-boss.js')).pgBossShare,
  'pg-boss-fleet': async () => (await import('./fleet.js')).fleetOf('pg-boss-share'),
  restate: async () => (await import('./restate.js')).restate,
  ingest: async () => (await import('./ingest.js')).ingest,
  'mapped-ingest': async () => (await import('./ingest.js')).mappedIngest,
  'ingest-share': async () => (await import('./ingest.js')).ingestShare,
  'ingest-fleet': async () => (await import('./ingest-fleet.js')).ingestFleet,
  'sealing-ingest': async () => (await import('./sealing-ingest.js')).sealingIngest,
  'bare-ingest': async () => (await import('./bare-ingest.js')).bareIngest,
};

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
