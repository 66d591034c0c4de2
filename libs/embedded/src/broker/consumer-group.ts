import { randomUUID } from 'node:crypto';
import { errorCode } from './wire.js';

/** Bytes that only the members understand. */
export const noBytes = Buffer.alloc(0);

export interface JoinRequest {
  /** Empty for a newcomer. */
  readonly memberId: string;
  readonly clientId: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In order of preference. */
  readonly protocols: readonly GroupProtocol[];
}

interface GroupProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

interface JoinAnswer {
  readonly error: number;
  readonly generation: number;
  readonly protocol: string;
  readonly leader: string;
  readonly memberId: string;
  /** For the leader only. */
  readonly members: readonly { readonly memberId: string; readonly metadata: Buffer }[];
}

interface SyncRequest {
  readonly memberId: string;
  readonly generation: number;
  /** From the leader only. */
  readonly assignments: ReadonlyMap<string, Buffer>;
}

interface SyncAnswer {
  readonly error: number;
  readonly assignment: Buffer;
}

interface GroupMember {
  readonly id: string;
  request: JoinRequest;
  assignment: Buffer;
  /** Its pending answers: to JoinGroup until all have joined, to SyncGroup until the leader has assigned. */
  joined: ((answer: JoinAnswer) => void) | undefined;
  synced: ((answer: SyncAnswer) => void) | undefined;
  session: NodeJS.Timeout | undefined;
}

/** As DescribeGroups names them. */
type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

const refusedJoin = (error: number, memberId: string): JoinAnswer => ({
  error,
  generation: -1,
  protocol: '',
  leader: '',
  memberId,
  members: [],
});

/** The protocols that every one of these members can speak, in the order of the first. */
const commonProtocols = (requests: readonly JoinRequest[]): string[] => {
  const [first, ...others] = requests.map(({ protocols }) => protocols.map(({ name }) => name));
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
};

export const metadataFor = ({ protocols }: JoinRequest, protocol: string): Buffer =>
  protocols.find(({ name }) => name === protocol)?.metadata ?? noBytes;

/**
 * One consumer group: the classic rebalance protocol (KIP-62) as a broker's coordinator keeps it. Whoever joins or
 * leaves makes all others join again; the first member leads and assigns; who is silent for its session is out.
 */
export class ConsumerGroup {
  state: GroupState = 'Empty';
  generation = 0;
  protocol = '';
  protocolType = '';
  readonly members = new Map<string, GroupMember>();
  private rebalanceTimer: NodeJS.Timeout | undefined;

  join(request: JoinRequest): Promise<JoinAnswer> {
    const known = this.members.get(request.memberId);
    if (request.memberId !== '' && known === undefined) {
      return Promise.resolve(refusedJoin(errorCode.unknownMemberId, request.memberId));
    }
    if (commonProtocols([request, ...this.requests()]).length === 0) {
      return Promise.resolve(refusedJoin(errorCode.inconsistentGroupProtocol, request.memberId));
    }
    const member = known ?? this.admit(request);
    member.request = request;
    this.protocolType = request.protocolType;
    clearTimeout(member.session);
    return new Promise((resolve) => {
      member.joined = resolve;
      this.prepareRebalance();
    });
  }

  sync({ memberId, generation, assignments }: SyncRequest): Promise<SyncAnswer> {
    const error = this.check(memberId, generation);
    const member = this.members.get(memberId);
    if (error !== errorCode.none || member === undefined) return Promise.resolve({ error, assignment: noBytes });
    if (this.state === 'Stable') return Promise.resolve({ error, assignment: member.assignment });
    return new Promise((resolve) => {
      member.synced = resolve;
      if (memberId === this.leader()) this.assign(assignments);
    });
  }

  /** The error that a heartbeat gets; a good one prolongs the session. */
  heartbeat(memberId: string, generation: number): number {
    const error = this.check(memberId, generation);
    const member = this.members.get(memberId);
    if (member !== undefined) this.prolong(member);
    return error;
  }

  leave(memberId: string): number {
    const member = this.members.get(memberId);
    if (member === undefined) return errorCode.unknownMemberId;
    this.remove(member);
    return errorCode.none;
  }

  /** Whether this member may speak for this generation now. */
  check(memberId: string, generation: number): number {
    if (!this.members.has(memberId)) return errorCode.unknownMemberId;
    if (generation !== this.generation) return errorCode.illegalGeneration;
    return this.state === 'PreparingRebalance' ? errorCode.rebalanceInProgress : errorCode.none;
  }

