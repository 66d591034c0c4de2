import { Injectable } from '@nestjs/common';

/** A pass's status, by name and by number (partner-api.md section 3). */
export interface PassStatus {
  readonly statusCode: string;
  readonly status: number;
}

/** A new pass is ACTIVE, whose number is 200; the specification shows no other status. */
export const activeStatus: PassStatus = { statusCode: 'ACTIVE', status: 200 };

/** The numbers of the statuses that some pass can have here: ACTIVE and whatever the seed's passes are given. */
@Injectable()
export class StatusNumbers {
  private readonly numbers: ReadonlyMap<string, number>;

  constructor(seeded: readonly PassStatus[]) {
    this.numbers = new Map([...seeded, activeStatus].map(({ statusCode, status }) => [statusCode, status]));
  }

  /** Null for a name that no pass has. */
  numberOf(statusCode: string): number | null {
    return this.numbers.get(statusCode) ?? null;
  }
}
