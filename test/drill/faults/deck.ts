import type { Chance } from '#shop';

/** Deals every card before any a second time. What cannot be dealt now keeps its place. */
export class Deck<Card> {
  private left: readonly Card[];

  /** @param dealing.first come before all others */
  constructor(
    private readonly cards: readonly Card[],
    private readonly dealing: { readonly chance: Chance; readonly first?: readonly Card[] },
  ) {
    this.left = this.withOthers(dealing.chance.shuffled(dealing.first ?? []));
  }

  /** @returns null where none is possible */
  deal(isPossible: (card: Card) => boolean): Card | null {
    if (!this.left.some(isPossible)) this.left = this.withOthers(this.left);
    const card = this.left.find(isPossible);
    if (card === undefined) return null;
    this.left = this.left.filter((other) => other !== card);
    return card;
  }

  private withOthers(first: readonly Card[]): readonly Card[] {
    return [...first, ...this.dealing.chance.shuffled(this.cards.filter((card) => !first.includes(card)))];
  }
}
