import { nodeId, noThrottleMs, type Api } from './api.js';
import { metadataFor, noBytes, type CommittedOffset, type GroupStore, type StoredGroup } from './consumer-group.js';
import { errorCode, readByTopic, WireWriter, writeByTopic, type TopicItems } from './wire.js';

const typeAndThrottleSince = 1;

/** The one node coordinates every group. */
export const findCoordinator: Api = {
  key: 10,
  versions: [0, 1],
  handle: ({ version }, { host, nodes }) => {
    const answer = new WireWriter();
    if (version >= typeAndThrottleSince) answer.int32(noThrottleMs);
    answer.int16(errorCode.none);
    if (version >= typeAndThrottleSince) answer.string(null);
    return answer
      .int32(nodeId)
      .string(host)
      .int32(nodes[0]?.port ?? 0);
  },
};

export const joinGroup: Api = {
  key: 11,
  versions: [2, 2],
  handle: async ({ clientId, body }, { groups }) => {
    const groupId = body.string();
    const joined = await groups.provide(groupId).group.join({
      clientId,
      sessionTimeoutMs: body.int32(),
      rebalanceTimeoutMs: body.int32(),
      memberId: body.string(),
      protocolType: body.string(),
      protocols: body.array(() => ({ name: body.string(), metadata: body.bytes() })),
    });
    const answer = new WireWriter().int32(noThrottleMs).int16(joined.error).int32(joined.generation);
    answer.string(joined.protocol).string(joined.leader).string(joined.memberId);
    return answer.array(joined.members, ({ memberId, metadata }) => answer.string(memberId).bytes(metadata));
  },
};

export const syncGroup: Api = {
  key: 14,
  versions: [1, 1],
  handle: async ({ body }, { groups }) => {
    const [groupId, generation, memberId] = [body.string(), body.int32(), body.string()];
    const assignments = new Map(body.array(() => [body.string(), body.bytes()] as const));
    const { error, assignment } = (await groups.find(groupId)?.group.sync({ memberId, generation, assignments })) ?? {
      error: errorCode.unknownMemberId,
      assignment: noBytes,
    };
    return new WireWriter().int32(noThrottleMs).int16(error).bytes(assignment);
  },
};

export const heartbeat: Api = {
  key: 12,
  versions: [1, 1],
  handle: ({ body }, { groups }) => {
    const [groupId, generation, memberId] = [body.string(), body.int32(), body.string()];
    const error = groups.find(groupId)?.group.heartbeat(memberId, generation) ?? errorCode.unknownMemberId;
    return new WireWriter().int32(noThrottleMs).int16(error);
  },
};

export const leaveGroup: Api = {
  key: 13,
  versions: [1, 1],
  handle: ({ body }, { groups }) => {
    const [groupId, memberId] = [body.string(), body.string()];
    const error = groups.find(groupId)?.group.leave(memberId) ?? errorCode.unknownMemberId;
    return new WireWriter().int32(noThrottleMs).int16(error);
  },
};

/** Generation and member of a commit from outside the group, as an administrator's. */
const noGeneration = -1;
const noOffset = -1;
const errorSince = 2;

/** Members may still commit while the others are called to join again: what they did is done. */
const commitError = ({ group }: StoredGroup, generation: number, memberId: string): number => {
  if (generation === noGeneration && memberId === '') {
    return group.members.size === 0 ? errorCode.none : errorCode.unknownMemberId;
  }
  const error = group.check(memberId, generation);
  return error === errorCode.rebalanceInProgress ? errorCode.none : error;
};

const remember = ({ offsets }: StoredGroup, topic: string): Map<number, CommittedOffset> => {
  const found = offsets.get(topic) ?? new Map<number, CommittedOffset>();
  offsets.set(topic, found);
  return found;
};

export const offsetCommit: Api = {
  key: 8,
  versions: [2, 2],
  handle: ({ body }, { groups }) => {
    const stored = groups.provide(body.string());
    const [generation, memberId] = [body.int32(), body.string()];
    body.int64(); // retention time
    const error = commitError(stored, generation, memberId);
    const committed = readByTopic(body, () => ({
      partition: body.int32(),
      offset: body.int64(),
      metadata: body.nullableString(),
    }));
    const answer = new WireWriter();
    return writeByTopic(answer, committed, ({ partition, offset, metadata }, topic) => {
      if (error === errorCode.none) remember(stored, topic).set(partition, { offset, metadata });
      answer.int32(partition).int16(error);
    });
  },
};

const everything = (stored: StoredGroup | undefined): TopicItems<number>[] =>
  [...(stored?.offsets ?? [])].map(([topic, partitions]) => ({ topic, items: [...partitions.keys()] }));

export const offsetFetch: Api = {
  key: 9,
  versions: [1, 2],
  handle: ({ version, body }, { groups }) => {
    const stored = groups.find(body.string());
    const wanted = body.nullableArray(() => ({ topic: body.string(), items: body.array(() => body.int32()) }));
    const answer = new WireWriter();
    writeByTopic(answer, wanted ?? everything(stored), (partition, topic) => {
      const { offset, metadata } = stored?.offsets.get(topic)?.get(partition) ?? { offset: noOffset, metadata: '' };
      answer.int32(partition).int64(offset).string(metadata).int16(errorCode.none);
    });
    if (version >= errorSince) answer.int16(errorCode.none);
    return answer;
  },
};

const loopbackClient = '/127.0.0.1';

export const FailureGroupRepository: Api = {
  key: 16,
  versions: [1, 1],
  handle: (_request, { groups }) => {
    const answer = new WireWriter().int32(noThrottleMs).int16(errorCode.none);
    return answer.array(groups.all(), ({ id, group }) => answer.string(id).string(group.protocolType));
  },
};

const writeGroup = (answer: WireWriter, id: string, stored: StoredGroup | undefined): void => {
  answer.int16(errorCode.none).string(id);
  if (stored === undefined) {
    answer.string('Dead').string('').string('').int32(0);
    return;
  }
  const { group } = stored;
  answer.string(group.state).string(group.protocolType).string(group.protocol);
  answer.array([...group.members.values()], (member) => {
    answer.string(member.id).string(member.request.clientId).string(loopbackClient);
    answer.bytes(metadataFor(member.request, group.protocol)).bytes(member.assignment);
  });
};

export const describeGroups: Api = {
  key: 15,
  versions: [1, 1],
  handle: ({ body }, { groups }) => {
    const ids = body.array(() => body.string());
    const answer = new WireWriter().int32(noThrottleMs);
    return answer.array(ids, (id) => {
      writeGroup(answer, id, groups.find(id));
    });
  },
};

const deletionError = (groups: GroupStore, id: string): number => {
  const stored = groups.find(id);
  if (stored === undefined) return errorCode.groupIdNotFound;
  if (stored.group.members.size > 0) return errorCode.nonEmptyGroup;
  groups.delete(id);
  return errorCode.none;
};

export const deleteGroups: Api = {
  key: 42,
  versions: [1, 1],
  handle: ({ body }, { groups }) => {
    const ids = body.array(() => body.string());
    const answer = new WireWriter().int32(noThrottleMs);
    return answer.array(ids, (id) => answer.string(id).int16(deletionError(groups, id)));
  },
};
