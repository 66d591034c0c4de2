import type { Measure } from '../measures/measure.js';
import type { MeasuredRound } from '../rounds.js';
import { judge } from './judge.js';

const entrant = (name: string, template: string | null) => ({ name, label: name, settings: '', template });
const round = (done: number, seconds: number): MeasuredRound => ({
  done,
  seconds,
  cpuSeconds: seconds / 2,
  statements: done / 10,
  walBytes: done * 100,
  serverCpuSeconds: seconds / 4,
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
    { text: 'statements', figure: 'statements', atMost: 0.05, against: [] },
    { text: 'a rate', atLeast: 1_000, against: [] },
  ],
  notes: [],
} as unknown as Measure;

describe('judging a measure', () => {
  const rounds = new Map([
    ['ours', [round(1_000, 1), round(1_000, 0.5), round(1_000, 2)]],
    ['peer', [round(200, 1), round(200, 0.5), round(20, 2)]],
    ['slower', [round(100, 1), round(100, 0.5), round(200, 2)]],
  ]);
  const report = judge(measure, rounds);

  it('compares the rates round by round', () => {
    expect(report.ours.rate).toEqual({ median: 1_000, min: 500, max: 2_000, rounds: [1_000, 2_000, 500] });
    expect(report.ratios['peer']).toEqual({ median: 5, min: 5, max: 50, rounds: [5, 5, 50] });
  });

  it('says of each bar what was reached against the best of each round, and whether it holds', () => {
    expect(report.bars.map(({ reached, holds }) => [reached, holds])).toEqual([
      [5, true],
      [5, false],
      [2, true],
      [-4_500, true],
      [0.1, false],
      [1_000, true],
    ]);
  });

  it('gives costs per unit, and none where nothing was counted', () => {
    expect(report.ours).toMatchObject({ cpuMicrosecondsPerUnit: 500, walBytesPerUnit: 100, statementsPerUnit: 0.1 });
    expect(report.ours.serverCpuMicrosecondsPerUnit).toBe(250);
    expect(report.peers[0]).toMatchObject({ walBytesPerUnit: null, serverCpuMicrosecondsPerUnit: null });
  });

  it('holds no bar without rounds', () => {
    expect(judge(measure, new Map()).bars.map(({ holds }) => holds)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
