import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { UsageError } from '../support/process/program.js';
import { readOptions } from './options.js';

const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-options-'));
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, 'from-a-file\n');
afterAll(() => rmSync(folder, { recursive: true }));

const service = [
  '--base-url=https://api.example.org/brands/',
  '--auth-url=https://auth.example.org',
  '--client-id=me',
  '--scope=all',
];

describe('the options of the contract suite', () => {
  it('start the sandbox unless a service is given', () => {
    expect(readOptions([])).toEqual({
      isHelp: false,
      isJson: false,
      isYes: false,
      selection: null,
      service: null,
      setupFile: null,
      speaks: null,
      dialectFile: null,
    });
  });

  it('take what is given', () => {
    const flags = ['--yes', '--json', '--only', 'read', '--setup', 's.yaml', '--dialect', 'd.yaml'];
    expect(readOptions([...service, '--client-secret-file', secretFile, ...flags])).toEqual({
      isHelp: false,
      isJson: true,
      isYes: true,
      selection: 'read',
      service: {
        baseUrl: 'https://api.example.org/brands',
        authUrl: 'https://auth.example.org',
        clientId: 'me',
        clientSecret: 'from-a-file',
        scope: 'all',
      },
      setupFile: 's.yaml',
      speaks: null,
      dialectFile: 'd.yaml',
    });
  });

  it('give help whatever else is missing', () => {
    expect(readOptions(['--help', '--client-id=me'])).toMatchObject({ isHelp: true, service: null });
  });

  it.each([
    [['--colour'], /colour/],
    [['--only', 'lunch'], /read or write/],
    [['--speaks', 'west'], /north or south/],
    [['--speaks', 'north', '--dialect', 'x.yaml'], /its own dialect/],
    [['--client-id=me'], /--base-url, --auth-url, --scope/],
    [service, /client-secret/],
    [[...service, '--client-secret=s3cret', '--client-secret-file=x'], /one of/],
    [[...service, '--client-secret-file=/no/such/file'], /cannot be read/],
    [[...service, '--client-secret='], /empty/],
    [[...service, '--client-secret=s3cret', '--base-url=https://api.example.org'], /end with \/brands/],
    [[...service, '--client-secret=s3cret', '--base-url=http://api.example.org/brands'], /https/],
    [[...service, '--client-secret=s3cret', '--auth-url=ftp://127.0.0.1'], /https/],
    [[...service, '--client-secret=s3cret', '--auth-url=https://me:s3cret@example.org'], /https/],
  ])('refuse %j, and never tell the secret', (args, problem) => {
    const read = (): unknown => readOptions(args);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(problem);
    expect(read).not.toThrow('s3cret');
  });

  it('allow plain HTTP on this machine', () => {
    const local = ['--base-url=http://127.0.0.1:4010/brands', '--auth-url=http://localhost:4010'];
    expect(readOptions([...service, ...local, '--client-secret=s']).service).toMatchObject({
      baseUrl: 'http://127.0.0.1:4010/brands',
      authUrl: 'http://localhost:4010',
    });
  });
});
