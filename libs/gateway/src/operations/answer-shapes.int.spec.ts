import { attemptDialect, passCases, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, type Reply } from '../../test/scripted-server.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const me = plainIds.uniqueId;
const ids = { passId: 7, serialNumber: 's-7' };
const mine = { ...ids, templateId: 11, passdata: { metaData: { memberId: me } }, statusCode: 'ACTIVE', status: 200 };
const theirs = { ...mine, passdata: { metaData: { memberId: 'm_2' } } };
const posted = { transactionId: 5, transactionTypeId: 77, amount: -59.99, transactionDate: '2026-11-21T09:15:04.000Z' };
const planned = { message: 'The schedule was created' };
const page = '<!doctype html><html><title>Maintenance</title><p>We will be back soon</p></html>';

const html = { 'content-type': 'text/html' };

/** What an answer is read as: of the calls that answer a pass (4.2, 4.3, 4.6), of 4.7, of 4.4. */
type Reading = readonly [pass: string, transaction: string, schedule: string];

const all = (reading: string): Reading => [reading, reading, reading];
const nothing = all('unproven-200');
const passOnly: Reading = ['applied', 'unproven-200', 'unproven-200'];
const transactionOnly: Reading = ['unproven-200', 'applied', 'unproven-200'];
const scheduleOnly: Reading = ['unproven-200', 'unproven-200', 'applied'];
const foreign: Reading = ['foreign-pass', 'unproven-200', 'unproven-200'];

type Shape = readonly [what: string, reply: Reply, reading: Reading];

const ok = (what: string, body: unknown, reading: Reading): Shape => [what, answerJson(200, body), reading];
const raw = (what: string, body: string, reading: Reading): Shape => [what, answer(200, body, html), reading];

const documented: readonly Shape[] = [
  ok('our pass', mine, passOnly),
  ok('a transaction', posted, transactionOnly),
  ok('a confirmation', planned, scheduleOnly),
  ok('our pass with a message to its member', { ...mine, currentMessage: 'Offer expired? Never failed yet' }, passOnly),
  ok('a confirmation that speaks of the update', { message: 'Wallet update scheduled for 2026-11-21' }, scheduleOnly),
  ok('a short confirmation', { message: 'Success' }, scheduleOnly),
  ok('a confirmation that counts errors', { message: 'Schedule created', errors: [], error: null }, scheduleOnly),
  ['a transaction that was created', answerJson(201, posted), ['unproven-201', 'applied', 'unproven-201']],
];

const pages: readonly Shape[] = [
  raw('a maintenance page', page, all('http-200-not-json')),
  raw('a login page', '<html><form action="/login"></form></html>', all('http-200-not-json')),
  raw('a script that challenges a browser', '<script>challenge()</script>', all('http-200-not-json')),
  raw('a line of text', 'OK', all('http-200-not-json')),
  raw('XML', '<?xml version="1.0"?><transactionId>5</transactionId>', all('http-200-not-json')),
  raw('no body', '', all('http-200-empty')),
  raw('blank lines', '\r\n\r\n', all('http-200-empty')),
  raw('half an object', JSON.stringify(mine).slice(0, -4), all('http-200-not-json')),
  raw('two objects', `${JSON.stringify(posted)}\n${JSON.stringify(posted)}`, all('http-200-not-json')),
  raw('a call of a function', `callback(${JSON.stringify(posted)})`, all('http-200-not-json')),
  raw('an object behind a guard', `)]}',\n${JSON.stringify(posted)}`, all('http-200-not-json')),
  raw('an answer with NaN', '{"transactionId":5,"amount":NaN}', all('http-200-not-json')),
  raw('our pass, called a page by its header', JSON.stringify(mine), passOnly),
  ok('a page in an object', { message: page }, nothing),
];

