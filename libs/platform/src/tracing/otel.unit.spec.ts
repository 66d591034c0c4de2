import type { Logger } from '../logger.js';
import { logOf } from './otel.js';

function listening(): { readonly ears: ReturnType<typeof logOf>; readonly lines: unknown[]; pass(ms: number): void } {
  const lines: unknown[] = [];
  let now = 0;
  const logger = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  return { ears: logOf(logger, () => now), lines, pass: (ms) => (now += ms) };
}

describe('what the tracing SDK complains of', () => {
  it('is told once a minute, with how often, and nothing of what was answered', () => {
    const { ears, lines, pass } = listening();
    const error = Object.assign(new Error('401 for api-key hunter2'), { code: 401, data: 'hunter2' });
    ears.exportFailed(error);
    ears.exportFailed(error);
    ears.exportFailed(error);
    pass(60_000);
    ears.exportFailed('hunter2');
    expect(lines).toEqual([
      [{ error: 'Error', code: 401, exports: 1 }, 'traces were not exported'],
      [{ error: 'string', code: null, exports: 3 }, 'traces were not exported'],
    ]);
  });

  it('is told once a minute where spans were lost, too, with how many: an overload drops some with each batch', () => {
    const { ears, lines, pass } = listening();
    const drop = (): void => {
      ears.diagnostics.warn('Dropped 12 spans because maxQueueSize reached');
    };
    drop();
    drop();
    pass(59_999);
    drop();
    ears.exportFailed('x');
    pass(1);
    drop();
    expect(lines).toEqual([
      [{ spans: 12 }, 'spans were dropped: more ended than were exported'],
      [{ error: 'string', code: null, exports: 1 }, 'traces were not exported'],
      [{ spans: 36 }, 'spans were dropped: more ended than were exported'],
    ]);
  });

  it('is told where spans were lost, else not at all', () => {
    const { ears, lines } = listening();
    ears.diagnostics.warn('Dropped 12 spans because maxQueueSize reached');
    ears.diagnostics.warn('Invalid header hunter2');
    ears.diagnostics.error('hunter2');
    expect(lines).toEqual([[{ spans: 12 }, 'spans were dropped: more ended than were exported']]);
  });
});
