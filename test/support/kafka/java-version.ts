import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Major version of the `java` on the PATH, or `undefined` if there is none. */
export const javaVersion = async (): Promise<number | undefined> => {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version']);
    const match = /version "(?:1\.)?(\d+)/.exec(stderr);
    return match === null ? undefined : Number(match[1]);
  } catch {
    return undefined;
  }
};
