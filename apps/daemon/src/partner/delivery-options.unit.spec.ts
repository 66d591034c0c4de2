import type { AttemptObservation } from '#outbox';
import type { LogFields, Logger } from '#platform';

import { logObservation } from './delivery-options.js';

const macKey = new Uint8Array(32).fill(3);

const attempt: AttemptObservation = {
  kind: 'attempt',
  program: 'coffee-club',
  memberId: 'm_81273',
  laneId: 7,
  seq: 2,
  attempt: 1,
  operation: 'transaction',
  outcome: 'applied',
  code: 'applied',
  phase: 'answered',
  httpStatus: 200,
  durationMs: 12,
  sinceBrokerMs: 40,
  status: 'delivered',
  retryAt: null,
  shapeAlarms: [],
  resolution: null,
};

interface Line {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

function linesOf(...observations: readonly Parameters<typeof logObservation>[2][]): Line[] {
  const lines: Line[] = [];
  const to =
    (level: string) =>
    (fields: LogFields, message: string): void => {
      lines.push({ level, fields, message });
    };
  const logger: Logger = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
  for (const observation of observations) logObservation(logger, macKey, observation);
  return lines;
}

describe('logObservation', () => {
  it('writes one wide line per attempt, the member as a keyed hash', () => {
    const lines = linesOf(attempt);
    expect(lines).toMatchObject([
      {
        level: 'info',
        message: 'attempt recorded',
        fields: { seq: 2, outcome: 'applied', httpStatus: 200, durationMs: 12 },
      },
    ]);
    expect(lines[0]?.fields['member']).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(lines)).not.toContain('m_81273');
  });

  it('shows the same member by the same hash, and others by others', () => {
    const [one, again, other] = linesOf(attempt, { ...attempt, seq: 3 }, { ...attempt, memberId: 'm_2' });
    expect(again?.fields['member']).toBe(one?.fields['member']);
    expect(other?.fields['member']).not.toBe(one?.fields['member']);
  });

  it('warns when a person must look', () => {
    const { laneId, seq, program, memberId, operation } = attempt;
    const parked = { kind: 'parked', reason: 'missing-pass', laneId, seq, program, memberId, operation } as const;
    const lines = linesOf({ ...attempt, outcome: 'unknown', status: 'parked' }, parked, {
      kind: 'fenced',
      program,
      laneId,
    });
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
    expect(JSON.stringify(lines)).not.toContain('m_81273');
  });

  it('puts no line together that its level would not show, and leaves out none that a person needs', () => {
    const info = jest.fn();
    const warn = jest.fn();
    const logger: Logger = { ...{ debug: info, info, warn, error: warn }, isLevelEnabled: () => false };
    logObservation(logger, macKey, attempt);
    logObservation(logger, macKey, { ...attempt, status: 'parked' });
    expect(info).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('logs an automatic pause as an error, for a person should act, and its end', () => {
    const target = { program: 'coffee-club', operation: 'reward', factor: 'reward:9002' } as const;
    const pause = { kind: 'auto-paused', ...target, reason: 'refused' } as const;
    expect(linesOf(pause)).toMatchObject([{ level: 'error', fields: pause }]);
    expect(linesOf({ ...pause, kind: 'auto-resumed' })).toMatchObject([{ level: 'info' }]);
  });
});
