export { describeUnless, itUnless, missingCommands } from './jest/optional.js';
export { createPlainUser, dropUser, queryOnce, withClient } from './database/admin.js';
export type { TestDatabase, TestDatabaseOptions } from './database/test-database.js';
export { buildTemplate, testDatabase } from './database/test-database.js';
export type { SentStatement } from './database/rows-read.js';
export { rowsRead } from './database/rows-read.js';
export type { TlsPostgres } from './database/tls-postgres.js';
export { startTlsPostgres, useCertificate } from './database/tls-postgres.js';
export type { TestBroker } from './infrastructure/part.js';
export { stopParts } from './infrastructure/request-part.js';
export { compressedSpaces, sendCompressed } from './kafka/crafted-batch.js';
export type { TestTopics } from './kafka/test-broker.js';
export {
  createTopics,
  deleteTopics,
  describeWithRealKafka,
  kafkaClient,
  testBroker,
  testTopics,
} from './kafka/test-broker.js';
export type { SecuredKafka } from './kafka/secured-kafka.js';
export { plainPassword, securedKafkaMissing, startSecuredKafka } from './kafka/secured-kafka.js';
export type { FreezingProxy } from './network/freezing-proxy.js';
export { openFreezingProxy, throughProxy } from './network/freezing-proxy.js';
export type { IssuedCertificate, TestAuthority } from './network/test-authority.js';
export { createTestAuthority, loopbackCertificate } from './network/test-authority.js';
export { collectGarbage } from './process/collect-garbage.js';
export type { ProcessEnd, RunningProcess, StartProcessOptions } from './process/start-process.js';
export {
  checkoutRoot,
  processMemory,
  runForReport,
  programCommand,
  startProcess,
  watchOver,
} from './process/start-process.js';
export { LoginProvider } from './issuer/login-provider.js';
export { TokenServer } from './issuer/token-server.js';
export { testAudience, TestIssuer } from './issuer/test-issuer.js';
export { StandInRegistry } from './registry/stand-in-registry.js';
export type { StandInSchema } from './registry/stand-in-registry.js';
export { StandInVault } from './vault/stand-in-vault.js';
export type { ReceivedSpan } from './tracing/otlp-receiver.js';
export { OtlpReceiver } from './tracing/otlp-receiver.js';
export { RecordingTracer } from './tracing/recording-tracer.js';
export { settle, VirtualClock } from './time/virtual-clock.js';
export { MailReceiver } from './network/mail-receiver.js';
export { isSignedBy, WebhookReceiver } from './network/webhook-receiver.js';
