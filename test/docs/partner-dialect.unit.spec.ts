import { readFileSync } from 'node:fs';
import { describeDialect } from '#gateway';
import { defaultCharsMax, dialectPage, dialectText } from './write-dialect.js';

describe('docs/partner-dialect.md', () => {
  it('is what the schema says today', () => {
    expect(readFileSync(dialectPage, 'utf8')).toBe(dialectText());
  });

  it('describes every entry with its default, but for the long ones', () => {
    const page = readFileSync(dialectPage, 'utf8');
    for (const { path, description, default: standard } of describeDialect()) {
      expect(description).not.toBe('');
      expect(page).toContain(`: ${description}\n`);
      if (standard.length <= defaultCharsMax) expect(page).toContain(`\n- \`${path}\` = \`${standard}\`: `);
      else expect(page).toContain(`\n- \`${path}\` = (long: `);
    }
  });
});
