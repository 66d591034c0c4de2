import { connect } from 'node:net';
import type { Infrastructure } from './infrastructure.js';
import type { Parts } from './part.js';

/** Set in the workers of a jest run: the socket of the process that owns the parts. */
export const infrastructureVariable = 'LOYALTYD_TEST_INFRASTRUCTURE';

type Answer<Name extends keyof Parts> = { part: Parts[Name] } | { error: string };

const ask = (path: string, name: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path, () => socket.end(name));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });

let own: Promise<Infrastructure> | undefined;

/** Outside of jest (a benchmark, a drill) the parts belong to this process, and end with it. */
const ownInfrastructure = (): Promise<Infrastructure> =>
  (own ??= import('./infrastructure.js').then(({ createInfrastructure }) => createInfrastructure()));

/** Starts a part, or finds it started. Throws what kept it from starting. */
export const requestPart = async <Name extends keyof Parts>(name: Name): Promise<Parts[Name]> => {
  const path = process.env[infrastructureVariable];
  if (path === undefined) return (await ownInfrastructure()).request(name);
  const answer = JSON.parse(await ask(path, name)) as Answer<Name>;
  if ('error' in answer) throw new Error(answer.error);
  return answer.part;
};

/** Ends the parts that this process started itself; in a jest run there are none. */
export const stopParts = async (): Promise<void> => {
  await (await own)?.stop();
  own = undefined;
};
