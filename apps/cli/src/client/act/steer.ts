import type { JobView, ReplayView } from '#contracts';

import { exitOk } from '../../command-line/exit-codes.js';
import type { JobName } from '../bulk/job.js';
import { jobName, jobPath } from '../bulk/job.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { jobText } from '../describe/job.js';
import { replayPath, replayText } from '../describe/replay.js';
import { ApiClient } from '../http/api-client.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ActFlags } from './act-on-intent.js';

export type Steering = 'pause' | 'resume' | 'cancel';

interface Steered<T> {
  /** Of the replay or the job. */
  readonly path: string;
  readonly steering: Steering;
  readonly view: OneView<T>;
}

async function steer<T>(terminal: Terminal, { path, steering, view }: Steered<T>, flags: ActFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.post(`${path}/${steering}`, { reason: flags.reason })) as T;
  await writeOne(terminal, view, { item, format: flags.output });
  return exitOk;
}

const replayView: OneView<ReplayView> = { text: replayText, nameOf: ({ id }) => id };
const jobView: OneView<JobView> = { text: jobText, nameOf: jobName };

/** A person's word on a replay. What was sent stays sent. @returns the exit code */
export async function steerReplay(
  terminal: Terminal,
  { id, steering }: { readonly id: string; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  return steer(terminal, { path: replayPath(id), steering, view: replayView }, flags);
}

/** A person's word on a job. @returns the exit code */
export async function steerJob(
  terminal: Terminal,
  { name, steering }: { readonly name: JobName; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  return steer(terminal, { path: jobPath(name), steering, view: jobView }, flags);
}
