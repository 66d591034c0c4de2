import { UsageError } from '../../support/process/program.js';
import { commandOf, helpText, readOptions, roundsOf } from './options.js';

describe("the soak's command line", () => {
  it('has a default for everything', () => {
    const usual = { minutes: 20, seed: 1, daemons: 3, rate: 120, folder: null, isJson: false, isHelp: false };
    expect(readOptions([])).toEqual(usual);
    expect(readOptions(commandOf(readOptions([])).split(' -- soak ')[1]!.split(' '))).toEqual(usual);
  });

  it('takes what its help names', () => {
    const args = '--minutes 3 --seed 5 --daemons 2 --rate 50 --folder /tmp/x --json'.split(' ');
    const wanted = { minutes: 3, seed: 5, daemons: 2, rate: 50, folder: '/tmp/x', isJson: true };
    expect(readOptions(args)).toMatchObject(wanted);
    for (const name of args.filter((arg) => arg.startsWith('--'))) expect(helpText).toContain(name);
  });

  it.each([
    ['--minutes many', /--minutes wants 0.2 to 600/],
    ['--minutes 0.1', /--minutes wants/],
    ['--daemons 1.5', /--daemons wants 1 to 9/],
    ['--quick', /Unknown option/],
  ])('refuses %s', (line, problem) => {
    expect(() => readOptions(line.split(' '))).toThrow(UsageError);
    expect(() => readOptions(line.split(' '))).toThrow(problem);
  });

  it.each([
    [20, { count: 20, seconds: 60 }],
    [0.5, { count: 1, seconds: 30 }],
    [2.5, { count: 3, seconds: 50 }],
  ])('%d minutes', (minutes, rounds) => {
    expect(roundsOf({ minutes })).toEqual(rounds);
  });
});
