import type { Measure } from '../measures/measure.js';
import type { MeasuredRound } from '../rounds.js';
import { judge, judgeFigure } from './judge.js';

const entrant = (name: string, template: string | null) => ({ name, label: name, settings: '', template });
const round = (done: number, seconds: number, serverCpuSeconds: number | null = null): MeasuredRound => ({
  done,
  seconds,
  cpuSeconds: seconds / 2,
  statements: done / 10,
  walBytes: done * 100,
  serverCpuSeconds,
  stubCpuSeconds: seconds / 10,
  statementCosts: [],
});
const measure = {
  name: 'delivery',
  unit: 'intents/s',
  entrants: [entrant('ours', 'backlog'), entrant('peer', null), entrant('slower', null)],
  bars: [
    { text: 'five times', atLeast: 5, against: ['peer', 'slower'] },
    { text: 'six times', atLeast: 6, against: ['peer', 'slower'] },
    { text: "the peer's", of: 'peer', atLeast: 1, against: ['slower'] },
    { text: 'processor time on top', figure: 'cpu', atMost: 1_000, against: ['slower'] },
    { text: 'all processor time', figure: 'allCpu', atMost: 0.1, against: ['peer', 'slower'] },
    { text: 'of the server', figure: 'serverCpu', atMost: 250, against: [] },
    { text: 'of the server, which has none', figure: 'serverCpu', of: 'peer', atMost: 250, against: [] },
    { text: 'write-ahead log', figure: 'wal', atMost: 99, against: [] },
    { text: 'statements', figure: 'statements', atMost: 0.05, against: [] },
    { text: 'a rate', atLeast: 1_000, against: [] },
  ],
  notes: [],
} as unknown as Measure;

describe('judging a measure', () => {
  const rounds = new Map([
    ['ours', [round(1_000, 1, 0.25), round(1_000, 0.5, 0.125), round(1_000, 2, 0.5)]],
    ['peer', [round(200, 1), round(200, 0.5), round(20, 2)]],
    ['slower', [round(100, 1), round(100, 0.5), round(200, 2)]],
  ]);
  const report = judge(measure, rounds);

  it('compares the rates round by round', () => {
    expect(report.ours.rate).toEqual({ median: 1_000, min: 500, max: 2_000, rounds: [1_000, 2_000, 500] });
    expect(report.ratios['peer']).toEqual({ median: 5, min: 5, max: 50, rounds: [5, 5, 50] });
  });

  it('says of each bar what was reached against the best of each round, and whether it holds', () => {
    expect(report.bars.map(({ text, reached, holds }) => [text, reached, holds])).toEqual([
      ['five times', 5, true],
      ['six times', 5, false],
      ["the peer's", 2, true],
      ['processor time on top', -4_000, true],
      ['all processor time', 0.2833, false],
      ['of the server', 250, true],
      ['of the server, which has none', NaN, false],
      ['write-ahead log', 100, false],
      ['statements', 0.1, false],
      ['a rate', 1_000, true],
    ]);
  });

  it('shows how far the rounds of a bar lay apart', () => {
    expect(report.bars[2]?.spread).toEqual({ min: 0.1, max: 2 });
    expect(judgeFigure({ text: 'one reading', atMost: 1 }, 1).spread).toBeNull();
  });

  it('gives costs per unit, each process by itself and all together, and none where nothing was counted', () => {
    expect(report.ours).toMatchObject({ cpuMicrosecondsPerUnit: 500, walBytesPerUnit: 100, statementsPerUnit: 0.1 });
    expect(report.ours).toMatchObject({ serverCpuMicrosecondsPerUnit: 250, stubCpuMicrosecondsPerUnit: 100 });
    expect(report.ours.allCpuMicrosecondsPerUnit).toBe(850);
    expect(report.peers[0]).toMatchObject({ walBytesPerUnit: null, serverCpuMicrosecondsPerUnit: null });
    expect(report.peers[0]?.allCpuMicrosecondsPerUnit).toBe(3_000);
  });

  it('does not add up what is not all known: a database that runs elsewhere', () => {
    const { ours } = judge(measure, new Map([['ours', [round(1_000, 1)]]]));
    expect([ours.serverCpuMicrosecondsPerUnit, ours.allCpuMicrosecondsPerUnit]).toEqual([null, null]);
  });

  it('holds no bar without rounds', () => {
    expect(judge(measure, new Map()).bars.filter(({ holds }) => holds)).toEqual([]);
  });
});
