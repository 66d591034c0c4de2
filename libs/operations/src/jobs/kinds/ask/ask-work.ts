import { Injectable } from '@nestjs/common';
import { z } from 'zod';

import { ASK_RATE } from '#contracts';
import type { CallFailure, LookupReport } from '#gateway';
import type { IntentAction, LoadedCommand, ReadHistory } from '#intents';
import { holdPass, loadCommands, loadHistories } from '#intents';
import type { LookProof, PartnerCommand, SeenPass } from '#intents/core';
import { judgeLook } from '#intents/core';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import { backOff, isPassing, noTroubles } from '../../../partner-reading/partner-backoff.js';
import { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import type { NamedProgram } from '../../../partner-reading/reading-admission.js';
import { ReadingAdmission, readingTurnMs } from '../../../partner-reading/reading-admission.js';
import type { ItemPlace, Mark } from '../../item-work.js';
import { auditContextOfJob, ItemTakenError, markItem, refuseItem } from '../../item-work.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { JobFailedError, JobWork } from '../../job-runner.js';
import type { NextItem } from '../replay/replay-items.js';
import { nextItems } from '../replay/replay-items.js';
import { askItemsMax } from './ask-order.js';

/** Longest call: jobs take turns under one lease of 60 s. */
const callMsMax = 12_000;

const cursorSchema = z.object({
  troubles: z.object({ count: z.number(), lastDelayMs: z.number() }),
  /** By ordinal the points of a first look: a second one that shows the same may prove something. */
  reads: z.record(z.string(), z.object({ points: z.number(), at: z.number() })),
});

type Cursor = z.output<typeof cursorSchema>;

/** What a turn works on. */
interface Asking {
  readonly job: Job;
  readonly named: NamedProgram;
  readonly cursor: Cursor;
}

/** A look at a member's pass; or the partner cannot say now, whatever is asked. */
type Look =
  | { readonly kind: 'seen'; readonly seen: SeenPass; readonly at: number }
  | { readonly kind: 'trouble'; readonly failure: CallFailure };

type Verdict = Exclude<LookProof['verdict'], 'nothing'>;

const actions: Readonly<Record<Verdict, IntentAction>> = {
  applied: { kind: 'resolve', as: 'delivered' },
  'not-applied': { kind: 'resolve', as: 'not-delivered', isKept: true },
};

const proved: Readonly<Record<Verdict, string>> = { applied: 'proved-delivered', 'not-applied': 'proved-absent' };

/** The items of the first member of whom something is due. */
function firstDue(
  items: readonly NextItem[],
  { reads }: Cursor,
  { now, inFlightMs }: { readonly now: number; readonly inFlightMs: number },
): NextItem[] {
  const isDue = ({ ordinal }: NextItem): boolean => (reads[ordinal]?.at ?? -Infinity) + inFlightMs <= now;
  const due = items.filter(isDue);
  return due.filter(({ laneId }) => laneId === due[0]?.laneId);
}

const placeOf = ({ laneId, seq }: Pick<NextItem, 'laneId' | 'seq'>): string => `${laneId}/${seq}`;

/**
 * Asks the partner about each of what is in doubt, one member after the other and beside live delivery, and settles what that
 * proves by the rules of delivery (design.md section 6). Nothing is ever sent.
 */
@Injectable()
export class AskWork extends JobWork {
  override readonly kind = 'ask';
  private readonly ending = new AbortController();
  private readonly admission: ReadingAdmission;

  constructor(
    private readonly tools: PartnerJobTools,
    private readonly planned: PlannedActions,
    private readonly observer: OperationsObserver,
  ) {
    super();
    const { database, clock } = tools;
    this.admission = new ReadingAdmission({ database, clock, stopping: this.ending.signal });
  }

  override stop(): void {
    this.ending.abort();
  }

  async turn(job: Job): Promise<JobTurn> {
    const named = this.programOf(job);
    const cursor = job.cursor === null ? { troubles: noTroubles, reads: {} } : cursorSchema.parse(job.cursor);
    const { clock } = this.tools;
    const until = clock.monotonic() + readingTurnMs;
    const asking = { job, named, cursor };
    for (;;) {
      const items = await this.waiting(job);
      if (items.length === 0) return this.done(asking);
      const due = firstDue(items, cursor, { now: clock.now(), inFlightMs: named.program.inFlightMs });
      if (due.length === 0) return this.later(asking, this.nextReadAt(asking));
      const notBefore = await this.admit(asking, until - clock.monotonic());
      if (notBefore !== null) return this.later(asking, notBefore);
      const look = await this.look(due);
      if (look.kind === 'trouble') return this.afterTrouble(asking, look.failure);
      if (!(await this.settle(asking, due, look))) return this.later(asking, clock.now());
    }
  }

  private async waiting({ jobId }: Job): Promise<NextItem[]> {
    const { database, clock } = this.tools;
    return nextItems(database, jobId, { limit: askItemsMax, now: clock.now() });
  }

  /** @throws {JobFailedError} where the programs file does not know the program any more */
  private programOf({ program: name }: Job): NamedProgram {
    const { programs } = this.tools.programs();
    const program = name !== null && Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (name === null || program === undefined) throw new JobFailedError('the programs file has no such program');
    return { name, program };
  }

  /** @returns when to come back, epoch ms; null: the partner may be asked now */
  private async admit({ job, named }: Asking, withinMs: number): Promise<number | null> {
    const { clock } = this.tools;
    const callsPerSecond = job.ratePerSecond ?? ASK_RATE;
    const admission = await this.admission.admit({ job, ...named, callsPerSecond });
    if (admission.kind === 'come-back') return admission.at;
    const isTurn = await this.admission.awaitTurn(job, admission.callsPerSecond, withinMs);
    return isTurn ? null : clock.now() + this.admission.dueInMs(job);
  }

  private get options(): { readonly timeoutMs: number; readonly signal: AbortSignal } {
    return { timeoutMs: Math.min(this.tools.timeoutMs, callMsMax), signal: this.ending.signal };
  }

  /** As delivery looks the pass up, and asks the listing where there is none. */
  private async look(due: readonly NextItem[]): Promise<Look> {
    const { clock } = this.tools;
    const command = await this.commandOf(due);
    // Erased meanwhile: nobody can be asked about.
    if (command === null) return { kind: 'seen', seen: { kind: 'failed' }, at: clock.now() };
    const report = await this.find(due, command);
    if (report.kind !== 'absent') return this.lookOf(report);
    const { brandId, programId, uniqueId } = command;
    const counted = await this.tools.partner.countPasses({ brandId, programId, uniqueId }, this.options);
    if (counted.kind === 'failed') return this.lookOf(counted);
    return { kind: 'seen', seen: { kind: 'absent', listed: counted.totalCount }, at: clock.now() };
  }

  private lookOf(report: Exclude<LookupReport, { readonly kind: 'absent' }>): Look {
    if (report.kind === 'failed' && isPassing(report)) return { kind: 'trouble', failure: report };
    return { kind: 'seen', seen: report, at: this.tools.clock.now() };
  }

  /** A pass that is another member's card is not found. */
  private async find([item]: readonly NextItem[], command: PartnerCommand): Promise<LookupReport> {
    const { partner, database, mac } = this.tools;
    const report = await partner.findPass(command, this.options);
    if (report.kind !== 'found' || item === undefined) return report;
    const refusal = await holdPass(database, { laneId: item.laneId, place: command, pass: report.pass }, mac);
    if (refusal === null) return report;
    return { ...report, kind: 'failed', stage: 'answer', code: 'shared-pass', retryAfterMs: null };
  }

  private async commandOf(due: readonly NextItem[]): Promise<PartnerCommand | null> {
    const loaded = await this.commands(due);
    return [...loaded.values()].find((command) => command !== null) ?? null;
  }

  private async commands(due: readonly NextItem[]): Promise<ReadonlyMap<string, PartnerCommand | null>> {
    const { database, keys } = this.tools;
    const known = ({ current }: LoadedCommand): PartnerCommand | null =>
      current.kind === 'command' ? current.command : null;
    return new Map((await loadCommands(database, due, keys)).map((each) => [placeOf(each), known(each)]));
  }

  /** Of all of the member at once. @returns false where the job was stopped, or is another process's */
  private async settle(
    asking: Asking,
    due: readonly NextItem[],
    look: Extract<Look, { kind: 'seen' }>,
  ): Promise<boolean> {
    const [commands, histories] = [await this.commands(due), await loadHistories(this.tools.database, due)];
    try {
      for (const item of due) {
        const history = histories.get(placeOf(item));
        const command = commands.get(placeOf(item)) ?? null;
        const state = await this.settleOne(asking, item, this.proofOf(asking, item, { history, command, look }));
        if (state !== null) this.observer.jobItems(state, 1);
      }
      return true;
    } catch (error) {
      if (error instanceof ItemTakenError) return false;
      throw error;
    }
  }

  private proofOf(
    { named: { program }, cursor }: Asking,
    { ordinal, operation }: NextItem,
    read: Known,
  ): LookProof | null {
    const { history, command, look } = read;
    if (history === undefined || operation === null) return null;
    const { events, quietPeriodMs } = history;
    const subject = { operation, command, ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }) };
    const earlier = cursor.reads[ordinal];
    return judgeLook({ events, subject, program, ...look, ...(earlier === undefined ? {} : { earlier }) });
  }

  /** @returns null: it is looked at once more */
  private async settleOne(
    { job, cursor }: Asking,
    item: NextItem,
    proof: LookProof | null,
  ): Promise<Mark['state'] | null> {
    const { database, clock } = this.tools;
    const place: ItemPlace = { jobId: job.jobId, ordinal: item.ordinal, now: clock.now() };
    if (proof === null) return refuseItem(database, place, 'changed-since');
    const { verdict, evidence, why, points } = proof;
    if (why === 'second-look' && points.now !== null) {
      cursor.reads[item.ordinal] = { points: points.now, at: clock.now() };
      return null;
    }
    if (verdict === 'nothing') return refuseItem(database, place, `proves-nothing: ${why ?? 'unclear'}`);
    return this.settleProved(job, item, { place, verdict, evidence });
  }

  private async settleProved(
    job: Job,
    { laneId, seq, version }: NextItem,
    {
      place,
      verdict,
      evidence,
    }: { readonly place: ItemPlace; readonly verdict: Verdict; readonly evidence: string | null },
  ): Promise<Mark['state']> {
    let state: Mark['state'] = 'done';
    const request = {
      ...{ place: { laneId, seq }, action: actions[verdict], role: job.needsRole },
      audit: auditContextOfJob(job, place.now),
      ...(version === null ? {} : { seenVersion: version }),
    };
    await this.planned.actAlongside(request, async (session, result) => {
      const mark: Mark =
        result.kind === 'refused'
          ? { state: 'refused', detail: result.reason }
          : { state: 'done', detail: `${proved[verdict]}: ${evidence ?? ''}` };
      state = await markItem(session, place, mark);
    });
    return state;
  }

  private nextReadAt({ named: { program }, cursor }: Asking): number {
    const reads = Object.values(cursor.reads).map(({ at }) => at + program.inFlightMs);
    return Math.max(this.tools.clock.now(), Math.min(...reads));
  }

  private async afterTrouble({ job, named, cursor }: Asking, failure: CallFailure): Promise<JobTurn> {
    const trouble = { job: job.jobId, program: named.name, failure, before: cursor.troubles };
    const { troubles, againAt } = await backOff(this.tools, trouble);
    return { cursor: { ...cursor, troubles }, progress: job.progress, isDone: false, againAt };
  }

  private later({ job, cursor }: Asking, againAt: number): JobTurn {
    return { cursor: { ...cursor, troubles: noTroubles }, progress: job.progress, isDone: false, againAt };
  }

  private async done({ job, named, cursor }: Asking): Promise<JobTurn> {
    await this.admission.leave(job, named.name);
    return { cursor, progress: job.progress, isDone: true };
  }
}

interface Known {
  readonly history: ReadHistory | undefined;
  readonly command: PartnerCommand | null;
  readonly look: { readonly seen: SeenPass; readonly at: number };
}