  /** Ends all timers. */
  close(): void {
    clearTimeout(this.rebalanceTimer);
    for (const { session } of this.members.values()) clearTimeout(session);
  }

  private leader(): string {
    return this.members.keys().next().value ?? '';
  }

  private admit(request: JoinRequest): GroupMember {
    const id = `${request.clientId}-${randomUUID()}`;
    const member = { id, request, assignment: noBytes, joined: undefined, synced: undefined, session: undefined };
    this.members.set(id, member);
    return member;
  }

  private prolong(member: GroupMember): void {
    clearTimeout(member.session);
    member.session = setTimeout(() => this.remove(member), member.request.sessionTimeoutMs).unref();
  }

  private remove(member: GroupMember): void {
    clearTimeout(member.session);
    this.members.delete(member.id);
    member.joined?.(refusedJoin(errorCode.unknownMemberId, member.id));
    member.synced?.({ error: errorCode.unknownMemberId, assignment: noBytes });
    if (this.members.size > 0) this.prepareRebalance();
    else this.becomeEmpty();
  }

  private becomeEmpty(): void {
    clearTimeout(this.rebalanceTimer);
    this.rebalanceTimer = undefined;
    this.state = 'Empty';
    this.protocol = '';
    this.generation += 1;
  }

  /** Everybody has to join again; who has not within the longest rebalance timeout is out. */
  private prepareRebalance(): void {
    if (this.state !== 'PreparingRebalance') {
      this.state = 'PreparingRebalance';
      const timeouts = this.requests().map(({ rebalanceTimeoutMs }) => rebalanceTimeoutMs);
      this.rebalanceTimer = setTimeout(() => this.giveUpWaiting(), Math.max(...timeouts)).unref();
      for (const member of this.members.values()) this.answerSync(member, errorCode.rebalanceInProgress);
    }
    if ([...this.members.values()].every(({ joined }) => joined !== undefined)) this.completeJoin();
  }

  private giveUpWaiting(): void {
    for (const member of [...this.members.values()].filter(({ joined }) => joined === undefined)) this.remove(member);
  }

  private completeJoin(): void {
    clearTimeout(this.rebalanceTimer);
    this.rebalanceTimer = undefined;
    this.generation += 1;
    this.state = 'CompletingRebalance';
    this.protocol = commonProtocols(this.requests())[0] ?? '';
    const [generation, protocol, leader] = [this.generation, this.protocol, this.leader()];
    const all = [...this.members.values()].map(({ id, request }) => ({
      memberId: id,
      metadata: metadataFor(request, protocol),
    }));
    for (const member of this.members.values()) {
      const members = member.id === leader ? all : [];
      member.joined?.({ error: errorCode.none, generation, protocol, leader, memberId: member.id, members });
      member.joined = undefined;
      this.prolong(member);
    }
  }

  private assign(assignments: ReadonlyMap<string, Buffer>): void {
    this.state = 'Stable';
    for (const member of this.members.values()) {
      member.assignment = assignments.get(member.id) ?? noBytes;
      this.answerSync(member, errorCode.none);
    }
  }

  private answerSync(member: GroupMember, error: number): void {
    member.synced?.({ error, assignment: error === errorCode.none ? member.assignment : noBytes });
    member.synced = undefined;
    if (error === errorCode.none) this.prolong(member);
  }

  private requests(): JoinRequest[] {
    return [...this.members.values()].map(({ request }) => request);
  }
}

export interface CommittedOffset {
  readonly offset: number;
  readonly metadata: string | null;
}

/** A group with what it has committed; offsets outlive its members. */
export interface StoredGroup {
  readonly id: string;
  readonly group: ConsumerGroup;
  /** By topic, then partition. */
  readonly offsets: Map<string, Map<number, CommittedOffset>>;
}

/** All consumer groups of the broker. */
export class GroupStore {
  private readonly groups = new Map<string, StoredGroup>();

  all(): StoredGroup[] {
    return [...this.groups.values()];
  }

  find(id: string): StoredGroup | undefined {
    return this.groups.get(id);
  }

  provide(id: string): StoredGroup {
    const found = this.groups.get(id);
    if (found !== undefined) return found;
    const created = { id, group: new ConsumerGroup(), offsets: new Map<string, Map<number, CommittedOffset>>() };
    this.groups.set(id, created);
    return created;
  }

  delete(id: string): void {
    this.groups.get(id)?.group.close();
    this.groups.delete(id);
  }

  close(): void {
    for (const { group } of this.groups.values()) group.close();
  }
}
