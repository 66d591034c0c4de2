import type { ComparisonReport } from './measure-report.js';
import { formatNumber } from './table.js';

const microseconds = 1e6;

/** What ends the rate once nothing waits for anything else: processor time, of one thread and of the machine. */
export const nextLimit = ({ ours, unit }: ComparisonReport, cores: number): string[] => {
  const { cpuMicrosecondsPerUnit: own, serverCpuMicrosecondsPerUnit: server } = ours;
  if (server === null) return [];
  const oneThread = Math.round(microseconds / own);
  const machine = Math.round((cores * microseconds) / (own + server));
  return [
    `The next limit is processor time: at ${formatNumber(own)} us each, one thread of JavaScript (and its collector) ends at ` +
      `about ${formatNumber(oneThread)} ${unit}; with Postgres' ${formatNumber(server)} us, ${cores} cores end at about ` +
      `${formatNumber(machine)} ${unit}, whatever else runs on them aside.`,
    '',
  ];
};
