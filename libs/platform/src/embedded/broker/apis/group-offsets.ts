import type { Api } from '../api.js';
import { readByTopic, writeByTopic, type TopicItems } from '../by-topic.js';
import { errorCode } from '../error-code.js';
import type { CommittedOffset, StoredGroup } from '../group-store.js';
import { WireWriter } from '../wire-writer.js';

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
