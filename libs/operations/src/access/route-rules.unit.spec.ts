import { Controller, Get } from '@nestjs/common';

import type { DescribedRoute } from '../contracts/described-routes.js';
import { routesOf } from '../contracts/described-routes.js';
import { servedRoutes } from '../operations.module.js';
import { InPrograms } from './route-rules.js';

/** Somebody has said of which programs, and forgotten for whom. */
@Controller('planted')
class PlantedController {
  @Get()
  @InPrograms('filtered')
  read(): object {
    return { ok: true };
  }
}

const all = servedRoutes();
const described = all.filter(({ description }) => description !== undefined);
const namesOf = (routes: readonly DescribedRoute[]): string[] =>
  routes.map(({ method, path }) => `${method} ${path}`).toSorted();

/** So that a slip at a handler does not open what was closed: whoever means it changes it here as well. */
describe('the roles of the operations API', () => {
  it('let nobody without a token see more than what it is, and how the process is', () => {
    expect(namesOf(described.filter(({ role }) => role === null))).toEqual([
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
    const console = all.filter(({ description }) => description === undefined);
    expect(console.map(({ method, path, role }) => [method, path, role])).toEqual([
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

  it('stand at every handler: one without is found', () => {
    expect(() => routesOf([PlantedController])).toThrow('PlantedController.read does not say who may send its request');
  });

  it('hold every name in a path against a schema', () => {
    const named = all.map(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(all.map(({ params }) => Object.keys(params?.shape ?? {}))).toEqual(named);
  });
});
