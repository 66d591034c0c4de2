import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

import { requireFreePort } from './run-dev.js';

describe('requireFreePort', () => {
  it('names the option when somebody listens there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    await expect(requireFreePort('--port', port)).rejects.toThrow(
      `port ${port} is taken: choose another one with --port`,
    );

    await new Promise((resolve) => server.close(resolve));
    await expect(requireFreePort('--port', port)).resolves.toBeUndefined();
  });
});
