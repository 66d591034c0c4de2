/** What may be saved up: after a pause a class may catch up a little, never monopolise. */
const creditMax = 2;

/**
 * A class of calls that may have at most `share` of the turns while others wait: each turn of the others earns it a
 * part of a turn. Works alike whether tokens or places are what is scarce, and takes everything when nobody waits.
 */
export class ShareCredit {
  private credit = 1;

  /** @param share above 0, at most 1 */
  constructor(private share: number) {}

  change(share: number): void {
    this.share = share;
  }

  get mayTakeTurn(): boolean {
    return this.share >= 1 || this.credit >= 1;
  }

  /** One of the others had a turn. */
  earn(): void {
    if (this.share < 1) this.credit = Math.min(creditMax, this.credit + this.share / (1 - this.share));
  }

  /** The class had a turn while others waited. */
  spend(): void {
    this.credit = Math.max(0, this.credit - 1);
  }
}
