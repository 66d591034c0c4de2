import type { MemberKeys } from '#intents';
import { openPayload, sealPayload, sourceEventText } from '#intents';

import type { BacklogSize } from '../backlog/fill-store.js';
import { eventHeaders, purchaseEvent, transactionCommand } from '../backlog/purchase-event.js';
import { memberKeysOf } from '../bench-parts.js';

/** A job of a peer: the `rank`-th transaction of a member, members numbered from 0. */
export interface Job {
  readonly member: number;
  readonly rank: number;
  /** What an intent of ours carries, sealed with a key of its member; base64. Without it the job is in the clear. */
  readonly sealed?: { readonly payload: string; readonly key: string };
}

/** A backlog as a peer has it. */
export interface PeerBacklog {
  readonly size: BacklogSize;
  /** A member's jobs one after the other. */
  readonly isOrdered: boolean;
  /** Gives a job its payload: `jobSealer`, or leaves it in the clear. */
  readonly seal: (job: Job) => Job;
}

/** As lanes are numbered. */
export const laneOf = ({ member }: Pick<Job, 'member'>): number => member + 1;

const headers = JSON.stringify(eventHeaders);

/** Makes jobs whose payloads are as intents have them. */
export const jobSealer = (encryptionKey: string): ((job: Job) => Job) => {
  const keys = memberKeysOf(encryptionKey);
  const ofMembers = new Map<number, ReturnType<MemberKeys['create']>>();
  return ({ member, rank }) => {
    const laneId = laneOf({ member });
    const { key, wrapped } = ofMembers.get(member) ?? keys.create(laneId);
    ofMembers.set(member, { key, wrapped });
    const command = JSON.stringify(transactionCommand(member, rank));
    const value = purchaseEvent(member, rank).toString();
    const sourceEvent = sourceEventText({ headers, value, traceparent: null });
    const payload = sealPayload(keys, { laneId, seq: rank, key }, { command, sourceEvent });
    return { member, rank, sealed: { payload: payload.toString('base64'), key: wrapped.toString('base64') } };
  };
};

/** Opens what a sealed job carries, as a claim does; a key is unwrapped when it is first used. */
export class JobOpener {
  readonly keys: MemberKeys;

  constructor(encryptionKey: string) {
    this.keys = memberKeysOf(encryptionKey);
  }

  keyOf(job: Job): Uint8Array {
    if (job.sealed === undefined) throw new Error(`a job of member ${job.member} has no key`);
    return this.keys.learn(laneOf(job), Buffer.from(job.sealed.key, 'base64'));
  }

  /** Throws where the payload does not open. */
  open(job: Job): void {
    if (job.sealed === undefined) return;
    const place = { laneId: laneOf(job), seq: job.rank, key: this.keyOf(job) };
    openPayload(this.keys, place, Buffer.from(job.sealed.payload, 'base64'));
  }
}

/** All jobs of a backlog from one number to another, members in turn. */
export const jobsOf = (from: number, to: number, members: number): Job[] =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    return { member: number % members, rank: Math.floor(number / members) + 1 };
  });
