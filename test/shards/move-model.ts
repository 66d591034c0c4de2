/**
 * A model of a partition's move between databases, small enough to be searched (docs/decisions/0255): one partition with two
 * sales of one member; a database `old`, its copy `copy`, and `other`, which belongs to another shard; a process at each. What
 * one step does here is one transaction there, or one call.
 */

/** Rules of the real thing, each of which a mistake takes away. */
export const mistakes = [
  /** Whatever the database says, its lanes are claimed and their attempts begun. */
  'claim-and-begin-unchecked',
  /** Only the claim looks: what was claimed before is begun after. */
  'begin-unchecked',
  /** A copy is given the epoch although the old database holds it. */
  'given-before-fenced',
  /** The old database says that it has let go while a call is under way. */
  'released-undrained',
  /** Nobody looks on which server a database is. */
  'copy-unfenced',
  /** The leader gives the partition to any member. */
  'assigned-to-any',
  /** The same, and a database records what it does not own. */
  'recorded-by-any',
  /** The old server is lost, and what it may have sent after the copy is not in doubt. */
  'lost-without-doubt',
] as const;
export type Mistake = (typeof mistakes)[number];

type Place = 'old' | 'copy' | 'other';

/** A sale as a database knows it. `doubt`: an attempt may have reached the partner. */
type Sale = 'unrecorded' | 'pending' | 'begun' | 'doubt' | 'done';

interface Stored {
  /** Who may record and send: on which server, since which epoch, and whether it still holds it. */
  server: Place;
  epoch: number;
  state: 'held' | 'leaving' | 'released';
  owns: boolean;
  sales: Sale[];
  /** The lane's fencing token, and who holds its lease. */
  lease: number;
  holder: Place | null;
}

interface Process {
  isAlive: boolean;
  /** Which database its address leads to. */
  at: Place;
  /** Of its claim; null: it holds none. */
  lease: number | null;
  /** An attempt that it has begun and not sent yet, and one that it has sent and not recorded. */
  begun: { readonly sale: number; readonly epoch: number } | null;
  sent: number | null;
}

/** What may happen next, by its name. */
type Step = readonly [name: string, take: () => void];

const step = (name: string, take: () => void): Step => [name, take];
const when = (isPossible: boolean, name: string, take: () => void): Step[] => (isPossible ? [step(name, take)] : []);

/** Nobody does that in a calm. */
const interference = /^(crash|kill|redirect|disown|copy$)/;

class World {
  readonly databases = new Map<Place, Stored>();
  readonly processes = new Map<Place, Process>();
  /** What the partner has, in the order in which it got it. */
  readonly effects: number[] = [];
  readonly violations: string[] = [];
  private reader: Place | null = null;
  private givenEpoch = 1;
  private isOldLost = false;

  constructor(private readonly planted: Mistake | null) {
    const fresh = { epoch: 1, state: 'held', lease: 0, holder: null } as const;
    this.databases.set('old', { ...fresh, server: 'old', owns: true, sales: ['unrecorded', 'unrecorded'] });
    this.databases.set('other', { ...fresh, server: 'other', owns: false, sales: ['unrecorded', 'unrecorded'] });
    for (const at of ['old', 'copy', 'other'] as const) {
      this.processes.set(at, { isAlive: at !== 'copy', at, lease: null, begun: null, sent: null });
    }
  }

  /** Every step that is possible now, by name. */
  steps(): readonly Step[] {
    const own = [...this.processes].flatMap(([name, process]) => this.stepsOf(name, process));
    return [...own, ...this.deeds(), ...this.assignments()];
  }

  /** What goes on by itself once nobody interferes: a deed that was begun is finished, nothing dies any more. */
  calmSteps(): readonly Step[] {
    const isToCopy =
      this.databases.get('old')?.state === 'released' && this.databases.get('copy')?.state !== 'released';
    return this.steps().filter(([name]) => !(name === 'copy' && isToCopy ? /^$/ : interference).test(name));
  }

  /** Where the sales stand in the database that is in force. */
  get isSettled(): boolean {
    const inForce = [...this.databases].filter(([place, stored]) => this.mayWork(place, stored) && stored.owns);
    return inForce.some(([, { sales }]) => sales.every((sale) => sale === 'done'));
  }

  private has(mistake: Mistake): boolean {
    return this.planted === mistake;
  }

  /** What a claim, a begin and a recording ask. */
  private mayWork(place: Place, { server, state }: Stored): boolean {
    return state === 'held' && (server === place || this.has('copy-unfenced'));
  }

  private isReachable(place: Place): boolean {
    return this.databases.has(place) && !(place === 'old' && this.isOldLost);
  }

