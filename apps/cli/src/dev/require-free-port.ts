import { createServer } from 'node:net';

const host = '127.0.0.1';

/** Says before anything is started that a port is taken. 0 is always free. @throws naming the option to change */
export async function requireFreePort(option: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw new Error(`port ${port} is taken: choose another one with ${option}, or 0 for any`, { cause: error });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
