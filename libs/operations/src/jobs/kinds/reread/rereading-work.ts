import { Injectable } from '@nestjs/common';

import type { PassName } from '#intents/core';
import type { ResponseEvidence } from '#gateway';
import { DialectRegistry, rereadAnswer } from '#gateway';
import type { ProvenAnswer } from '#intents';
import { intentId } from '#intents';
import type { SqlSession } from '#platform';
import { Clock } from '#platform';

import { PlannedActions } from '../../../intents/planned-actions.js';
import { JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { Tally } from '../../../partner-reading/tally.js';
import type { DoubtfulIntent, DoubtfulPlace, KeptAnswer } from './doubtful-intents.js';
import { DoubtfulIntentRepository } from './doubtful-intents.js';

/** An intent, and the answer to it that proves it now. */
interface Proof extends ProvenAnswer {
  readonly line: { readonly intent: string; readonly operation: string; readonly attempt: number };
}

/** The newest answer that proves the intent. */
function proofOf(
  job: Job,
  intent: DoubtfulIntent,
  { dialects, tally }: { readonly dialects: DialectRegistry; readonly tally: Tally },
): Proof | null {
  const { laneId, seq, command, memberId, answers } = intent;
  if (command === null || answers.length === 0) {
    tally.add('withoutAnswer');
    return null;
  }
  const proven = answers.findLast((answer) => proves(answer, command, dialects));
  if (proven === undefined) {
    tally.add('stillUnproven');
    return null;
  }
  const { success } = dialects.of(command).dialect;
  const reread = { job: job.jobId, version: proven.version, success };
  const line = { intent: intentId({ program: job.program ?? '', memberId, seq }), operation: command.operation };
  const { attempt, evidence } = proven;
  return { laneId, seq, attempt, evidence: JSON.stringify({ reread, ...evidence }), line: { ...line, attempt } };
}

function proves({ evidence }: KeptAnswer, command: NonNullable<DoubtfulIntent['command']>, dialects: DialectRegistry) {
  const response = evidence['response'] as ResponseEvidence | null | undefined;
  const shown = evidence['shown'] as PassName | undefined;
  const asked = shown === undefined ? command : { ...command, shown };
  return response !== null && response !== undefined && rereadAnswer(asked, response, dialects).kind === 'applied';
}

/** The transaction may be repeated: it counts from what was known before it. */
async function settle(
  session: SqlSession,
  { job, proofs, tally }: { readonly job: Job; readonly proofs: readonly Proof[]; readonly tally: Tally },
  { clock, actions }: Pick<RereadingWork, 'clock' | 'actions'>,
): Promise<Pick<Tally, 'progress' | 'lines'>> {
  const counted = new Tally(tally.progress);
  if (job.request['dryRun'] === true) {
    for (const { line } of proofs) counted.found('proven', 'would-settle', line);
    return counted;
  }
  const { jobId, createdBy: actor, needsRole: role, reason } = job;
  const audit = { at: Math.max(clock.now(), job.createdAt), actor, role, address: null, reason };
  const program = job.program ?? '';
  const settled = new Set(await actions.settleReread(session, { program, proven: proofs, job: jobId, audit }));
  for (const proof of proofs) {
    if (settled.has(proof)) counted.found('settled', 'settled', proof.line);
    else counted.add('movedMeanwhile');
  }
  return counted;
}

/**
 * Reads the answers again that parked intents of a program were given, by the dialect of now, and settles what they
 * prove: a dialect that is mended repairs nothing that is parked already. The partner is not called. A turn takes the
 * next intents in the order of their recording, up to the moment in which the job was made.
 */
@Injectable()
export class RereadingWork extends JobWork {
  override readonly kind = 'reread';

  constructor(
    private readonly intents: DoubtfulIntentRepository,
    readonly actions: PlannedActions,
    readonly clock: Clock,
    private readonly dialects: DialectRegistry,
  ) {
    super();
  }

  async turn(job: Job): Promise<JobTurn> {
    const { program, createdAt: until, cursor, progress } = job;
    const after = cursor as DoubtfulPlace | null;
    const intents = await this.intents.list({ program: program ?? '', until, after });
    const last = intents.at(-1);
    if (last === undefined) return { cursor, progress, report: { ...progress }, isDone: true };
    const tally = new Tally(progress);
    tally.add('read', intents.length);
    const proofs = intents.flatMap((intent) => proofOf(job, intent, { dialects: this.dialects, tally }) ?? []);
    const { laneId, seq, recordedAt } = last;
    const next = { laneId, seq, recordedAt } satisfies DoubtfulPlace;
    const findings = (session: SqlSession) => settle(session, { job, proofs, tally }, this);
    return { cursor: next, progress: tally.progress, isDone: false, findings };
  }
}
