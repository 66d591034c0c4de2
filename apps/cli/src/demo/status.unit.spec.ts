import type { Status } from './status.js';
import { EmittedCount, isSettled, Progress } from './status.js';

const counts = { waiting: 1, pending: 2, delivering: 3, unknown: 0, delivered: 50, parked: 4, cancelled: 5 };
const work = { openLanes: 6, blockedLanes: 0, quarantined: 7 };
const status: Status = { emitted: 100, ingested: 90, counts, work };

function output(isTTY: boolean): { isTTY: boolean; text: string; write(text: string): void } {
  return {
    isTTY,
    text: '',
    write(text) {
      this.text += text;
    },
  };
}

describe('progress', () => {
  it('is one block on a terminal, written over', () => {
    const terminal = output(true);
    const progress = new Progress(terminal);
    progress.show(status);
    const first = terminal.text;
    expect(first).not.toContain('\u001b[8A');
    expect(first).toContain('delivered          50  ████████████████████\n');
    progress.show(status);
    expect(terminal.text.slice(first.length).startsWith('\u001b[8A')).toBe(true);
  });

  it('is a plain line now and then elsewhere', () => {
    const log = output(false);
    const progress = new Progress(log);
    progress.show(status);
    progress.show(status);
    expect(log.text).toBe(
      'emitted 100, ingested 90, delivered 50, open 5, waiting 1, parked 4, cancelled 5, quarantined 7\n',
    );
  });
});

describe('a run', () => {
  const idle = { ...work, openLanes: 0 };

  it('is settled when all was ingested and no lane will go on by itself', () => {
    expect(isSettled({ ...status, ingested: 100, work: idle })).toBe(true);
    expect(isSettled({ ...status, ingested: 99, work: idle })).toBe(false);
    expect(isSettled({ ...status, ingested: 100 })).toBe(false);
  });

  it('counts what was ingested of what was emitted', () => {
    const emitted = new EmittedCount();
    const record = { topic: 't', role: 'purchase', expectation: { kind: 'nothing' } } as const;
    emitted.add([
      { ...record, partition: 0, offset: 0 },
      { ...record, partition: 0, offset: 1 },
      { ...record, partition: 1, offset: 0 },
    ]);
    expect(emitted.total).toBe(3);
    expect(emitted.ingested([])).toBe(0);
    expect(emitted.ingested([{ topic: 't', partition: 0, nextOffset: 1 }])).toBe(1);
    expect(
      emitted.ingested([
        { topic: 't', partition: 0, nextOffset: 2 },
        { topic: 't', partition: 1, nextOffset: 9 },
        { topic: 'other', partition: 0, nextOffset: 9 },
      ]),
    ).toBe(3);
  });
});
