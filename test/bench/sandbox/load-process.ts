import { inspect } from 'node:util';

import type { LoadTarget } from './load-connection.js';
import type { LoadFigures, LoadJob } from './run-load.js';
import { runLoad } from './run-load.js';

export interface LoadRequest {
  readonly job: LoadJob;
  readonly target: LoadTarget;
}

/** The answer to one `LoadRequest`. */
export type LoadAnswer = { readonly figures: LoadFigures } | { readonly error: string };

const answer = async ({ job, target }: LoadRequest): Promise<LoadAnswer> => {
  try {
    return { figures: await runLoad(job, target) };
  } catch (error) {
    return { error: inspect(error) };
  }
};

process.on('message', (request: LoadRequest) => {
  void answer(request).then((result) => process.send?.(result));
});
// The benchmark is gone or wants us to end.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
