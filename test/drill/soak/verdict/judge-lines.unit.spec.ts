import type { Injection } from '../rounds.js';
import { expectedLines, judgeLines, readLines } from './judge-lines.js';

const minuteMs = 60_000;
const start = Date.parse('2026-11-22T10:00:00Z');

const injections: readonly Injection[] = [
  { kind: 'invalid-file', process: null, from: start, to: start + 4_000 },
  { kind: 'error', process: null, from: start + minuteMs, to: start + minuteMs + 3_000 },
];

/** As pino writes it. */
function written(level: string, msg: string, more: { readonly at?: number } & Record<string, unknown> = {}): string {
  const { at = start + 1_000, ...fields } = more;
  return JSON.stringify({ level, time: new Date(at).toISOString(), service: 'loyaltyd', ...fields, msg });
}

function unexpected(...raw: readonly string[]): readonly string[] {
  const lines = readLines('daemon 1', raw.join('\n'));
  return judgeLines(lines, injections, expectedLines).unexpected.map(({ message }) => message);
}

describe('the lines of a log', () => {
  it('are counted by level, without what says that a process is ready or has ended', () => {
    const text = [
      '--- process 17, ended by 0',
      '{"ready":true,"roles":[],"operations":"http://127.0.0.1:1"}',
      written('info', 'attempt recorded'),
      written('info', 'attempt recorded'),
      written('error', 'programs file not taken over'),
      '',
    ].join('\n');
    const { byLevel, expected } = judgeLines(readLines('daemon 1', text), injections, expectedLines);
    expect(byLevel).toEqual({ info: 2, error: 1 });
    expect(expected).toEqual({ 'error: programs file not taken over': 1 });
  });

  it('may complain about what was done to the run, in its time', () => {
    expect(unexpected(written('error', 'programs file not taken over'))).toEqual([]);
    const later = written('error', 'programs file not taken over', { at: start + 30_000 });
    expect(unexpected(later)).toEqual(['programs file not taken over']);
    const unknown = { outcome: 'unknown', at: start + minuteMs + 20_000 };
    expect(unexpected(written('warn', 'attempt recorded, intent parked', unknown))).toEqual([]);
    const other = { outcome: 'rejected', at: start + minuteMs + 20_000 };
    expect(unexpected(written('warn', 'attempt recorded, intent parked', other))).toHaveLength(1);
    expect(unexpected(written('warn', 'attempt recorded, intent parked', { outcome: 'unknown' }))).toHaveLength(1);
  });

  it('may tell of what tills bring about, at any time', () => {
    const at = start + 40 * minuteMs;
    for (const reason of ['missing-pass', 'conflict']) {
      expect(unexpected(written('warn', 'intent parked', { reason, at }))).toEqual([]);
    }
    expect(unexpected(written('warn', 'intent parked', { reason: 'exhausted', at }))).toEqual(['intent parked']);
    // Under a receipt that another system has taken.
    const refused = { outcome: 'rejected', operation: 'transaction', code: 'duplicate', at };
    expect(unexpected(written('warn', 'attempt recorded, intent parked', refused))).toEqual([]);
    const otherwise = { ...refused, code: 'http-400' };
    expect(unexpected(written('warn', 'attempt recorded, intent parked', otherwise))).toHaveLength(1);
  });

  it.each([
    ['an error that nobody brought about', written('error', 'the Kafka consumer ended; building a new one')],
    ['a warning that nobody brought about', written('warn', 'an idle database connection broke')],
    ['a level that nobody knows', written('fatal', 'help')],
    ['what the runtime writes', '(node:7) Warning: something leaks'],
    ['half a line', '{"level":"info","ti'],
  ])('fails the run by %s', (_name, raw) => {
    expect(unexpected(written('info', 'attempt recorded'), raw)).toHaveLength(1);
  });

  it('are told only by the process that it was done to, where that is meant', () => {
    const restart: Injection = { kind: 'restart', process: 'daemon 1', from: start, to: start + 9_000 };
    const meant = [{ message: 'drained', cause: 'restart', afterMs: 0, isOwn: true, why: '' }] as const;
    const line = readLines('daemon 1', written('warn', 'drained'))[0]!;
    expect(judgeLines([line], [restart], meant).unexpected).toEqual([]);
    expect(judgeLines([{ ...line, process: 'daemon 2' }], [restart], meant).unexpected).toHaveLength(1);
  });
});
