import type { ComparisonReport } from './measure-report.js';
import { nextLimit } from './next-limit.js';

const report = (own: number, server: number | null): ComparisonReport =>
  ({
    unit: 'intents/s',
    ours: { cpuMicrosecondsPerUnit: own, serverCpuMicrosecondsPerUnit: server },
  }) as ComparisonReport;

describe('the next limit', () => {
  it('is what one thread and the whole machine can do at these costs', () => {
    const [text] = nextLimit(report(100, 60), 2);
    expect(text).toContain('one thread of JavaScript (and its collector) ends at about 10,000 intents/s');
    expect(text).toContain('2 cores end at about 12,500 intents/s');
  });

  it('is not told where the cost of the server is not known', () => {
    expect(nextLimit(report(100, null), 2)).toEqual([]);
  });
});
