import type { KafkaEnvironment } from '#contracts';
import type { InspectedGroup, KafkaConnection } from '#ingest';
import { inspectGroup, kafkaTrouble } from '#ingest';
import type { InstallationKeys } from '#intents';
import type { Logger } from '#platform';

import type { Examination, Examined, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, warning } from '../finding.js';
import { concludeMs, readMs } from '../limits.js';
import type { Topics } from './check-topics.js';
import { sourceTopics } from './check-topics.js';
import { troubleRemedy, troubleText } from './describe-trouble.js';
import { told } from './told.js';

const name = 'kafka.group';
const ownerName = 'kafka.group-owner';
const membersName = 'kafka.group-members';

/** Whether anybody consumes. */
export function judgeGroup(groupId: string, { state, members }: InspectedGroup): Finding {
  if (members === 0) {
    return warning(name, {
      detail: `${groupId} has no members (${state}): nothing is ingested`,
      remedy:
        'Is a process with the role ingest running? Its log says why it does not join (`kafka: ...`, `topics do not exist ' +
        'yet`, `this consumer group consumes into another database`). Before the first start this is as it should be.',
    });
  }
  if (state !== 'Stable') {
    const remedy =
      'Members come or go: this lasts seconds, at most a minute. If it stays, some process keeps crashing or stalling.';
    return warning(name, { detail: `${groupId}: ${members} members, ${state}`, remedy });
  }
  return ok(name, `${groupId}: ${members} members, ${state}`);
}

/** More consumers than partitions: the rest of them idle. */
export function judgeMembers(
  sources: readonly { readonly name: string; readonly partitions: number }[],
  members: number,
): Finding {
  if (members === 0) return skipped(membersName, 'nobody is in the group');
  const few = sources.filter(({ partitions }) => partitions < members);
  if (few.length === 0) return ok(membersName, `${members} consumers, at least as many partitions`);
  return warning(membersName, {
    detail: `${members} consumers share ${few.map((topic) => `${topic.partitions} partitions of ${topic.name}`).join(', ')}`,
    remedy:
      'Some consumers get nothing of it. Run fewer processes with the role ingest, or add partitions (keys move: let it run dry first).',
  });
}

function judgeOwner(groupId: string, group: InspectedGroup, { mac }: InstallationKeys): Finding {
  const isOwn = group.isOwn(mac);
  if (isOwn === null) return skipped(ownerName, 'nobody is in the group');
  if (isOwn) return ok(ownerName, `${groupId} consumes into this database`);
  return failed(ownerName, {
    detail: `${groupId} consumes into another database: the broker lets nobody in who consumes into this one`,
    remedy: 'Give each database a KAFKA_GROUP_ID of its own, then start again.',
  });
}

async function examine(
  connection: KafkaConnection,
  groupId: string,
  logger: Logger,
): Promise<Examined<InspectedGroup>> {
  try {
    const value = await inspectGroup(connection, groupId, logger);
    return { findings: [judgeGroup(groupId, value)], value };
  } catch (error) {
    const trouble = kafkaTrouble(error);
    if (trouble.kind !== 'no-coordinator') throw error;
    // A cluster that has never had a group answers so: no failure before the first start.
    return {
      findings: [warning(name, { detail: troubleText(trouble), remedy: troubleRemedy(trouble) })],
      value: null,
    };
  }
}

/** The consumer group: its state, whose it is, and whether there is something to do for each of its members. */
export function checkGroup(
  examination: Examination,
  built: {
    readonly connection: Step<KafkaConnection>;
    readonly topics: Step<Topics>;
    readonly keys: Step<InstallationKeys>;
  },
  { kafka, logger }: { readonly kafka: KafkaEnvironment; readonly logger: Logger },
): void {
  const { groupId, topics: names } = kafka;
  const remedy = 'The group’s coordinator is slow: look at the brokers’ logs, then try again.';
  const group = examination.after(built.connection, { name, timeoutMs: readMs, remedy }, (connection) =>
    told(name, () => examine(connection, groupId, logger)),
  );
  const plan = { timeoutMs: concludeMs, remedy };
  examination.after(examination.both(group, built.keys), { ...plan, name: ownerName }, async ([found, keys]) => ({
    findings: [judgeOwner(groupId, found, keys)],
    value: null,
  }));
  examination.after(examination.both(group, built.topics), { ...plan, name: membersName }, async ([found, topics]) => ({
    findings: [
      judgeMembers(
        sourceTopics(names).flatMap((topic) => topics.get(topic) ?? []),
        found.members,
      ),
    ],
    value: null,
  }));
}
