/** A lane under one lease. The same lane under a later lease is another: answers must never be mixed up. */
export interface Lease {
  readonly laneId: number;
  readonly epoch: number;
}

export function leaseKey({ laneId, epoch }: Lease): string {
  return `${laneId}:${epoch}`;
}
