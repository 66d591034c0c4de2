import { UsageError } from '../../support/process/program.js';
import { helpText, readOptions } from './options.js';

describe("the Compose drill's command line", () => {
  it('has a default for everything', () => {
    expect(readOptions([])).toEqual({
      ...{ seed: 1, rate: 20, calmSeconds: 10, images: {}, restartEngine: null },
      ...{ isJson: false, isHelp: false },
    });
  });

  it('takes what its help names', () => {
    const args = '--seed 5 --rate 50 --calm 30 --image kafka=here/kafka:1 --image daemon=mine --json'.split(' ');
    expect(readOptions([...args, '--restart-engine', 'service docker restart'])).toMatchObject({
      ...{ seed: 5, rate: 50, calmSeconds: 30, isJson: true, restartEngine: 'service docker restart' },
      images: { kafka: 'here/kafka:1', daemon: 'mine' },
    });
    for (const name of args.filter((arg) => arg.startsWith('--'))) expect(helpText).toContain(name);
    expect(helpText).toContain('--restart-engine');
  });

  it.each([
    ['--rate 0', /--rate wants 1 to 1000/],
    ['--calm 1', /--calm wants/],
    ['--image kafka', /--image wants one of/],
    ['--image broker=x', /--image wants one of/],
    ['--kill', /Unknown option/],
  ])('refuses %s', (text, message) => {
    expect(() => readOptions(text.split(' '))).toThrow(UsageError);
    expect(() => readOptions(text.split(' '))).toThrow(message);
  });
});
