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

export interface GroupProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface JoinAnswer {
  readonly error: number;
  readonly generation: number;
  readonly protocol: string;
  readonly leader: string;
  readonly memberId: string;
  /** For the leader only. */
  readonly members: readonly { readonly memberId: string; readonly metadata: Buffer }[];
}

export interface SyncRequest {
  readonly memberId: string;
  readonly generation: number;
  /** From the leader only. */
  readonly assignments: ReadonlyMap<string, Buffer>;
}

export interface SyncAnswer {
  readonly error: number;
  readonly assignment: Buffer;
}

export interface GroupMember {
  readonly id: string;
  request: JoinRequest;
  assignment: Buffer;
  /** Its pending answers: to JoinGroup until all have joined, to SyncGroup until the leader has assigned. */
  joined: ((answer: JoinAnswer) => void) | undefined;
  synced: ((answer: SyncAnswer) => void) | undefined;
  session: NodeJS.Timeout | undefined;
}

/** As DescribeGroups names them. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

export const refusedJoin = (error: number, memberId: string): JoinAnswer => ({
  error,
  generation: -1,
  protocol: '',
  leader: '',
  memberId,
  members: [],
});

/** The protocols that every one of these members can speak, in the order of the first. */
export const commonProtocols = (requests: readonly JoinRequest[]): string[] => {
  const [first, ...others] = requests.map(({ protocols }) => protocols.map(({ name }) => name));
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
};

export const metadataFor = ({ protocols }: JoinRequest, protocol: string): Buffer =>
  protocols.find(({ name }) => name === protocol)?.metadata ?? noBytes;
