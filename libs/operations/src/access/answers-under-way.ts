import type { ServerResponse } from 'node:http';

/** What answers may hold in memory until their clients take them. */
export interface AnswerLimits {
  /** Of all requests that carry no valid token, together: then what was asked for least recently is given up. */
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
  /** What is sent. Several answers that send the same bytes hold them once. */
  readonly payload: unknown;
  readonly response: Pick<ServerResponse, 'closed' | 'once' | 'destroy'>;
}

/** What strangers take, by what is sent, the one that was asked for least recently first. */
class StrangersAnswers {
  private readonly byDocument = new Map<unknown, { readonly bytes: number; readonly answers: Set<Answer> }>();
  private bytes = 0;

  constructor(private readonly bytesMax: number) {}

  add(answer: Answer): void {
    const key = documentOf(answer);
    const { bytes, answers } = this.byDocument.get(key) ?? { bytes: answer.bytes, answers: new Set() };
    if (answers.size === 0) this.bytes += bytes;
    this.byDocument.delete(key);
    this.byDocument.set(key, { bytes, answers: answers.add(answer) });
    this.giveUpOldest();
  }

  delete(answer: Answer): void {
    const key = documentOf(answer);
    const document = this.byDocument.get(key);
    if (document?.answers.delete(answer) !== true || document.answers.size > 0) return;
    this.byDocument.delete(key);
    this.bytes -= document.bytes;
  }

  /**
   * A client that reads has taken its answer at once: what was asked for longest ago is held by clients who do not. A scrape whose
   * text is shared, or new, is never among them.
   */
  private giveUpOldest(): void {
    for (const { answers } of this.byDocument.values()) {
      if (this.bytes <= this.bytesMax || this.byDocument.size === 1) return;
      for (const answer of answers) {
        this.delete(answer);
        answer.response.destroy();
      }
    }
  }
}

/** A text is copied for each answer. */
const documentOf = (answer: Answer): unknown => (answer.payload instanceof Uint8Array ? answer.payload : answer);

/** Answers that were made and that their clients have not taken yet. */
export class AnswersUnderWay {
  private readonly withoutToken: StrangersAnswers;
  private readonly bytesByToken = new Map<string, number>();

  constructor(private readonly limits: AnswerLimits) {
    this.withoutToken = new StrangersAnswers(limits.bytesWithoutTokenMax);
  }

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
  }

  private count(token: string | null, answer: Answer): void {
    if (token === null) this.withoutToken.add(answer);
    else this.bytesByToken.set(token, (this.bytesByToken.get(token) ?? 0) + answer.bytes);
  }

  private discount(token: string | null, answer: Answer): void {
    if (token === null) {
      this.withoutToken.delete(answer);
      return;
    }
    const left = (this.bytesByToken.get(token) ?? 0) - answer.bytes;
    if (left > 0) this.bytesByToken.set(token, left);
    else this.bytesByToken.delete(token);
  }
}
