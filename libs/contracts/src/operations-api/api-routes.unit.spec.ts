import type { ApiRoute } from './api-routes.js';
import { API_ROUTES, CONSOLE_ROUTES, ROOT_ROUTES } from './api-routes.js';

const all = [...API_ROUTES, ...ROOT_ROUTES];
const namesOf = (routes: readonly ApiRoute[]): string[] =>
  routes.map(({ method, path }) => `${method} ${path}`).toSorted();

/** So that a slip in the table does not open what was closed: whoever means it changes it here as well. */
describe('the roles of the operations API', () => {
  it('let nobody without a token see more than what it is, and how the process is', () => {
    expect(namesOf(all.filter(({ role }) => role === null))).toEqual([
      'get /api/openapi.json',
      'get /console',
      'get /contracts',
      'get /health/live',
      'get /health/ready',
      'get /health/startup',
      'get /metrics',
      'post /login-links/redeem',
    ]);
  });

  it('ask nobody who they are for the page and the files of the console', () => {
    expect(CONSOLE_ROUTES.map(({ method, path, role }) => [method, path, role])).toEqual([
      ['get', '/', null],
      ['get', '/*', null],
    ]);
  });

  it('let no viewer change anything, nor ask the partner', () => {
    const ofViewers = all.filter(({ role }) => role === 'viewer');
    expect(ofViewers.filter(({ method }) => method !== 'get')).toEqual([]);
    expect(namesOf(all.filter(({ role, method }) => method === 'get' && role === 'operator'))).toEqual([
      'get /members/{program}/{memberId}/partner',
      'get /passes',
    ]);
  });

  it('let no operator forget a person, nor see one', () => {
    expect(namesOf(all.filter(({ role }) => role === 'admin'))).toEqual([
      'post /members/{program}/{memberId}/unmask',
      'post /quarantine/{id}/unmask',
    ]);
  });
});
