import { type Child, startChild } from '../child.js';
import type { Contestant, RoundAnswer, RoundFigures } from './contestant.js';

const graceMs = 30_000;

/** They live through all rounds, and end with this process. */
const members: Child[] = [];

const sum = (shares: readonly RoundFigures[], of: (share: RoundFigures) => number): number =>
  shares.reduce((total, share) => total + of(share), 0);

/** Several delivery processes on one database: from the first start to the last delivery. */
export const deliveryFleet: Contestant = async (input) => {
  const processes = input.processes ?? 1;
  while (members.length < processes) {
    members.push((await startChild('contestants/contestant-process', ['delivery-share'])).child);
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
    statements: sum(shares, ({ statements }) => statements ?? 0),
  };
};
