import type { ServerResponse } from 'node:http';

/** What answers may hold in memory until their clients take them. */
export interface AnswerLimits {
  /** Of all requests that carry no valid token, together: then the oldest is given up. */
  readonly bytesWithoutTokenMax: number;
  /** Of requests with one token: then what asks for more is refused. */
  readonly bytesPerTokenMax: number;
  /** An answer that was not taken by then ends its connection. A stream is no such answer. */
  readonly takenWithinMs: number;
}

export const answerLimits: AnswerLimits = {
  bytesWithoutTokenMax: 4 * 1024 * 1024,
  bytesPerTokenMax: 8 * 1024 * 1024,
  takenWithinMs: 30_000,
};

interface Answer {
  readonly bytes: number;
  readonly response: Pick<ServerResponse, 'closed' | 'once' | 'destroy'>;
}

/** Answers that were made and that their clients have not taken yet. */
export class AnswersUnderWay {
  private readonly withoutToken = new Set<Answer>();
  private bytesWithoutToken = 0;
  private readonly bytesByToken = new Map<string, number>();

  constructor(private readonly limits: AnswerLimits) {}

  /**
   * Whether an answer of so many bytes may be added for a token. One alone may be larger than all together.
   * @param token whose it is
   */
  fits(token: string, bytes: number): boolean {
    const underWay = this.bytesByToken.get(token) ?? 0;
    return underWay === 0 || underWay + bytes <= this.limits.bytesPerTokenMax;
  }

  /** @param token null: of who sends none that is valid */
  add(token: string | null, answer: Answer): void {
    const { response } = answer;
    // The client has left.
    if (response.closed) return;
    const timer = setTimeout(() => response.destroy(), this.limits.takenWithinMs);
    this.count(token, answer);
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.discount(token, answer);
    };
    response.once('finish', over);
    response.once('close', over);
    if (token === null) this.giveUpOldest();
  }

  private count(token: string | null, answer: Answer): void {
    if (token === null) {
      this.withoutToken.add(answer);
      this.bytesWithoutToken += answer.bytes;
    } else this.bytesByToken.set(token, (this.bytesByToken.get(token) ?? 0) + answer.bytes);
  }

  private discount(token: string | null, answer: Answer): void {
    if (token === null) {
      if (this.withoutToken.delete(answer)) this.bytesWithoutToken -= answer.bytes;
      return;
    }
    const left = (this.bytesByToken.get(token) ?? 0) - answer.bytes;
    if (left > 0) this.bytesByToken.set(token, left);
    else this.bytesByToken.delete(token);
  }

  /** A client that reads has taken its answer at once: the oldest one is of a client that does not. */
  private giveUpOldest(): void {
    for (const oldest of this.withoutToken) {
      if (this.bytesWithoutToken <= this.limits.bytesWithoutTokenMax || this.withoutToken.size === 1) return;
      this.discount(null, oldest);
      oldest.response.destroy();
    }
  }
}
