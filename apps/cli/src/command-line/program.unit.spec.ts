import { fakeTerminal } from '../client/testing/fake-api.js';
import { runCommandLine } from './program.js';

describe('the commands of loyaltyd', () => {
  it.each([
    [[]],
    [['nonsense']],
    [['start', '--nonsense']],
    [['dev', '--port', '99999']],
    [['trigger']],
    [['trigger', 'x']],
    [['trigger', 'member.merged', '--count', '0']],
    [['trigger', 'member.merged', '--rate', 'x']],
    [['trigger', 'member.merged', '--mode', 'batched']],
    [['lint']],
    [['lint', '-', '-o', 'xml']],
    [['lint', '-', '-']],
  ])('refuse %j as wrong usage, and write nothing to standard output', async (words) => {
    const output = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const errors = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const code = await runCommandLine(words, fakeTerminal());
    const written = output.mock.calls;
    output.mockRestore();
    errors.mockRestore();
    expect({ code, written }).toEqual({ code: 2, written: [] });
  });
});
