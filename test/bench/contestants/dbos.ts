import { DBOS } from '@dbos-inc/dbos-sdk';

import type { BacklogSize } from '../backlog/fill-store.js';
import { memberId } from '../backlog/purchase-event.js';
import { settle } from '../infrastructure/bench-postgres.js';
import type { Job } from './attempt-rows.js';
import { bareClient } from './bare-client.js';
import type { Contestant } from './contestant.js';
import { Stopwatch } from './contestant.js';

const workflowName = 'send';
const queueName = 'members';
const enqueuesAtOnce = 32;
const drainTimeoutMs = 5_000;

export const dbosSettings = {
  partitionConcurrency: 1,
  workerConcurrency: 512,
  minPollingIntervalMs: 10,
  systemDatabasePoolSize: 20,
} as const;

/** The same in all processes: only the version that enqueued a workflow may run it. */
const configuration = (url: string) =>
  ({
    name: 'bench',
    applicationVersion: '1',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: dbosSettings.systemDatabasePoolSize,
    logLevel: 'error',
  }) as const;

const registerQueue = async (): Promise<void> => {
  const { partitionConcurrency, workerConcurrency, minPollingIntervalMs } = dbosSettings;
  await DBOS.registerQueue(queueName, { partitionConcurrency, workerConcurrency, minPollingIntervalMs });
};

/**
 * The same backlog as workflows in a queue that is partitioned by member. All of a rank are enqueued before the next rank
 * follows: those of one millisecond would be ordered by their ids.
 */
export const fillDbos = async (url: string, { members, intentsPerMember }: BacklogSize): Promise<void> => {
  DBOS.setConfig({ ...configuration(url), listenQueues: ['none'] });
  await DBOS.launch();
  await registerQueue();
  for (let rank = 1; rank <= intentsPerMember; rank += 1) {
    const rest = Array.from({ length: members }, (_, member) => member).values();
    const lane = async (): Promise<void> => {
      for (const member of rest) {
        const workflowID = `${member}-${rank}`;
        const options = { queueName, workflowName, workflowID, queuePartitionKey: memberId(member) };
        await DBOS.enqueueWorkflowWithOptions(options, { member, rank });
      }
    };
    await Promise.all(Array.from({ length: enqueuesAtOnce }, lane));
  }
  await DBOS.shutdown();
  await settle(url);
};

/** What the workflow calls: another round has another client. */
let send: (job: Job) => Promise<string> = async () => Promise.reject(new Error('no round has begun'));

DBOS.registerWorkflow(
  async (job: Job): Promise<void> => {
    // Its result, the partner's answer, is recorded before the workflow ends.
    await DBOS.runStep(() => send(job), { name: 'call' });
  },
  { name: workflowName },
);

/** DBOS with a queue that runs one workflow of a member at a time, and the call as its step. */
export const dbos: Contestant = async (input) => {
  const client = bareClient(input.stubOrigin);
  const wanted = input.members * input.intentsPerMember;
  const finished = Promise.withResolvers<undefined>();
  const clock: { watch: Stopwatch | null } = { watch: null };
  let done = 0;
  send = async ({ member, rank }) => {
    // From the first job on: connecting and looking for migrations are not counted.
    clock.watch ??= new Stopwatch();
    const { answer } = await client.postTransaction(member, rank);
    done += 1;
    if (done === wanted) finished.resolve(undefined);
    return answer;
  };
  DBOS.setConfig({ ...configuration(input.databaseUrl), listenQueues: [queueName] });
  await DBOS.launch();
  const timer = setTimeout(() => finished.resolve(undefined), input.secondsMax * 1_000);
  await finished.promise;
  const figures = (clock.watch ?? new Stopwatch()).read(done);
  clearTimeout(timer);
  await DBOS.shutdown({ workflowCompletionTimeoutMS: drainTimeoutMs });
  await client.close();
  return figures;
};
