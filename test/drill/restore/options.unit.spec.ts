import { UsageError } from '../../support/process/program.js';
import { disasters, helpText, readOptions } from './options.js';

describe("the restore drill's command line", () => {
  it('wants a disaster, and has a default for the rest', () => {
    expect(readOptions(['replica'])).toEqual({
      ...{ disaster: 'replica', seed: 1, rate: 30, calmSeconds: 15, lostSeconds: 5, downSeconds: 90 },
      ...{ isJson: false, isHelp: false },
    });
    for (const name of disasters) expect(helpText).toContain(`  ${name} `);
  });

  it('takes what its help names', () => {
    const args = 'backup --seed 5 --rate 50 --calm 30 --lost 20 --down 0 --json'.split(' ');
    const read = {
      disaster: 'backup',
      seed: 5,
      rate: 50,
      calmSeconds: 30,
      lostSeconds: 20,
      downSeconds: 0,
      isJson: true,
    };
    expect(readOptions(args)).toMatchObject(read);
    for (const name of args.filter((arg) => arg.startsWith('--'))) expect(helpText).toContain(name);
    expect(readOptions(['--help'])).toMatchObject({ isHelp: true });
  });

  it.each([
    ['', /one disaster is wanted/],
    ['flood', /one disaster is wanted/],
    ['backup replica', /one disaster is wanted/],
    ['backup --lost 0', /--lost wants 5 to 600/],
    ['backup --kill', /Unknown option/],
  ])('refuses %s', (text, message) => {
    const args = text.split(' ').filter(Boolean);
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });
});
