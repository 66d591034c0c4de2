export default async function globalTeardown() {
  await globalThis.loyaltydTestInfrastructure?.stop();
}
