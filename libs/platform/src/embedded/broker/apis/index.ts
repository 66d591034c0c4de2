import type { Api } from '../api.js';
import { errorCode } from '../error-code.js';
import { WireWriter } from '../wire-writer.js';
import { fetch } from './fetch.js';
import { deleteGroups, describeGroups, listGroups } from './group-administration.js';
import { findCoordinator, heartbeat, joinGroup, leaveGroup, syncGroup } from './group-membership.js';
import { offsetCommit, offsetFetch } from './group-offsets.js';
import { initProducerId } from './init-producer-id.js';
import { listOffsets } from './list-offsets.js';
import { metadata } from './metadata.js';
import { produce } from './produce.js';
import { createTopics, deleteTopics, describeConfigs } from './topic-administration.js';

const throttleSince = 1;

/** What a client asks first: which requests, in which versions, may it send. */
const apiVersions: Api = {
  key: 18,
  versions: [0, 2],
  handle: ({ version }) => {
    const isKnown = version <= apiVersions.versions[1];
    const answer = new WireWriter().int16(isKnown ? errorCode.none : errorCode.unsupportedVersion);
    answer.array([...apis.values()], ({ key, versions: [first, last] }) => answer.int16(key).int16(first).int16(last));
    // To a version it does not know a broker answers in the oldest one, and the client asks again.
    return isKnown && version >= throttleSince ? answer.int32(0) : answer;
  },
};

const all: readonly Api[] = [
  ...[produce, fetch, listOffsets, metadata, apiVersions, initProducerId],
  ...[createTopics, deleteTopics, describeConfigs],
  ...[findCoordinator, joinGroup, heartbeat, leaveGroup, syncGroup, offsetCommit, offsetFetch],
  ...[describeGroups, listGroups, deleteGroups],
];

/** Every request this broker answers, by its key. */
export const apis: ReadonlyMap<number, Api> = new Map(all.map((api) => [api.key, api]));

export const apiVersionsKey = apiVersions.key;
