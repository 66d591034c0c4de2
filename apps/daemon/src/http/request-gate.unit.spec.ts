import { RequestTurns } from './request-gate.js';

/** A connection with so many requests to read, which notes each of them. */
class Asker {
  lastTurn = 0;
  private left = 0;

  constructor(
    private readonly name: string,
    private readonly turns: RequestTurns,
    private readonly begun: string[],
  ) {}

  ask(count: number): void {
    this.left += count;
    this.read();
  }

  /** One at a time: the next is asked for when the first has been answered, which is at once. */
  read(): void {
    if (this.left === 0 || !this.turns.take(this)) return;
    this.left -= 1;
    this.begun.push(this.name);
  }
}

describe('turns', () => {
  const limits = { turnMs: 10, begunPerTurnMax: 2 };
  let turns: RequestTurns;
  let begun: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    begun = [];
    turns = new RequestTurns(limits);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const asker = (name: string): Asker => new Asker(name, turns, begun);
  /** What begins in the next turn. */
  const next = (): string[] => {
    begun.length = 0;
    jest.advanceTimersByTime(limits.turnMs);
    return [...begun];
  };

  it('let so many requests begin at once, and the others in the next ones, the last and the first that came', () => {
    const askers = ['a', 'b', 'c', 'd', 'e'].map(asker);
    for (const each of askers) each.ask(1);
    expect(begun).toEqual(['a', 'b']);
    expect([next(), next(), next(), next()]).toEqual([['e', 'c'], ['d'], [], []]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('begin with who has asked least recently: a new connection passes a flood', () => {
    const flood = ['a', 'b', 'c', 'd'].map(asker);
    for (let times = 0; times < 3; times += 1) {
      for (const each of flood) each.ask(1);
      next();
    }
    for (const each of flood) each.ask(1);
    const probe = asker('probe');
    probe.ask(1);
    expect(next()[0]).toBe('probe');
  });

  it('regression: keep nobody waiting for ever, however many new connections come in each turn', () => {
    for (const name of ['a', 'b', 'c', 'd', 'probe', 'f', 'g']) asker(name).ask(1);
    const turns: string[][] = [];
    for (let each = 0; each < 4; each += 1) {
      for (const number of [1, 2, 3]) asker(`new ${each}.${number}`).ask(1);
      turns.push(next());
    }
    expect(turns.map(([, oldest]) => oldest)).toEqual(['c', 'd', 'probe', 'f']);
  });

  it('forget who has left', () => {
    const [one, other, third] = [asker('a'), asker('b'), asker('c')];
    for (const each of [one, other, third]) each.ask(1);
    turns.leave(third);
    expect(next()).toEqual([]);
  });
});
