import { UsageError } from '../support/process/program.js';
import { measureNames, readOptions } from './options.js';

describe('the options of the benchmark', () => {
  it('measures everything but the lists unless told otherwise', () => {
    expect(readOptions([])).toEqual({
      isQuick: false,
      isJson: false,
      isHelp: false,
      isWritten: false,
      command: 'npm run bench --',
      only: measureNames.slice(0, measureNames.indexOf('lists')),
      rounds: null,
      profileFolder: null,
    });
  });

  it('takes what is given', () => {
    expect(
      readOptions(['--quick', '--json', '--write', '--only', 'ingest', '--rounds', '5', '--profile', 'p']),
    ).toEqual({
      isQuick: true,
      isJson: true,
      isHelp: false,
      isWritten: true,
      command: 'npm run bench -- --quick --json --write --only ingest --rounds 5 --profile p',
      only: ['ingest'],
      rounds: 5,
      profileFolder: 'p',
    });
  });

  it('runs what the bill is calculated from, each once', () => {
    const { only } = readOptions(['--only', 'bill', '--only', 'log', '--only', 'ingest']);
    expect(only).toEqual(['ingest', 'end-to-end', 'rates', 'disk', 'log', 'bill']);
  });

  it.each([[['--fast']], [['--rounds', '0']], [['--rounds', 'x']], [['--only', 'lunch']]])('refuses %j', (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});
