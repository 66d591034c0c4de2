import { InvalidArgumentError } from 'commander';

import type { JobName } from '../bulk/job.js';
import { jobKinds } from '../bulk/job.js';

/** `KIND/ID`. @throws {InvalidArgumentError} */
export function parseJobName(text: string): JobName {
  const [word, id = '', ...more] = text.split('/');
  const kind = jobKinds.find((known) => known === word);
  if (kind !== undefined && id !== '' && more.length === 0) return { kind, id };
  throw new InvalidArgumentError(`Must be KIND/ID, where KIND is one of ${jobKinds.join(', ')}.`);
}