  private stepsOf(name: Place, process: Process): Step[] {
    if (!process.isAlive) return when(this.isReachable(name), `start ${name}`, () => this.start(name, process));
    const crash = step(`crash ${name}`, () => this.crash(process));
    const send = when(process.begun !== null, `send ${name}`, () => this.send(process));
    const stored = this.databases.get(process.at);
    if (stored === undefined || !this.isReachable(process.at)) return [crash, ...send];
    const record = when(this.mayRecord(name, process.at, stored), `record ${name}`, () => this.record(stored));
    return [crash, ...send, ...this.pointings(name, process), ...record, ...this.sending(name, process, stored)];
  }

  /** Of an address that stays whichever server is behind it. */
  private pointings(name: Place, process: Process): Step[] {
    if (name !== process.at) {
      return when(this.isReachable(name), `point back ${name}`, () => Object.assign(process, { at: name }));
    }
    const mayMove = name === 'old' && this.databases.has('copy');
    return when(mayMove, 'redirect old', () => Object.assign(process, { at: 'copy' }));
  }

  private sending(name: Place, process: Process, stored: Stored): Step[] {
    if (process.sent !== null) return [step(`answer ${name}`, () => this.answer(process, stored))];
    if (process.begun !== null) return [];
    const may = this.mayWork(process.at, stored) || this.has('claim-and-begin-unchecked');
    const isOurs = this.leads(name, process, stored);
    const next = stored.sales.findIndex((sale) => sale !== 'done');
    // Also by who holds it: what was begun, and answered elsewhere, is in doubt once the lease ends.
    const isDue = this.isDue(stored) && (!isOurs || stored.sales[next] === 'begun');
    const claim = when(may && isDue, `claim ${name}`, () => this.claim(name, process, stored));
    const begins = isOurs && (may || this.has('begin-unchecked'));
    return begins ? [...claim, ...this.next(name, process, { stored, sale: next })] : claim;
  }

  private next(name: Place, process: Process, { stored, sale }: { stored: Stored; sale: number }): Step[] {
    return [
      ...when(stored.sales[sale] === 'pending', `begin ${name}`, () => this.begin(process, stored, sale)),
      ...when(stored.sales[sale] === 'doubt', `verify ${name}`, () => this.verify(stored, sale)),
    ];
  }

  private leads(name: Place, { lease }: Process, stored: Stored): boolean {
    return lease === stored.lease && stored.holder === name;
  }

  private isOpen({ sales }: Stored): boolean {
    return sales.some((sale) => sale !== 'done' && sale !== 'unrecorded');
  }

  /** A lease ends; of who lives, and may still send by it, later than that (the send window). */
  private isDue(stored: Stored): boolean {
    const { holder } = stored;
    if (!this.isOpen(stored)) return false;
    return holder === null || this.processes.get(holder)?.isAlive === false || this.hasMoved(holder);
  }

  private hasMoved(holder: Place): boolean {
    const process = this.processes.get(holder);
    return process?.begun === null && process.sent === null;
  }

  private mayRecord(name: Place, place: Place, stored: Stored): boolean {
    if (this.reader !== name || !stored.sales.includes('unrecorded')) return false;
    return this.mayWork(place, stored) && (stored.owns || this.has('recorded-by-any'));
  }

  private start(name: Place, process: Process): void {
    Object.assign(process, { isAlive: true, at: name, lease: null, begun: null, sent: null });
  }

  private crash(process: Process): void {
    Object.assign(process, { isAlive: false, lease: null, begun: null, sent: null });
  }

  private record(stored: Stored): void {
    stored.sales[stored.sales.indexOf('unrecorded')] = 'pending';
  }

  private claim(name: Place, process: Process, stored: Stored): void {
    stored.lease += 1;
    stored.holder = name;
    process.lease = stored.lease;
    stored.sales = stored.sales.map((sale) => (sale === 'begun' ? 'doubt' : sale));
  }

  private begin(process: Process, stored: Stored, sale: number): void {
    stored.sales[sale] = 'begun';
    process.begun = { sale, epoch: stored.epoch };
  }

  private send(process: Process): void {
    const { begun } = process;
    if (begun === null) return;
    if (begun.epoch < this.givenEpoch) this.violations.push('two senders');
    if (this.effects.includes(begun.sale)) this.violations.push('doubled');
    if (this.effects.some((sale) => sale > begun.sale)) this.violations.push('out of order');
    this.effects.push(begun.sale);
    Object.assign(process, { begun: null, sent: begun.sale });
  }

  private answer(process: Process, stored: Stored): void {
    const sale = process.sent ?? 0;
    if (process.lease === stored.lease && stored.sales[sale] === 'begun') stored.sales[sale] = 'done';
    process.sent = null;
  }

  /** The partner is asked. */
  private verify(stored: Stored, sale: number): void {
    stored.sales[sale] = this.effects.includes(sale) ? 'done' : 'pending';
  }

