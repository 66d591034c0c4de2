import { pino } from 'pino';

import { LogWriter, wholeWriteBytesMax } from './log-writer.js';

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
