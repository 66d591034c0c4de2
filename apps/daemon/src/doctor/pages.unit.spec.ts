import { checks } from './doctor.js';
import { pageOf, pages } from './pages.js';

describe('the page of a check', () => {
  it('is found by its beginning, whatever it is about', () => {
    expect(pageOf('kafka.topics.loyalty.members')).toBe('operations/provisioning.md');
    expect(pageOf('programs.dialect.coffee')).toBe('partner-dialect.md');
    expect(pageOf('programs.file')).toBe('operations/programs-file.md');
    expect(pageOf('kafkaesque')).toBe('operations/doctor.md');
  });

  it('is one of its own for each check, and no row of the table is never reached', () => {
    const started = checks.map(({ name }) => name).filter((name) => pageOf(name) === 'operations/doctor.md');
    expect(started).toEqual([]);
    for (const [start, page] of pages) expect(pageOf(start)).toBe(page);
  });
});
