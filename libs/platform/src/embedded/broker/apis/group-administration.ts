import { noThrottleMs, type Api } from '../api.js';
import { errorCode } from '../error-code.js';
import { metadataFor } from '../group-messages.js';
import type { GroupStore, StoredGroup } from '../group-store.js';
import { WireWriter } from '../wire-writer.js';

const loopbackClient = '/127.0.0.1';

export const listGroups: Api = {
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
