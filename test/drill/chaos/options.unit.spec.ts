import { UsageError } from '../../support/process/program.js';
import { helpText, readOptions } from './options.js';

const known = ['daemon-kill', 'partner-empty'];

describe("the drill's command line", () => {
  it('has a default for everything', () => {
    expect(readOptions([], known)).toEqual({
      seconds: 600,
      seed: 1,
      daemons: 3,
      rate: 210,
      only: [],
      folder: null,
      isJson: false,
      isHelp: false,
    });
  });

  it('takes what its help names', () => {
    const args = '--seconds 60 --seed 5 --daemons 2 --rate 50 --only daemon-kill --folder /x --json'.split(' ');
    expect(readOptions(args, known)).toMatchObject({
      seconds: 60,
      seed: 5,
      daemons: 2,
      only: ['daemon-kill'],
      isJson: true,
    });
    for (const name of args.filter((arg) => arg.startsWith('--'))) expect(helpText).toContain(name);
  });

  it.each([
    ['--seconds many', /--seconds wants 5 to 86400/],
    ['--seconds 1', /--seconds wants/],
    ['--seed -1', /argument/],
    ['--daemons 0', /--daemons wants 1 to 9/],
    ['--only flood', /no fault is called flood; known are:[^]*daemon-kill/],
    ['--quick', /Unknown option/],
  ])('refuses %s', (line, problem) => {
    expect(() => readOptions(line.split(' '), known)).toThrow(UsageError);
    expect(() => readOptions(line.split(' '), known)).toThrow(problem);
  });
});
