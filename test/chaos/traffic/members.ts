import type { Chance } from '../chance.js';
import { type ProgramName, programNames } from '../installation/programs-text.js';

export interface Member {
  readonly program: ProgramName;
  readonly memberId: string;
  readonly purchases: { readonly purchaseId: string; readonly minor: number }[];
  readonly grants: string[];
  sequence: number;
  /** As last told. */
  tier: 'basic' | 'gold';
  /** Its enrolment was sent: what changes the member may follow. */
  isEnrolled: boolean;
}

const hotMembers = 8;
const hotShare = 0.04;
/** Older members buy no more, so that the number of lanes with work stays about the same. */
const activeMembersMax = 4_000;

/** Who takes part. */
export class Members {
  private readonly active: Member[] = [];
  private count = 0;

  constructor(private readonly chance: Chance) {}

  /** Somebody new. Ids of one brand are unique over its programs. */
  join(): Member {
    this.count += 1;
    const program = this.chance.isLucky(0.65) ? programNames[0] : programNames[1];
    const memberId = `${program === 'coffee-club' ? 'c' : 't'}-${this.count}`;
    const member: Member = {
      program,
      memberId,
      purchases: [],
      grants: [],
      sequence: 1,
      tier: 'basic',
      isEnrolled: false,
    };
    this.active.push(member);
    if (this.active.length > activeMembersMax) this.active.splice(hotMembers, 1);
    return member;
  }

  /** Nothing more comes from this one. */
  leave(member: Member): void {
    this.active.splice(this.active.indexOf(member), 1);
  }

  /** Null while there is nobody. Some come much more often than others. */
  choose(): Member | null {
    if (this.active.length === 0) return null;
    const isHot = this.chance.isLucky(hotShare);
    return this.chance.pick(isHot ? this.active.slice(0, hotMembers) : this.active);
  }
}
