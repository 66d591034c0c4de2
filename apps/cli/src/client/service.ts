import type { DoctorCheck, DoctorReport, NoticeTrialResult } from '#contracts';

import { CommandFailure, exitError, exitOk, exitSomeFailed, exitUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import type { OutputFlags } from './flags.js';
import type { ActFlags } from './act.js';
import { act } from './act.js';
import type { OneView } from './output.js';
import { writeOne } from './output.js';
import { fields, safeLine } from './text.js';

interface Diagnosis {
  readonly report: DoctorReport;
  /** False where a start would not even be tried. */
  readonly isConfigurationValid: boolean;
}

const nameWidthMax = 40;

const marks: Readonly<Record<DoctorCheck['state'], string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'skipped',
};
const markWidth = Math.max(...Object.values(marks).map(({ length }) => length));

/** Terminals act on control characters, and an answer may come from anywhere. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}

function summary({ checks, durationMs }: DoctorReport): string {
  const counts = (['ok', 'warning', 'failed', 'skipped'] as const).map(
    (state) => `${checks.filter((check) => check.state === state).length} ${state}`,
  );
  return `${counts.join(', ')} in ${(durationMs / 1_000).toFixed(1)} s`;
}

/** The report for people: a line per check, and under each that is not well what to do. */
function doctorTable(report: DoctorReport): string {
  const { checks } = report;
  const width = Math.min(nameWidthMax, Math.max(0, ...checks.map(({ name }) => name.length)));
  const lines = checks.flatMap(({ name, state, detail, remedy, page }) => [
    `${marks[state].padEnd(markWidth)}  ${plain(name).padEnd(width)}  ${plain(detail)}`,
    ...(remedy === null ? [] : [`${' '.repeat(markWidth)}  -> ${plain(remedy)} (docs/${plain(page)})`]),
  ]);
  return [...lines, '', summary(report), ''].join('\n');
}

export interface DoctorFlags extends ConnectionFlags, OutputFlags {}

const reportView: OneView<DoctorReport> = {
  text: (report) => doctorTable(report),
  nameOf: ({ checks }) => checks.flatMap(({ name, state }) => (state === 'failed' ? name : [])).join(' '),
};

/** A profile that happens to be there does not count: on the daemon's machine its own environment is what matters. */
function isServerNamed({ server, profile }: DoctorFlags, env: Terminal['env']): boolean {
  const named = [server, profile, env['LOYALTYD_SERVER'], env['LOYALTYD_PROFILE']];
  return named.some((name) => name !== undefined && name !== '');
}

/** From this process's own environment: no daemon need run. */
async function examineHere({ env }: Terminal): Promise<Diagnosis> {
  const { runDoctor } = await import('#daemon');
  return runDoctor(env);
}

async function examineThere(terminal: Terminal, flags: DoctorFlags): Promise<Diagnosis> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const report = (await client.get('/doctor')) as DoctorReport;
  if (!Array.isArray(report.checks)) throw new CommandFailure('the server did not answer with checks');
  return { report, isConfigurationValid: true };
}

/**
 * Looks at everything that the daemon depends on: as a server that is named has it, else as the environment has it.
 * @returns the exit code; 2 where the environment is not valid
 */
export async function doctor(terminal: Terminal, flags: DoctorFlags): Promise<number> {
  const examine = isServerNamed(flags, terminal.env) ? examineThere : examineHere;
  const { report, isConfigurationValid } = await examine(terminal, flags);
  await writeOne(terminal, reportView, { item: report, format: flags.output });
  if (!isConfigurationValid) return exitUsage;
  return report.ok ? exitOk : exitError;
}

interface Reloaded {
  /** False where the server worked by the same file before. */
  readonly changed: boolean;
  readonly hash: string;
  readonly programs: readonly string[];
  /** Of processes that did not follow. */
  readonly problems: readonly string[];
}

const reloadView: OneView<Reloaded> = {
  text: ({ changed, hash, programs }) =>
    fields([
      ['Programs file', changed ? 'read again' : 'the same as before'],
      ['Hash', hash],
      ['Programs', programs.join(', ')],
    ]),
  nameOf: ({ hash }) => hash,
};

export interface ReloadFlags extends ActFlags {
  /** Names of dangerous changes. */
  readonly accept?: readonly string[];
}

/** Has the programs file read again; an invalid or dangerous one changes nothing. @returns the exit code */
export async function reload(terminal: Terminal, flags: ReloadFlags): Promise<number> {
  const { accept } = flags;
  const body = accept === undefined ? {} : { accept };
  const { problems } = await act(terminal, { path: '/reload', body, view: reloadView }, flags);
  for (const problem of problems) terminal.report(safeLine(`loyaltyd: ${problem}`));
  return problems.length === 0 ? exitOk : exitSomeFailed;
}

const trialView: OneView<NoticeTrialResult> = {
  text: ({ deliveries }) =>
    deliveries
      .map(({ channel, problem }) => `${channel}: ${problem === null ? 'taken' : `NOT TAKEN (${safeLine(problem)})`}\n`)
      .join(''),
  nameOf: ({ deliveries }) => deliveries.map(({ id }) => id).join(' '),
};

/** Sends a trial to everybody who would be told. @returns the exit code; 4 where one did not take it */
export async function tryNotices(terminal: Terminal, flags: ActFlags): Promise<number> {
  const { deliveries } = await act(terminal, { path: '/notices/trial', view: trialView }, flags);
  return deliveries.every(({ problem }) => problem === null) ? exitOk : exitSomeFailed;
}
