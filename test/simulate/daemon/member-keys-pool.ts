import { MemberKeys } from '#intents';
import type { Random } from '#platform';
import { Keyring } from '#platform';

/** Lanes are numbered from 1 in every world; none has more. */
const everyLane = Array.from({ length: 200 }, (_, index) => index + 1);

/** The keys of the installation: every process of a world has the same. */
export const masterKey = new Uint8Array(32).fill(7);

/** Randomness that is told anew whose it is. */
class LentRandom implements Random {
  owner: Random | null = null;

  bytes(count: number): Uint8Array {
    return this.lender.bytes(count);
  }

  uuid(): string {
    return this.lender.uuid();
  }

  unit(): number {
    return this.lender.unit();
  }

  private get lender(): Random {
    if (this.owner === null) throw new Error('keys are used that nobody has taken');
    return this.owner;
  }
}

/**
 * Members' keys for the processes of one world after the other: each has a cache for 50,000 of them, and making one costs
 * more than a process of a small world does in all its life.
 */
export class MemberKeysPool {
  private readonly all: { readonly keys: MemberKeys; readonly random: LentRandom }[] = [];
  private taken = 0;

  /** As if they were new. */
  take(random: Random): MemberKeys {
    const known = this.all[this.taken] ?? this.add();
    this.taken += 1;
    known.random.owner = random;
    for (const laneId of everyLane) known.keys.forget(laneId);
    return known.keys;
  }

  /** The world is over: whatever was taken is free. */
  free(): void {
    for (const { random } of this.all) random.owner = null;
    this.taken = 0;
  }

  private add(): (typeof this.all)[number] {
    const random = new LentRandom();
    const entry = { keys: new MemberKeys(new Keyring([masterKey]), random), random };
    this.all.push(entry);
    return entry;
  }
}
