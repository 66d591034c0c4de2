import '../source-loader.js';

/** Once a run, in jest's own process: only opens the socket over which test files ask for Kafka and Postgres. */
export default async function globalSetup() {
  const { serveInfrastructure } = await import('../infrastructure/infrastructure-server.ts');
  globalThis.loyaltydTestInfrastructure = await serveInfrastructure();
}
