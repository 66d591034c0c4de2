import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { itUnless, missingCommands } from '#test-support';

import { digestWith, emptyDigest } from './export-lines.js';

const page = readFileSync(join(process.cwd(), 'docs/operations/export.md'), 'utf8');
const command = /^python3 -c .*export\.ndjson$/m.exec(page)?.[0] ?? '';
const itWithPython = itUnless(missingCommands('python3'));

describe('the digest of an export', () => {
  it('is what it always was', () => {
    expect(digestWith(emptyDigest, '{"kind":"intent"}')).toBe(
      'e7562fee91ff019bb86f9bf226b1607dfe7435248a82799ba8573c92206eb316',
    );
  });

  itWithPython('is what the command in the documentation prints for the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-export-'));
    const lines = ['{"kind":"intent","id":"a~1"}', '{"text":"\u2028 \u00e9 \\r \u{1F600}"}', '{"kind":"event"}'];
    await writeFile(join(folder, 'export.ndjson'), lines.map((line) => `${line}\n`).join(''));
    try {
      const printed = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }).trim();
      expect(printed).toBe(lines.reduce(digestWith, emptyDigest));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