const gateways: readonly Shape[] = [
  ok('an empty object', {}, nothing),
  ok('maintenance', { status: 'maintenance' }, nothing),
  ok('maintenance in words', { message: 'Scheduled maintenance in progress, please try again later' }, nothing),
  ok('a health check', { status: 'UP', message: 'ok', uptime: 12 }, nothing),
  ok('an error inside', { message: 'Internal server error' }, nothing),
  ok('nobody to answer', { message: 'Service Unavailable' }, nothing),
  ok('no answer in time', { message: 'Endpoint request timed out' }, nothing),
  ok('not let in', { message: 'Forbidden' }, nothing),
  ok('no token', { message: 'Missing Authentication Token' }, nothing),
  ok('not authorized', { message: 'Unauthorized' }, nothing),
  ok('no such route', { message: 'no Route matched with those values' }, nothing),
  ok('too many', { message: 'API rate limit exceeded' }, nothing),
  ok('a quota', { message: 'Limit Exceeded' }, nothing),
  ok('a greeting', { message: 'Welcome to the API' }, nothing),
  ok('nothing said', { message: null }, nothing),
  ok('a message that is a list', { message: ['The schedule was created'] }, nothing),
  ok('a message that is an object', { message: { text: 'The schedule was created' } }, nothing),
  ok('a function that crashed', { errorMessage: 'boom', errorType: 'TypeError', trace: [] }, nothing),
  ok(
    'a framework',
    { timestamp: 1, status: 500, error: 'Internal Server Error', message: 'created', path: '/' },
    nothing,
  ),
  ok('another framework', { statusCode: 400, message: 'Schedule created', error: 'Bad Request' }, nothing),
  ok('a problem', { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'no' }, nothing),
  ok('a fault', { fault: { faultstring: 'Spike arrest', detail: {} } }, nothing),
  ok('a query language', { data: null, errors: [{ message: 'denied' }] }, nothing),
  ok('an echo of what was sent', { person: {}, passdata: { metaData: { memberId: me } } }, nothing),
];

const refusals: readonly Shape[] = [
  ok('a refusal', { message: 'Validation failed: card is blocked' }, nothing),
  ok('no success', { success: false }, nothing),
  ok('no success, with our pass', { ...mine, success: false }, nothing),
  ok('no success, with a transaction', { ...posted, success: false }, nothing),
  ok('no success, as text', { ...posted, success: 'false' }, nothing),
  ok('no success, with a confirmation', { ...planned, success: false }, nothing),
  ok('not ok', { ...posted, ok: false }, nothing),
  ok('an error beside our pass', { ...mine, error: 'card is blocked' }, nothing),
  ok('an error beside a transaction', { ...posted, error: { code: 17 } }, nothing),
  ok('errors beside a transaction', { ...posted, errors: ['limit reached'] }, nothing),
  ok('an error code beside a transaction', { ...posted, errorCode: 'E17' }, nothing),
  ok('an error message beside our pass', { ...mine, errorMessage: 'reward not applied' }, nothing),
  ok('no errors beside our pass', { ...mine, error: null, errors: [], success: true }, passOnly),
  ok('no error code beside a transaction', { ...posted, errorCode: 0, error: '', errors: {} }, transactionOnly),
  ok('a refusal beside our pass', { ...mine, message: 'Validation failed: card is blocked' }, nothing),
  ok('a refusal beside a transaction', { ...posted, message: 'Transaction was not created' }, nothing),
  ok('a friendly word beside a transaction', { ...posted, message: 'Transaction created' }, [
    'unproven-200',
    'applied',
    'applied',
  ]),
  ok('a failed transaction', { ...posted, status: 'FAILED' }, nothing),
  ok('a rejected transaction', { ...posted, status: 'rejected' }, nothing),
  ok('a transaction in error', { ...posted, result: 'error' }, nothing),
  ok('a pass that failed', { ...mine, statusCode: 'FAILED' }, nothing),
  ok('a status of 400 beside a transaction', { ...posted, statusCode: 400 }, nothing),
  ok('a status of 503 as text', { ...posted, statusCode: '503' }, nothing),
  ok('a pass that opted out', { ...mine, statusCode: 'OPTED_OUT', status: 900 }, passOnly),
  ok('a confirmation that denies', { message: 'Schedule not created: no pass matched' }, nothing),
  ok('a confirmation of nothing', { message: 'Schedule was created with 0 passes: no pass found' }, nothing),
];

