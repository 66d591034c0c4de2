import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseProgramsFile } from '#contracts';

import { ClosingList, createOperatorToken, provideDevFolder } from './dev-stack.js';
import { programsText } from './programs-text.js';

describe('the programs file of the stack', () => {
  it('is valid, one club issues directly and one by workflow', () => {
    const parsed = parseProgramsFile(programsText({}));
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        programs: {
          'coffee-club': { programId: '2001', enrolment: { via: 'issue' }, missingPass: { waitMs: 86_400_000 } },
          'book-club': { programId: '2002', enrolment: { via: 'workflow', workflowId: '77' } },
        },
      },
    });
  });

  it('takes the waits of a profile', () => {
    const parsed = parseProgramsFile(programsText({ inFlightMs: 3_000, missingPassWaitMs: 5_000 }));
    const waits = { inFlightMs: 3_000, missingPass: { waitMs: 5_000 } };
    expect(parsed).toMatchObject({ ok: true, value: { programs: { 'coffee-club': waits, 'book-club': waits } } });
  });
});

describe('the folder of the stack', () => {
  let parent: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'loyaltyd-spec-'));
  });

  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is temporary unless one is given', async () => {
    const folder = await provideDevFolder(null, 'programs');
    expect(folder.isTemporary).toBe(true);
    expect(await readFile(folder.programsFile, 'utf8')).toBe('programs');
    await folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });

  it('keeps what a given folder has: the key, and the programs file as it was edited', async () => {
    const path = join(parent, 'new', 'stack');
    const first = await provideDevFolder(path, 'programs');
    const key = await readFile(first.encryptionKeyFile, 'utf8');
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect((await stat(first.encryptionKeyFile)).mode & 0o077).toBe(0);
    await writeFile(first.programsFile, 'edited');
    await first.remove();

    const second = await provideDevFolder(path, 'programs');

    expect(second.isTemporary).toBe(false);
    expect(await readFile(second.encryptionKeyFile, 'utf8')).toBe(key);
    expect(await readFile(second.programsFile, 'utf8')).toBe('edited');
  });
});

describe('an operator token', () => {
  it('is another each time, and is told to the daemon only as its digest', () => {
    const { token, setting } = createOperatorToken('dev');
    expect(setting).toBe(`dev:admin:${createHash('sha256').update(token).digest('hex')}`);
    expect(createOperatorToken('dev').token).not.toBe(token);
  });
});

describe('a closing list', () => {
  it('closes backwards, once, and every part even when one fails', async () => {
    const closed: string[] = [];
    const list = new ClosingList();
    for (const name of ['postgres', 'broker', 'daemon']) {
      list.add(async () => {
        closed.push(name);
        if (name === 'broker') throw new Error('broker would not close');
      });
    }
    await expect(list.close()).rejects.toThrow('broker would not close');
    await list.close().catch(() => undefined);
    expect(closed).toEqual(['daemon', 'broker', 'postgres']);
  });
});
