/** How long the partner asked for no calls (Retry-After): what this replica was told, and what others were. Epoch ms. */
export class Rest {
  private told = 0;
  private heard = 0;

  get until(): number {
    return Math.max(this.told, this.heard);
  }

  /** The rest that was asked of this replica, still to be told to the others, or null. */
  ownUntil(now: number): number | null {
    return this.told > now ? this.told : null;
  }

  ask(until: number): void {
    this.told = Math.max(this.told, until);
  }

  hear(until: number): void {
    this.heard = Math.max(this.heard, until);
  }
}
