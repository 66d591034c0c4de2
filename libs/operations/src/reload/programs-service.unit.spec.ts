import type { ProgramsFile } from '#contracts';
import { DialectRegistry } from '#gateway';

import { dialectView } from './programs-service.js';

const programs = {
  tea: { brandId: '1', programId: '2' },
  coffee: { brandId: '1', programId: '3' },
} as unknown as ProgramsFile['programs'];
const overrides = { lookup: { absent: { statuses: [410] } } };
const dialects = new DialectRegistry({
  file: { success: { statuses: [200] } },
  programs: [{ program: 'coffee', brandId: '1', programId: '3', overrides }],
});

describe('the dialect in force', () => {
  const { entries, programs: told } = dialectView(dialects, { unknownProgram: 'ignore', programs });

  it('is told entry by entry, with what differs from what is assumed', () => {
    expect(entries.filter(({ isDefault }) => !isDefault)).toEqual([
      expect.objectContaining({ path: 'success.statuses', default: [200, 201], value: [200] }) as unknown,
    ]);
    expect(entries.find(({ path }) => path === 'lookup.absent.statuses')).toMatchObject({ isDefault: true });
    expect(entries.every(({ value }) => value !== undefined)).toBe(true);
  });

  it('is told of each program with what it says otherwise', () => {
    expect(told).toEqual([
      { program: 'tea', differs: [] },
      { program: 'coffee', differs: [{ path: 'lookup.absent.statuses', value: [410] }] },
    ]);
  });
});
