import { type Child, startChild } from '../child.js';
import type { Contestant, RoundAnswer, RoundFigures, RoundInput } from './contestant.js';

const graceMs = 30_000;

const sum = (shares: readonly RoundFigures[], of: (share: RoundFigures) => number): number =>
  shares.reduce((total, share) => total + of(share), 0);

/**
 * Several processes on one database: from the first start to the last delivery.
 * @param program what each of them is
 */
export const fleetOf = (program: string): Contestant => {
  // They live through all rounds, and end with this process.
  const members: Child[] = [];
  return (input) => play(input, program, members);
};

const play = async (input: RoundInput, program: string, members: Child[]): Promise<RoundFigures> => {
  const processes = input.processes ?? 1;
  while (members.length < processes) {
    members.push((await startChild('contestants/contestant-process', [program])).child);
  }
  const answers = members.map((child) => child.ask<RoundAnswer>(input, input.secondsMax * 1_000 + graceMs));
  const shares = (await Promise.all(answers)).map((answer) => {
    if ('error' in answer) throw new Error(answer.error);
    return answer.figures;
  });
  const spans = shares.flatMap(({ span }) => span ?? []);
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(...spans.map((span) => span.to));
  return {
    done: sum(shares, ({ done }) => done),
    seconds: (to - from) / 1_000,
    cpuSeconds: sum(shares, ({ cpuSeconds }) => cpuSeconds),
    statements: shares.some(({ statements }) => statements === null)
      ? null
      : sum(shares, (share) => share.statements ?? 0),
  };
};
