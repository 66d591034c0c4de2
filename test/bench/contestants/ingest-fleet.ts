import { fillTopic } from '../backlog/fill-topic.js';
import { type Child, machineMs, startChild } from '../child.js';
import { awaitMembers } from '../infrastructure/consumer-group.js';
import type { Contestant, RoundAnswer } from './contestant.js';
import { countAfter } from './ingest-timing.js';

const graceMs = 30_000;
const joinTimeoutMs = 30_000;

/** They live through all rounds, and end with this process. */
const members: Child[] = [];

/**
 * Several consuming processes of one group. The topic is filled when all have joined, for else the first would take
 * everything; what they record from then on, until all is recorded, counts.
 */
export const ingestFleet: Contestant = async (input) => {
  const { kafka, processes = 1, members: people, intentsPerMember, secondsMax } = input;
  if (kafka === null) throw new Error('ingest needs Kafka');
  while (members.length < processes) {
    members.push((await startChild('contestants/contestant-process', ['ingest-share'])).child);
  }
  const answers = Promise.all(members.map((child) => child.ask<RoundAnswer>(input, secondsMax * 1_000 + graceMs)));
  const filled = async (): Promise<number> => {
    await awaitMembers(kafka, processes, joinTimeoutMs);
    await fillTopic(kafka, kafka.topic, { members: people, intentsPerMember });
    return machineMs();
  };
  const [from, shares] = await Promise.all([filled(), answers]);
  const commits = shares.map((answer) => {
    if ('error' in answer) throw new Error(answer.error);
    return answer.figures.commits ?? [];
  });
  return countAfter(from, commits);
};
