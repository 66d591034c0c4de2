import { pino } from 'pino';

import { SafeError } from './errors.js';
import { errorFields, LogWriter, NestLogger, wholeWriteBytesMax, withoutSecrets, type Logger } from './logger.js';

class OwnError extends SafeError {
  override readonly name = 'OwnError';
}

function failure(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('what lines are written with', () => {
  function openWriter(): { readonly writer: LogWriter; readonly written: string[]; readonly endTurn: () => void } {
    const written: string[] = [];
    const tasks: (() => void)[] = [];
    const writer = new LogWriter({ write: (text) => written.push(text) }, (task) => tasks.push(task));
    return { writer, written, endTurn: () => tasks.splice(0).forEach((task) => task()) };
  }

  it('writes the lines of one turn together, in their order', () => {
    const { writer, written, endTurn } = openWriter();
    for (const line of ['a\n', 'b\n', 'c\n']) writer.write(line);
    expect(written).toEqual([]);
    endTurn();
    writer.write('d\n');
    endTurn();
    endTurn();
    expect(written).toEqual(['a\nb\nc\n', 'd\n']);
  });

  it('writes no more at once than a pipe takes as a whole, and a longer line by itself', () => {
    const { writer, written, endTurn } = openWriter();
    const line = `${'ä'.repeat(800)}\n`;
    const long = `${'x'.repeat(2 * wholeWriteBytesMax)}\n`;
    const lines = [line, line, line, long, line];
    for (const each of lines) writer.write(each);
    endTurn();
    expect(written).toEqual([line + line, line, long, line]);
  });

  it('writes a warning at once, and what came before it', () => {
    const { writer, written, endTurn } = openWriter();
    const logger = pino({ base: null, timestamp: false }, writer);
    logger.info('first');
    logger.warn('second');
    logger.error('third');
    logger.info('fourth');
    const lineOf = (level: number, msg: string): string => `${JSON.stringify({ level, msg })}\n`;
    expect(written).toEqual([lineOf(30, 'first') + lineOf(40, 'second'), lineOf(50, 'third')]);
    endTurn();
    expect(written.at(-1)).toBe(lineOf(30, 'fourth'));
  });
});

describe('withoutSecrets', () => {
  it.each(['password', 'secret', 'token', 'authorization'])('cuts %s out, of a line and of what is in it', (name) => {
    const fields = {
      topic: 'sales',
      [name]: 's3',
      request: { path: '/', [name]: { of: 's3' } },
      none: null,
      at: [1, 2],
    };
    expect(withoutSecrets(fields)).toEqual({
      ...fields,
      [name]: '[secret]',
      request: { path: '/', [name]: '[secret]' },
    });
    expect(fields[name]).toBe('s3');
  });

  it('leaves a line alone that has none', () => {
    const fields = { passwordless: true, request: { tokens: 3 } };
    expect(withoutSecrets(fields)).toBe(fields);
  });
});

describe('errorFields', () => {
  it('tells our own messages', () => {
    expect(errorFields(new OwnError('the schema is behind'))).toMatchObject({
      error: 'OwnError',
      detail: 'the schema is behind',
    });
  });

  it('never quotes what a foreign error choked on, neither as message nor as stack nor as cause', () => {
    const foreign = failure(() => JSON.parse('{"email":"ada@example.org"') as unknown);
    const fields = errorFields(new OwnError('outer', { cause: foreign }));
    expect(JSON.stringify([fields, errorFields(foreign)])).not.toContain('ada@');
    expect(fields).toMatchObject({ detail: 'outer', cause: { error: 'SyntaxError' } });
  });

  it('takes no line of a message for a frame of the stack', () => {
    const quoting = failure(() => JSON.parse('[\n    at ada@example.org') as unknown);
    expect((quoting as Error).message).toContain('\n    at ada');
    const fields = errorFields(quoting);
    expect(JSON.stringify(fields)).not.toContain('ada');
    expect(fields['stack']).toContain('logger.unit.spec');
  });

  it('tells a defect by its message and where it happened', () => {
    const defect = failure(() => (undefined as unknown as { readonly lane: number }).lane);
    const fields = errorFields(defect);
    expect(fields).toMatchObject({ error: 'TypeError', detail: 'Cannot read properties of undefined' });
    expect(fields['stack']).toContain('logger.unit.spec');
    const unknownName = failure(() => (undefined as unknown as () => void)());
    expect(errorFields(unknownName)).toMatchObject({ error: 'TypeError', detail: 'undefined is not a function' });
  });

  it.each<readonly [string, () => unknown]>([
    ['what was searched', () => 'x' in ('ada@example.org' as unknown as object)],
    ['what was given a property', () => Object.assign('ada@example.org' as unknown as object, { 0: 'x' })],
    ['what was called', () => ({ run: 'ada@example.org' as unknown as () => void }).run()],
    ['by what name it was read', () => (undefined as unknown as Record<string, unknown>)['ada@example.org']],
  ])('does not quote %s', (_what, work) => {
    const error = failure(work);
    expect(errorFields(error)).toMatchObject({ error: 'TypeError' });
    expect(JSON.stringify(errorFields(error))).not.toContain('ada@');
  });

  it('keeps the code of a system error', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    expect(errorFields(refused)).toMatchObject({ error: 'Error', code: 'ECONNREFUSED' });
    expect(errorFields('x')).toEqual({ error: 'string' });
  });
});

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
          stack: expect.stringContaining('logger.unit.spec') as unknown,
        },
        'Nest: an error',
      ],
      [{}, 'it failed'],
      [{}, 'it failed'],
    ]);
  });
});