  /** What people do, and disasters. */
  private deeds(): Step[] {
    const [old, copy] = [this.databases.get('old'), this.databases.get('copy')];
    if (old === undefined || copy?.server === 'copy') return this.leavings(old);
    const isOldThere = !this.isOldLost;
    return [
      ...this.leavings(old),
      ...when(isOldThere, 'copy', () => this.databases.set('copy', { ...old, sales: [...old.sales] })),
      ...when(isOldThere && copy !== undefined, 'kill old', () => this.lose()),
      ...(copy === undefined ? [] : this.givings(copy)),
    ];
  }

  private leavings(old: Stored | undefined): Step[] {
    if (old === undefined || this.isOldLost || this.databases.get('copy')?.server === 'copy') return [];
    const mayRelease = this.isDrained() || this.has('released-undrained');
    return [
      ...when(old.state === 'held', 'disown', () => Object.assign(old, { state: 'leaving' })),
      ...when(old.state === 'leaving' && mayRelease, 'release', () => Object.assign(old, { state: 'released' })),
    ];
  }

  private givings(copy: Stored): Step[] {
    const give = (): void => {
      this.givenEpoch += 1;
      Object.assign(copy, { server: 'copy', state: 'held', epoch: this.givenEpoch, holder: null });
    };
    if (copy.state === 'released' || this.has('given-before-fenced')) return [step('own', give)];
    return when(this.isOldLost && this.isDrained(), 'own after a loss', () => {
      give();
      if (this.has('lost-without-doubt')) return;
      copy.sales = copy.sales.map((sale) => (sale === 'done' ? sale : 'doubt'));
    });
  }

  /** The server is gone, with the daemons at it (docs/restore.md: all are stopped first). */
  private lose(): void {
    this.isOldLost = true;
    for (const process of this.processes.values()) if (process.at === 'old') this.crash(process);
  }

  /** No call is under way that was begun at the old one. */
  private isDrained(): boolean {
    return [...this.processes.values()].every(({ begun, sent }) => begun === null && sent === null);
  }

  /** The leader shares out anew, by what the members say of their databases. */
  private assignments(): Step[] {
    const isWrong = this.has('assigned-to-any') || this.has('recorded-by-any');
    const claimants = [...this.processes].filter(([, { isAlive, at }]) => {
      const stored = this.databases.get(at);
      if (!isAlive || stored === undefined || !this.isReachable(at)) return false;
      return isWrong || (this.mayWork(at, stored) && stored.owns);
    });
    const owners = new Set(claimants.map(([, { at }]) => at));
    if (owners.size > 1 && !isWrong) {
      return this.reader === null ? [] : [step('assign nobody', () => this.assign(null))];
    }
    const names = claimants.map(([name]) => name);
    // A sticky leader: it moves nothing that it need not.
    if (this.reader !== null && names.includes(this.reader)) return [];
    return names.map((name) => step(`assign ${name}`, () => this.assign(name)));
  }

  private assign(name: Place | null): void {
    this.reader = name;
  }
}

/** Numbers of one seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Finding {
  readonly seed: number;
  readonly what: string;
  readonly trace: readonly string[];
}

const stormStepsMax = 60;
const calmStepsMax = 400;

/** One interleaving: a storm of anything, then a calm in which all must come to its end. */
function walk(seed: number, planted: Mistake | null): Finding | null {
  const random = randomOf(seed);
  const world = new World(planted);
  const trace: string[] = [];
  const takeOne = (steps: readonly Step[]): boolean => {
    const any = (): Step | undefined => steps[Math.floor(random() * steps.length)];
    const first = any();
    // Disasters are rarer than work, or nothing would ever be under way.
    const taken = first !== undefined && interference.test(first[0]) ? any() : first;
    if (taken === undefined) return false;
    trace.push(taken[0]);
    taken[1]();
    return true;
  };
  const length = Math.floor(random() * stormStepsMax);
  for (let taken = 0; taken < length && world.violations.length === 0; taken += 1) takeOne(world.steps());
  for (let taken = 0; taken < calmStepsMax && world.violations.length === 0 && !world.isSettled; taken += 1) {
    if (!takeOne(world.calmSteps())) break;
  }
  const what = world.violations[0] ?? (world.isSettled ? lostIn(world) : 'stands still');
  return what === null ? null : { seed, what, trace };
}

function lostIn({ effects }: World): string | null {
  return [0, 1].every((sale) => effects.includes(sale)) ? null : 'lost';
}

/** The first interleaving of so many that breaks a promise, or one of these; null: none does. */
export function search(
  walks: number,
  planted: Mistake | null = null,
  isLookedFor: (what: string) => boolean = () => true,
): Finding | null {
  for (let seed = 1; seed <= walks; seed += 1) {
    const finding = walk(seed, planted);
    if (finding !== null && isLookedFor(finding.what)) return finding;
  }
  return null;
}
