import { runForReport } from '#test-support';

import type { SoakReport } from './report.js';

/** One short round; the twenty minutes are done by hand (docs/evidence.md). */
const args = ['--minutes', '0.3', '--seed', '4', '--rate', '60', '--daemons', '2'];

describe('a soak of one round', () => {
  it('restarts, reloads and rotates under traffic, and nobody notices', async () => {
    const { report, code } = await runForReport<SoakReport>('test/drill/main.ts', 'soak', ...args);
    const { restarts, injected, events, verdict, audit, lines, memory, byMinute } = report;
    process.stderr.write(
      `${events.acknowledged} events, ${restarts.length} restarts (drained within ` +
        `${Math.max(...restarts.map(({ drainMs }) => drainMs))} ms), longest stall ${report.longestStall} s\n`,
    );
    const failed = report.bars.filter(({ holds, decides }) => decides && !holds);
    const strangers = lines.unexpected.map(({ raw }) => raw);
    expect([failed, strangers, verdict.first, report.evidence]).toEqual([[], [], null, null]);
    expect(code).toBe(0);
    expect(injected).toEqual({
      'client-secret': 1,
      end: 1,
      'invalid-file': 1,
      'operator-tokens': 1,
      reload: 1,
      restart: 2,
    });
    expect([audit.lost, audit.duplicates, audit.foreign]).toEqual([[], {}, []]);
    expect(events.acknowledged).toBeGreaterThan(200);
    expect(verdict.figures.delivered).toBeGreaterThan(150);
    // Each of the three daemons was told of the wrong file, and everybody was looked at.
    expect(lines.expected['error: programs file not taken over']).toBeGreaterThanOrEqual(3);
    expect(memory.map(({ process }) => process)).toEqual(expect.arrayContaining(['veteran', 'sandbox', 'restarted']));
    expect(byMinute.length).toBeGreaterThan(0);
  });
});
