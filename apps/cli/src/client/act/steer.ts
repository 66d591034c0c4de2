import type { JobView, ReplayView } from '#contracts';

import { exitOk } from '../../command-line/exit-codes.js';
import type { JobName } from '../bulk/job.js';
import { jobName, jobPath } from '../bulk/job.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { jobText } from '../describe/job.js';
import { replayPath, replayText } from '../describe/replay.js';
import { ApiClient } from '../http/api-client.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ActFlags } from './act-on-intent.js';

export type Steering = 'pause' | 'resume' | 'cancel';

/** A person's word on a replay. What was sent stays sent. @returns the exit code */
export async function steerReplay(
  terminal: Terminal,
  { id, steering }: { readonly id: string; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.post(`${replayPath(id)}/${steering}`, { reason: flags.reason })) as ReplayView;
  await writeOne(terminal, { text: replayText, nameOf: (replay) => replay.id }, { item, format: flags.output });
  return exitOk;
}

/** A person's word on a job. @returns the exit code */
export async function steerJob(
  terminal: Terminal,
  { name, steering }: { readonly name: JobName; readonly steering: Steering },
  flags: ActFlags,
): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.post(`${jobPath(name)}/${steering}`, { reason: flags.reason })) as JobView;
  await writeOne(terminal, { text: jobText, nameOf: jobName }, { item, format: flags.output });
  return exitOk;
}