const wrappers: readonly Shape[] = [
  ok('our pass in data', { data: mine }, nothing),
  ok('a transaction in data', { data: posted }, nothing),
  ok('a confirmation in data', { data: planned }, nothing),
  ok('a transaction in result', { success: true, result: posted }, nothing),
  ok('a page of the listing', { data: [mine], totalCount: 1 }, nothing),
  ok('a transaction as text', { body: JSON.stringify(posted), statusCode: 200 }, nothing),
  ok('an empty list', [], all('http-200-other-json')),
  ok('a list with our pass', [mine], all('http-200-other-json')),
  ok('a list with a transaction', [posted], all('http-200-other-json')),
  ok('null', null, all('http-200-other-json')),
  ok('true', true, all('http-200-other-json')),
  ok('a number', 5, all('http-200-other-json')),
  ok('a transaction in a text', JSON.stringify(posted), all('http-200-other-json')),
];

const partial: readonly Shape[] = [
  ok('a pass by its id alone', { passId: 7 }, passOnly),
  ok('a pass by its serial number alone', { serialNumber: 's-7' }, passOnly),
  ok('a pass with a null id and a serial number', { ...mine, passId: null }, passOnly),
  ok('a pass without metaData', { ...ids, passdata: null }, passOnly),
  ok('a pass with empty ids', { ...mine, passId: null, serialNumber: '' }, nothing),
  ok('a pass with an id before it was given', { ...mine, passId: 0, serialNumber: null }, nothing),
  ok('a pass with the id of nothing', { ...mine, passId: -1, serialNumber: '-1' }, nothing),
  ok('a pass with a nil UUID', { passId: '00000000-0000-0000-0000-000000000000' }, nothing),
  ok('a template', { templateId: 11, statusCode: 'ACTIVE', status: 200 }, nothing),
  ok('a pass under another name', { id: 7, serial: 's-7' }, nothing),
  ok('a link', { downloadUrl: 'https://passes.example/7' }, nothing),
  ok('a transaction without its id', { ...posted, transactionId: undefined }, nothing),
  ok('a transaction with a null id', { ...posted, transactionId: null }, nothing),
  ok('a transaction with the id 0', { ...posted, transactionId: 0 }, nothing),
  ok('a transaction with the id -1', { ...posted, transactionId: -1 }, nothing),
  ok('a transaction under another name', { id: 5 }, nothing),
  ok('a type', { transactionTypeId: 77, name: 'Purchase', programId: 2001 }, nothing),
];

const numbers: readonly Shape[] = [
  ok('an id as text', { ...posted, transactionId: '5' }, transactionOnly),
  ok('an amount as text', { ...posted, amount: '-59.99' }, transactionOnly),
  ok('a pass id as text', { ...mine, passId: '7', serialNumber: 7 }, passOnly),
  raw('an id beyond 2^53', '{"transactionId":9007199254740993}', transactionOnly),
  ok('an id that is a UUID', { transactionId: '1f0e9a3c-8a52-4a9e-9d2b-0a7c3c1d2e3f' }, transactionOnly),
  ok('the id "0"', { ...posted, transactionId: '0' }, nothing),
  ok('the id "000"', { ...posted, transactionId: '000' }, nothing),
  ok('the id "null"', { ...posted, transactionId: 'null' }, nothing),
  ok('the id "undefined"', { ...posted, transactionId: 'undefined' }, nothing),
  ok('the id "NaN"', { ...posted, transactionId: 'NaN' }, nothing),
  ok('the id "None"', { ...posted, transactionId: 'None' }, nothing),
  ok('the id "[object Object]"', { ...posted, transactionId: '[object Object]' }, nothing),
  ok('a sentence as an id', { ...posted, transactionId: 'not created' }, nothing),
  ok('a page as an id', { ...posted, transactionId: '<html>' }, nothing),
  ok('a fraction as an id', { ...posted, transactionId: 5.5 }, nothing),
  ok('the text "null" as the ids of a pass', { ...mine, passId: 'null', serialNumber: 'null' }, nothing),
];

