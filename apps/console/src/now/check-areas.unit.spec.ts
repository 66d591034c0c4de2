import { checkAreas, type DoctorCheck } from './check-areas.js';

const check = (name: string, state: DoctorCheck['state']): DoctorCheck => ({
  ...{ name, state, detail: '', remedy: null, page: 'operations/doctor.md' },
});

describe('checks', () => {
  const checks = [
    check('kafka.lag', 'ok'),
    check('postgres.version', 'ok'),
    check('postgres.settings.fsync', 'failed'),
    check('installation.partner', 'ok'),
    check('partner.token', 'warning'),
    check('moon.phase', 'skipped'),
  ];

  it('are listed by area, the worst first', () => {
    expect(checkAreas(checks).map(({ name, checks: [first] }) => [name, first?.name])).toEqual([
      ['Postgres', 'postgres.settings.fsync'],
      ['Partner: what is assumed, and what it answered', 'partner.token'],
      ['Kafka', 'kafka.lag'],
      ['Other', 'moon.phase'],
    ]);
  });
});
