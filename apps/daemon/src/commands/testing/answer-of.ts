/** What a command answers: its exit code and what it writes. */
export async function answerOf(run: () => Promise<number>): Promise<[number, string]> {
  let text = '';
  const write = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(write);
  jest.spyOn(process.stderr, 'write').mockImplementation(write);
  const code = await run();
  jest.restoreAllMocks();
  return [code, text];
}
