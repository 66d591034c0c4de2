import { DialectRegistry } from '../src/dialect/dialect-registry.js';
import { PartnerStub } from './partner-stub.js';
import type { Reply } from './scripted-server.js';

const stubs: PartnerStub[] = [];

/** A partner that answers every call as scripted, spoken to in a dialect; gone after the test (`closeStubs`). */
export async function startStub(call: Reply, dialect: Readonly<Record<string, unknown>> = {}): Promise<PartnerStub> {
  const stub = await PartnerStub.start({ dialects: new DialectRegistry({ file: dialect, programs: [] }) });
  stub.call = call;
  stubs.push(stub);
  return stub;
}

/** For `afterEach`. */
export async function closeStubs(): Promise<void> {
  for (const stub of stubs.splice(0)) await stub.close();
}
