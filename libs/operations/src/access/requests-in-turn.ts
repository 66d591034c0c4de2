/** How many requests of one token are worked on. */
export interface TurnLimits {
  readonly atOnceMax: number;
  /** Behind those: more are refused at once. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

/** A page of the console asks a handful at once; what one asks for anew each second is far below this. */
export const turnLimits: TurnLimits = { atOnceMax: 3, waitingMax: 60, waitMsMax: 10_000 };

/** Each may take seconds, a connection to Postgres, and as much memory as a record batch may grow to. */
export const longTurnLimits: TurnLimits = { atOnceMax: 1, waitingMax: 10, waitMsMax: 10_000 };
/** The same of all tokens together. */
export const allLongTurnLimits: TurnLimits = { atOnceMax: 2, waitingMax: 60, waitMsMax: 10_000 };

/** Ends a turn; harmless when it has ended. */
export type EndTurn = () => void;

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/** So that one token never keeps all others waiting: its requests wait for one another, in the order in which they came. */
export class RequestsInTurn {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly limits: TurnLimits) {}

  /** @returns null where too many of this token wait already, or its turn did not come in time */
  async take(token: string): Promise<EndTurn | null> {
    const line = this.lines.get(token) ?? { running: 0, waiting: new Set() };
    this.lines.set(token, line);
    if (line.running < this.limits.atOnceMax) line.running += 1;
    else if (line.waiting.size >= this.limits.waitingMax || !(await this.cameUp(line))) return null;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.next(token, line);
    };
  }

  /** A turn that ends is the next one's, without a moment in which a newcomer could take it. */
  private next(token: string, line: Line): void {
    const [first] = line.waiting;
    if (first !== undefined) {
      first();
      return;
    }
    line.running -= 1;
    if (line.running === 0) this.lines.delete(token);
  }

  private cameUp({ waiting }: Line): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isUp: boolean): void => {
        clearTimeout(timer);
        waiting.delete(up);
        resolve(isUp);
      };
      const up = (): void => {
        end(true);
      };
      const timer = setTimeout(() => {
        end(false);
      }, this.limits.waitMsMax);
      waiting.add(up);
    });
  }
}

/** What takes long: in turn of its token, and then of all of them. */
export class LongActionsInTurn {
  private readonly ofToken = new RequestsInTurn(longTurnLimits);
  private readonly ofAll = new RequestsInTurn(allLongTurnLimits);

  /** @returns as `RequestsInTurn.take` does */
  async take(token: string): Promise<EndTurn | null> {
    const endOwn = await this.ofToken.take(token);
    const endShared = endOwn === null ? null : await this.ofAll.take('');
    if (endShared === null) endOwn?.();
    return endShared === null
      ? null
      : () => {
          endShared();
          endOwn?.();
        };
  }
}
