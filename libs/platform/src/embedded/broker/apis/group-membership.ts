import { noThrottleMs, nodeId, type Api } from '../api.js';
import { errorCode } from '../error-code.js';
import { noBytes } from '../group-messages.js';
import { WireWriter } from '../wire-writer.js';

const typeAndThrottleSince = 1;

/** The one node coordinates every group. */
export const findCoordinator: Api = {
  key: 10,
  versions: [0, 1],
  handle: ({ version }, { host, port }) => {
    const answer = new WireWriter();
    if (version >= typeAndThrottleSince) answer.int32(noThrottleMs);
    answer.int16(errorCode.none);
    if (version >= typeAndThrottleSince) answer.string(null);
    return answer.int32(nodeId).string(host).int32(port);
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
