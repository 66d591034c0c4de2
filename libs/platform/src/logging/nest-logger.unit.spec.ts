import type { Logger } from './logger.js';
import { NestLogger } from './nest-logger.js';

describe("Nest's own messages", () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  const nest = new NestLogger({ debug: write, info: write, warn: write, error: write } satisfies Logger);

  beforeEach(() => {
    lines.length = 0;
  });

  it('are told with the class that says them', () => {
    nest.log('Starting', 'NestFactory');
    nest.error('Method is not allowed', undefined, 'RouterExplorer');
    nest.warn('alone');
    expect(lines).toEqual([
      [{ context: 'NestFactory' }, 'Starting'],
      [{ context: 'RouterExplorer' }, 'Method is not allowed'],
      [{}, 'alone'],
    ]);
  });

  it('do not quote an error that is passed as the message, nor a stack that comes with one', () => {
    const error = new SyntaxError('"ada@example.org" is not valid JSON');
    nest.error(error, undefined, 'ExceptionHandler');
    nest.error('it failed', error.stack);
    nest.error('it failed', error);
    expect(JSON.stringify(lines)).not.toContain('ada');
    expect(lines).toMatchObject([
      [
        {
          context: 'ExceptionHandler',
          error: 'SyntaxError',
          stack: expect.stringContaining('nest-logger.unit.spec') as unknown,
        },
        'Nest: an error',
      ],
      [{}, 'it failed'],
      [{}, 'it failed'],
    ]);
  });
});
