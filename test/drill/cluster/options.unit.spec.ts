import { UsageError } from '../../support/process/program.js';
import { helpText, readOptions } from './options.js';

describe("the cluster drill's command line", () => {
  it('has a default for everything', () => {
    expect(readOptions([])).toMatchObject({ seed: 1, rate: 20, calmSeconds: 10, isJson: false, isHelp: false });
    for (const image of Object.values(readOptions([]).images)) expect(helpText).toContain(image);
  });

  it('takes what its help names', () => {
    const args = '--seed 5 --rate 50 --calm 30 --image kafka=here/kafka:1 --image before=loyaltyd:old --json'.split(
      ' ',
    );
    const { images, ...rest } = readOptions(args);
    expect(rest).toMatchObject({ seed: 5, rate: 50, calmSeconds: 30, isJson: true });
    expect(images).toMatchObject({ kafka: 'here/kafka:1', daemon: 'loyaltyd:local', before: 'loyaltyd:old' });
    for (const name of args.filter((arg) => arg.startsWith('--'))) expect(helpText).toContain(name);
  });

  it.each([
    ['--rate 0', /--rate wants 1 to 1000/],
    ['--calm 1', /--calm wants/],
    ['--image broker=x', /--image wants one of/],
    ['--context prod', /Unknown option/],
  ])('refuses %s', (text, message) => {
    expect(() => readOptions(text.split(' '))).toThrow(UsageError);
    expect(() => readOptions(text.split(' '))).toThrow(message);
  });
});
