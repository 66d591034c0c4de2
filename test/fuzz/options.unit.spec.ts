import { UsageError } from '../support/process/program.js';
import { helpText, readOptions } from './options.js';

const known = ['source-record', 'kafka-batch'];

describe("the fuzzer's command line", () => {
  it('has a default for everything', () => {
    expect(readOptions([], known)).toEqual({
      minutes: 5,
      inputs: null,
      seed: 1,
      only: [],
      repeat: null,
      isKept: false,
      isJson: false,
      isHelp: false,
    });
  });

  it('takes what its help names', () => {
    const args = '--inputs 500 --seed 9 --only kafka-batch --repeat eA== --keep --json'.split(' ');
    expect(readOptions(args, known)).toEqual({
      minutes: null,
      inputs: 500,
      seed: 9,
      only: ['kafka-batch'],
      repeat: Buffer.from('x'),
      isKept: true,
      isJson: true,
      isHelp: false,
    });
    for (const name of [...args.filter((arg) => arg.startsWith('--')), '--minutes']) expect(helpText).toContain(name);
  });

  it.each([
    ['--minutes 0', /--minutes wants 1 to/],
    ['--inputs many', /--inputs wants/],
    ['--seed 1.5', /--seed wants 0 to/],
    ['--minutes 1 --inputs 1', /not both/],
    ['--only flood', /no target is called flood; known are source-record, kafka-batch/],
    ['--repeat eA==', /--repeat wants one --only/],
    ['--quick', /Unknown option/],
  ])('refuses %s', (line, problem) => {
    expect(() => readOptions(line.split(' '), known)).toThrow(UsageError);
    expect(() => readOptions(line.split(' '), known)).toThrow(problem);
  });
});