const others: readonly Shape[] = [
  ok("another member's pass", theirs, foreign),
  ok("another member's pass, by a number", { ...ids, passdata: { metaData: { memberId: 81_274 } } }, foreign),
  ok("another member's pass, by case", { ...ids, passdata: { metaData: { memberId: 'M_81273' } } }, foreign),
  ok('metaData as text', { ...ids, passdata: { metaData: `{"memberId":"${me}"}` } }, foreign),
  ok('metaData as a list', { ...ids, passdata: { metaData: [{ memberId: me }] } }, foreign),
  ok("another member's metaData beside passdata", { ...ids, metaData: { memberId: 'm_2' } }, foreign),
  ok("another member's unique_id", { ...ids, unique_id: 'm_2' }, foreign),
  ok('a name that nobody documents', { ...ids, uniqueId: 'm_2', passdata: {} }, passOnly),
  ok("another member's unique_id in passdata", { ...ids, passdata: { unique_id: 'm_2' } }, foreign),
  ok('ours in metaData, where the partner has an id of its own outside', { ...mine, unique_id: 'm_2' }, passOnly),
  ok('our metaData beside passdata', { ...ids, metaData: { memberId: me } }, passOnly),
  ok('our unique_id', { ...ids, unique_id: me }, passOnly),
  ok('metaData of another system', { ...ids, passdata: { metaData: { shopify: '7741' } } }, passOnly),
  ok('a transaction for 4.6, a pass for 4.7', { ...mine, ...posted }, ['applied', 'applied', 'unproven-200']),
];

const statuses: readonly Shape[] = [
  ['accepted for later', answerJson(202, { ...mine, ...posted, ...planned }), all('http-202')],
  ['accepted, without a body', answer(202, ''), all('http-202-empty')],
  ['changed by a proxy', answerJson(203, { ...mine, ...posted, ...planned }), all('http-203')],
  ['no content', answer(204, '', {}), all('http-204-empty')],
  ['a part', answerJson(206, { ...mine, ...posted, ...planned }), all('http-206')],
  ['many statuses', answerJson(207, { ...mine, ...posted, ...planned }), all('http-207')],
  ['a list as created', answerJson(201, [mine]), all('http-201-other-json')],
  ['a redirect to the same', answerJson(307, mine, { location: '/' }), all('http-307')],
  ['an error with the whole proof', answerJson(500, { ...mine, ...posted, ...planned }), all('http-500')],
  ['a gateway time-out', answer(504, page, html), all('http-504')],
  ['a refusal with the whole proof', answerJson(400, { ...mine, ...posted, message: 'no' }), all('rejected refused')],
  ['a wall with the whole proof', answerJson(403, { ...mine, ...posted }), all('not-applied http-403')],
];

const shapes = [
  ...documented,
  ...pages,
  ...gateways,
  ...refusals,
  ...wrappers,
  ...partial,
  ...numbers,
  ...others,
  ...statuses,
];

const columnOf: Readonly<Record<string, 0 | 1 | 2>> = { '4.2': 0, '4.3': 0, '4.6': 0, '4.7': 1, '4.4': 2 };

/** Read as the partner's default dialect says, but for the property of 4.4, which has no default. */
describe.each(passCases)('$section', ({ section, call }) => {
  it.each(shapes)('%s', async (_what, reply, readings) => {
    const stub = await startStub(reply, attemptDialect);
    const { outcome, value } = await call(stub.gateway.partner, plainIds, options);
    const seen = outcome.kind === 'applied' ? 'applied' : `${outcome.kind} ${outcome.code}`;
    expect(seen.replace('unknown ', '')).toBe(readings[columnOf[section.slice(0, 3)]!]);
    expect(value === null).toBe(outcome.kind !== 'applied');
  });
});

it('the table is wide', () => {
  expect(shapes.length).toBeGreaterThanOrEqual(120);
  expect(new Set(shapes.map(([what]) => what)).size).toBe(shapes.length);
});
