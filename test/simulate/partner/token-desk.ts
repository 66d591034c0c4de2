import type { HttpResult } from '#gateway';

import type { Chance } from '../kernel/chance.js';
import type { Timeline } from '../kernel/timeline.js';
import { answered } from './http-answers.js';

const lifetimesS = [8, 30, 120, 3_600] as const;

/** Grants tokens of different lives and knows which of them still count. */
export class TokenDesk {
  private readonly expiresAt = new Map<string, number>();

  constructor(
    private readonly timeline: Timeline,
    private readonly chance: Chance,
  ) {}

  grant(): HttpResult {
    const lifetimeS = this.chance.pick(lifetimesS);
    const token = `token-${this.expiresAt.size + 1}`;
    this.expiresAt.set(token, this.timeline.now + lifetimeS * 1_000);
    return answered(200, { access_token: token, token_type: 'Bearer', expires_in: lifetimeS });
  }

  isValid(token: string | null): boolean {
    return (this.expiresAt.get(token ?? '') ?? 0) > this.timeline.now;
  }
}
