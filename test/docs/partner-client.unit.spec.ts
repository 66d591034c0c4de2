import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createGateway, DialectRegistry, listPagesMax } from '#gateway';
import { SystemClock } from '#platform';
import { codeBlocks, readPage } from './markdown.js';

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

  it('shows an example that compiles', () => {
    const example = readFileSync(resolve(import.meta.dirname, 'partner-client-example.ts'), 'utf8');
    expect(codeBlocks(page, 'ts')).toEqual([example]);
  });

  it('tells the limit of a listing', () => {
    expect(page.text).toContain(`more than ${listPagesMax.toLocaleString('en')} pages`);
  });
});
