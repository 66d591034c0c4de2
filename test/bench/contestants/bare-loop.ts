import { bareClient } from './bare-client.js';
import { concurrently } from './concurrently.js';
import type { Contestant } from './contestant.js';
import { Stopwatch } from './stopwatch.js';

/** A loop of the HTTP client alone: no database, no order to keep, nothing recorded. */
export const bareLoop: Contestant = async (input) => {
  const client = bareClient(input.stubOrigin);
  const watch = new Stopwatch();
  const done = await concurrently(input, (member, rank) => client.postTransaction(member, rank));
  const figures = watch.read(done);
  await client.close();
  return figures;
};
