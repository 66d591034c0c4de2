import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { Test } from '@nestjs/testing';
import { createGateway, DialectRegistry, listPagesMax } from '#gateway';
import { SystemClock } from '#platform';
import { Settings } from './example-settings.js';
import { codeBlocks, readPage } from './markdown.js';
import { Passes, PassesModule } from './partner-module-example.js';

const page = readPage('docs/partner-client.md');

/** The calls of the port, as they are built. */
async function callsOfThePort(): Promise<string[]> {
  const gateway = createGateway({
    baseUrl: 'http://127.0.0.1:1/brands',
    authUrl: 'http://127.0.0.1:1',
    scope: null,
    readCredentials: () => ({ clientId: 'a', clientSecret: 'b' }),
    dialects: new DialectRegistry(),
    clock: new SystemClock(),
  });
  await gateway.close();
  const prototype: unknown = Object.getPrototypeOf(gateway.partner);
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
}

describe('docs/partner-client.md', () => {
  it('lists every call of the port, and no other', async () => {
    const cells = [...page.text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| \d/gm)].map(([, cell]) => cell ?? '');
    const named = cells.flatMap((cell) => [...cell.matchAll(/\w+/g)].map(([name]) => name));
    expect(named.toSorted()).toEqual((await callsOfThePort()).toSorted());
  });

  it('shows examples that compile', () => {
    const read = (name: string): string => readFileSync(resolve(import.meta.dirname, name), 'utf8');
    const examples = ['partner-module-example.ts', 'partner-client-example.ts'].map(read);
    expect(codeBlocks(page, 'ts')).toEqual(examples);
  });

  it('shows a module that asks the partner in any Nest application', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      const pass = { passId: 1, serialNumber: 's-7', metaData: { memberId: 'm_81273' } };
      response.end(JSON.stringify(request.method === 'POST' ? { access_token: 't', expires_in: 60 } : pass));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const settings = {
      partnerUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clientId: 'a',
      clientSecret: 'b',
    };
    const module = await Test.createTestingModule({ imports: [PassesModule] })
      .overrideProvider(Settings)
      .useValue(settings)
      .compile();
    expect(await module.get(Passes).of('m_81273')).toBe('s-7');
    expect(asked).toEqual(['/oauth2/token', expect.stringMatching(/^\/brands\/101\/programs\/2001\//)]);
    await module.close();
    expect(await module.get(Passes).of('m_81273')).toBe('failed');
    server.close();
  });

  it('tells the limit of a listing', () => {
    expect(page.text).toContain(`more than ${listPagesMax.toLocaleString('en')} pages`);
  });
});
