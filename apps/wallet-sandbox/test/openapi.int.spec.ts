import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { everyCase, sendCase } from './every-endpoint.js';
import { useSandbox } from './use-sandbox.js';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { content: { 'application/json': { schema: object } } }>>;
}

interface Document {
  readonly openapi: string;
  readonly security: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: unknown };
}

const fixture = useSandbox();
const { client } = fixture;
let document: Document;

beforeAll(async () => {
  document = (await client.send('GET /openapi.json')).json as unknown as Document;
});

it('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document as unknown as Record<string, unknown>);
  expect(errors ?? []).toEqual([]);
  expect([valid, validator.version, document.openapi]).toEqual([true, '3.1', '3.1.0']);
});

it('documents every endpoint of partner-api.md, and nothing else', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(new Set(documented)).toEqual(new Set(everyCase.map((endpoint) => endpoint.documented)));
  expect(documented).toHaveLength(14);
});

it('every documented path is routed', async () => {
  client.useToken('unknown');
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods)) {
      const { status } = await client.send(`${method.toUpperCase()} ${path.replaceAll(/[{}]/g, '')}`);
      expect([method, path, status]).toEqual([method, path, path === '/oauth2/token' ? 400 : 401]);
    }
  }
});

it('names the security scheme as the interface description does, and asks it of everything but the token', () => {
  expect(document.components.securitySchemes).toMatchObject({
    'oauth-authorizer': { type: 'apiKey', in: 'header', name: 'Authorization' },
  });
  expect(document.security).toEqual([{ 'oauth-authorizer': [] }]);
  const open = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => operation.security !== undefined);
  expect(open.map((operation) => [operation.operationId, operation.security])).toEqual([['token', []]]);
});

it.each(everyCase)('$operation is answered as it is documented', async (endpoint) => {
  await client.issue('m_1');
  const { status, json } = await sendCase(client, endpoint);
  expect([status, json]).toEqual([200, expect.any(Object)]);
  const [method = '', path = ''] = endpoint.documented.split(' ');
  const parts = ['paths', path, method.toLowerCase(), 'responses/200/content', 'application/json', 'schema'];
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } }).addSchema(document, 'document');
  expect(ajv.validate({ $ref: `document#/${parts.map(escapePointer).join('/')}` }, json)).toBe(true);
});

/** RFC 6901, and percent-encoded for a URI (RFC 3986); a part given as several segments keeps its slashes. */
function escapePointer(part: string): string {
  return part === 'responses/200/content' ? part : encodeURIComponent(part.replaceAll('/', '~1'));
}
