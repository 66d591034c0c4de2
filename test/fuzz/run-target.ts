import { Chance } from '#shop';

import type { FuzzTarget } from './fuzz-target.js';

/** One input may use this much of a processor; what takes longer is a finding, whatever comes of it. */
const cpuMsMaxDefault = 1_000;
/** Inputs of interest that are kept in memory. */
const poolMax = 4_000;
/** Different mistakes of one run; after so many it ends. */
const crashesMax = 20;
/** What a failing input is cut down within. */
const shrinkTriesMax = 400;
const shrinkMsMax = 10_000;

/** An input at which something went wrong. */
export interface Crash {
  readonly target: string;
  readonly seed: number;
  /** Which input of its run it was, counted from 0. */
  readonly index: number;
  readonly what: string;
  /** Cut down as far as the same thing goes wrong. */
  readonly input: Buffer;
  readonly found: Buffer;
}

export interface TargetReport {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly seconds: number;
  /** Different things that came of them. */
  readonly kinds: ReadonlySet<string>;
  readonly crashes: readonly Crash[];
  /** Inputs of which something new came, the given ones apart. */
  readonly ofInterest: readonly Buffer[];
}

export interface RunLimits {
  readonly seed: number;
  readonly inputsMax: number;
  readonly msMax: number;
  /** Kept inputs; they are judged first. */
  readonly corpus?: readonly Buffer[];
  /** Told of each input before it is judged. */
  readonly onInput?: (input: Buffer) => void;
}

type Judgement = { readonly kind: string } | { readonly crash: string };

const kindCharsMax = 200;

/** What differs from input to input is no difference. */
function kindOf(text: string): string {
  return text.replace(/\d+/g, '#').slice(0, kindCharsMax);
}

async function judge(target: FuzzTarget, input: Buffer): Promise<Judgement> {
  const before = process.threadCpuUsage();
  let judgement: Judgement;
  try {
    judgement = { kind: kindOf(await target.judge(input)) };
  } catch (error) {
    judgement = { crash: error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}` };
  }
  const { user, system } = process.threadCpuUsage(before);
  const usedMs = (user + system) / 1_000;
  return usedMs > (target.cpuMsMax ?? cpuMsMaxDefault)
    ? { crash: `it took ${Math.round(usedMs)} ms of a processor` }
    : judgement;
}

/** What went wrong at an input; null: nothing. */
export async function crashOf(target: FuzzTarget, input: Buffer): Promise<string | null> {
  const judgement = await judge(target, input);
  return 'crash' in judgement ? judgement.crash : null;
}

/** Leaves out whatever it goes wrong without, in ever smaller pieces. */
async function shrunk(target: FuzzTarget, input: Buffer, crash: string): Promise<Buffer> {
  const endAt = performance.now() + shrinkMsMax;
  let best = input;
  let tries = 0;
  const mayGoOn = (): boolean => tries < shrinkTriesMax && performance.now() < endAt;
  for (let size = Math.ceil(best.length / 2); size >= 1 && mayGoOn(); size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && mayGoOn(); tries += 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      const judged = await crashOf(target, shorter);
      if (judged !== null && kindOf(judged) === kindOf(crash)) best = shorter;
      else at += size;
    }
  }
  return best;
}

/** Runs one target until its limits: the same seed makes the same inputs, in the same order. */
class TargetRun {
  private readonly kinds = new Set<string>();
  private readonly crashes: Crash[] = [];
  private readonly ofInterest: Buffer[] = [];
  private readonly pool: Buffer[];
  private inputs = 0;

  constructor(
    private readonly target: FuzzTarget,
    private readonly limits: RunLimits,
  ) {
    this.pool = [...target.samples, ...(limits.corpus ?? [])];
  }

  async run(): Promise<TargetReport> {
    const { target, limits } = this;
    const startedAt = performance.now();
    const given = [...this.pool];
    const chance = new Chance(limits.seed);
    while (this.inputs < limits.inputsMax && performance.now() - startedAt < limits.msMax) {
      const sample = given[this.inputs];
      await this.add(
        sample ?? target.make(chance.fork(`${target.name} ${this.inputs}`), this.pool),
        sample === undefined,
      );
      this.inputs += 1;
      if (this.crashes.length >= crashesMax) break;
    }
    const { inputs, kinds, crashes, ofInterest } = this;
    const seconds = (performance.now() - startedAt) / 1_000;
    return { target: target.name, seed: limits.seed, inputs, seconds, kinds, crashes, ofInterest };
  }

  private async add(input: Buffer, isNew: boolean): Promise<void> {
    this.limits.onInput?.(input);
    const judgement = await judge(this.target, input);
    if ('crash' in judgement) {
      await this.report(input, judgement.crash);
      return;
    }
    if (this.kinds.has(judgement.kind) || this.pool.length >= poolMax) return;
    this.kinds.add(judgement.kind);
    if (!isNew) return;
    this.pool.push(input);
    this.ofInterest.push(input);
  }

  private async report(found: Buffer, what: string): Promise<void> {
    if (this.crashes.some((crash) => kindOf(crash.what) === kindOf(what))) return;
    const { name } = this.target;
    const input = await shrunk(this.target, found, what);
    this.crashes.push({ target: name, seed: this.limits.seed, index: this.inputs, what, input, found });
  }
}

export function runTarget(target: FuzzTarget, limits: RunLimits): Promise<TargetReport> {
  return new TargetRun(target, limits).run();
}

/** What a person needs to see a crash again. */
export function crashText({ target, seed, index, what, input }: Crash): string {
  return [
    `${target}: ${what}`,
    `  input ${index} of seed ${seed}, ${input.length} bytes after cutting: ${JSON.stringify(input.toString('latin1').slice(0, 300))}`,
    `  again: npm run fuzz -- --only ${target} --repeat ${input.toString('base64')}`,
  ].join('\n');
}
