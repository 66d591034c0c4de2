import { UsageError } from '../../support/process/program.js';
import { readSandboxBenchOptions } from './options.js';

describe("the options of the sandbox's benchmark", () => {
  it('need not be given', () => {
    expect(readSandboxBenchOptions([])).toEqual({
      isJson: false,
      isHelp: false,
      seconds: 4,
      connections: 128,
      rounds: 5,
      profileFolder: null,
    });
  });

  it('are taken as given', () => {
    const args = ['--json', '--help', '--seconds', '9', '--connections', '7', '--rounds', '3', '--profile', 'p'];
    expect(readSandboxBenchOptions(args)).toEqual({
      isJson: true,
      isHelp: true,
      seconds: 9,
      connections: 7,
      rounds: 3,
      profileFolder: 'p',
    });
  });

  it.each([[['--fast']], [['--seconds', '0']], [['--connections', 'x']], [['--rounds', '1.5']], [['rest']]])(
    'refuses %j',
    (args) => {
      expect(() => readSandboxBenchOptions(args)).toThrow(UsageError);
    },
  );
});
