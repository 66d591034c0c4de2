import { parseProgramsFile } from '#contracts';

import type { ClearText, MeantBy, RunNotes, RunSampler, Verdict } from '../../checker/index.js';
import { judgeRun } from '../../checker/index.js';
import type { Run } from '../../reading/run.js';
import { judge } from '../index.js';
import type { Broken, RetailersReport } from '../report.js';
import { retailersReport } from '../report.js';
import type { KnownOfRun } from './from-run.js';
import { caseOfRun } from './from-run.js';

/** What whoever let a run of real processes run knows of it, and neither judge can read. */
export interface WhatIsKnown {
  /** As `LOYALTYD_ENCRYPTION_KEY`. */
  readonly encryptionKey: string;
  /** Text of the programs file. */
  readonly programs: string;
  /** Values that must be readable nowhere. */
  readonly secrets: readonly string[];
  readonly clearTexts?: readonly ClearText[];
  readonly notes?: Partial<RunNotes>;
  readonly samples?: RunSampler;
  /** For the checker alone. */
  readonly meantBy?: MeantBy;
  /** For the retailer's judge alone. */
  readonly known?: KnownOfRun & Pick<Broken, 'appliedLate' | 'appliedTwice'>;
}

export interface Verdicts extends Verdict {
  readonly retailer: RetailersReport;
}

/** Asks the checker and the retailer's judge about the same run, each for itself. */
export async function askBoth(run: Run, what: WhatIsKnown): Promise<Verdicts> {
  const { programs, ...own } = what;
  const parsed = parseProgramsFile(programs);
  if (!parsed.ok) throw new Error(parsed.errors.join(', '));
  const verdict = await judgeRun(run, { ...own, programs: parsed.value });
  return { ...verdict, retailer: askRetailer(run, what, verdict.figures.unknowns) };
}

/** A retailer's judgement alone: also of what has left the tables. @param unknown attempts whose outcome was not known */
export function askRetailer(
  run: Run,
  { programs, samples, known = {} }: Pick<WhatIsKnown, 'programs' | 'samples' | 'known'>,
  unknown: number,
): RetailersReport {
  const seen = caseOfRun(run, programs, { ...(samples && { offsets: samples.offsets }), ...known });
  return retailersReport(seen, judge(seen), { ...known, unknown });
}
