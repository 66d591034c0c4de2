import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile, sampleEvent } from '#contracts';
import { routeSourceEvent } from './route-source-event.js';

const enrolled = 'loyalty.member.enrolled.v1';
const updated = 'loyalty.member.updated.v1';
const completed = 'loyalty.purchase.completed.v1';

function lookingUpBy(by: string): ProgramsFile {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE.replace('lookup: { by: unique_id }', `lookup: { by: ${by} }`));
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

function lookupOf(file: ProgramsFile, ...event: Parameters<typeof sampleEvent>): unknown {
  const route = routeSourceEvent(sampleEvent(...event), file);
  if (route.kind !== 'routed') throw new Error(`the event is ${route.kind}`);
  return route.intents[0]?.command?.by ?? null;
}

const email = (value: string): unknown => ({ parameter: 'email', value });

describe('how the pass is looked up', () => {
  it.each(['unique_id', 'person_id'])('by unique_id where the program says %s', (by) => {
    expect(lookupOf(lookingUpBy(by), enrolled)).toBeNull();
    expect(lookupOf(lookingUpBy(by), completed)).toBeNull();
  });

  it("by the enrolment's email where the program says email", () => {
    expect(lookupOf(lookingUpBy('email'), enrolled)).toEqual(email('ada@example.org'));
  });

  it('by a member id that is an email, whatever the event', () => {
    const data = { memberId: 'bo@example.org' };
    expect(lookupOf(lookingUpBy('email'), completed, { data })).toEqual(email('bo@example.org'));
    const anonymous = { ...data, person: { firstName: 'Bo' } };
    expect(lookupOf(lookingUpBy('email'), enrolled, { data: anonymous })).toEqual(email('bo@example.org'));
  });

  it('by unique_id where no email is known; the email of an update is not yet that of the pass', () => {
    expect(lookupOf(lookingUpBy('email'), completed)).toBeNull();
    const data = { changed: ['person.email'], person: { email: 'new@example.org' } };
    expect(lookupOf(lookingUpBy('email'), updated, { data })).toBeNull();
  });
});
