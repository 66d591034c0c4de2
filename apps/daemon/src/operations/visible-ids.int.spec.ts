import { OperatorsDoor } from './testing/operators-door.js';
import { changed, completed, enrolled, own, sent } from './testing/sent-events.js';

let door: OperatorsDoor;

beforeAll(async () => {
  door = await OperatorsDoor.open();
});

afterAll(() => door.close());

const unseen = 'ada\u200d';
const rule = 'has U+200D, which cannot be seen';
const reason = 'asked by letter';

describe('an id in a request', () => {
  it.each([
    ['a job', '/jobs', { kind: 'erase', program: 'coffee-club', memberId: unseen, reason }],
    ['the program of a job', '/jobs', { kind: 'erase', program: 'coffee\u2060club', memberId: 'ada', reason }],
    ['a pause', '/pauses', { program: 'coffee\u00adclub', reason }],
  ])('of %s is refused where it has what cannot be seen', async (_of, path, body) => {
    const answer = await door.post('admin', path, body);
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.detail).toMatch(/has U\+(200D|2060|00AD), which cannot be seen/);
  });

  it('of a path and of a query, too', async () => {
    const path = `/members/coffee-club/${encodeURIComponent(unseen)}`;
    expect(await door.post('admin', `${path}/unmask`, { reason })).toMatchObject({
      status: 400,
      detail: expect.stringContaining(rule) as string,
    });
  });
});

describe('a record', () => {
  it('that an admin corrects to such an id stays set aside', async () => {
    const event = own(completed);
    const id = await door.setAside(sent(changed(event, { 'data.memberId': unseen })));
    const answer = await door.post('admin', `/quarantine/${id}/resubmit`, {});
    expect(answer).toMatchObject({ status: 422, detail: `invalid: data.memberId: ${rule}` });
  });
});

describe('an id that mixes scripts', () => {
  it('is taken, and marked where people read it', async () => {
    const [mixed, plain] = ['m_\u043e1', 'член-7'];
    for (const memberId of [mixed, plain]) {
      await door.ingest(sent(changed(own(enrolled), { 'data.memberId': memberId })));
    }
    const of = (memberId: string): Promise<object> => door.get(`/members/coffee-club/${encodeURIComponent(memberId)}`);
    expect(await of(mixed)).toMatchObject({ memberId: mixed, mixedScripts: true, intents: [{ mixedScripts: true }] });
    expect(await of(plain)).not.toHaveProperty('mixedScripts');
  });
});
