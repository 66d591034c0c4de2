// What the calls of each subject are made of; nothing here knows an operation by name.
export { isDeadPass, isJsonObject, readPass, readShape } from '../call/answer-body.js';
export type { AnswerProof } from '../call/answer-proof.js';
export { isIdentifier, messagePart, namesPass, passOwnership, passProof, unlessDenied } from '../call/answer-proof.js';
export type { Caller, Exchange } from '../call/caller.js';
export { contradiction, contradicts, isSameId, isSameTime, isWithin, numberText } from '../call/compare-answer.js';
export type { SentValues } from '../call/duplicate-refusal.js';
export { NOTHING_SENT } from '../call/duplicate-refusal.js';
export { withNumbers } from '../call/exact-number.js';
export type { ObservedAnswer } from '../call/observe-answer.js';
export {
  answerFailure,
  callFailure,
  INVALID_REQUEST,
  observeAnswer,
  plainReading,
  REFUSED_INPUT,
} from '../call/observe-answer.js';
export type { JsonObject, PartnerOperation } from '../call/operation.js';
export { operation } from '../call/operation.js';
export type { PlannedRequest } from '../call/planned-request.js';
export { checkInput, InvalidRequest, programPath, queryText, refuse, segment } from '../call/planned-request.js';
export type { CompiledDialect } from '../dialect/dialect-registry.js';
export type { Dialect } from '../dialect/dialect-schema.js';
export { DOCUMENTED_SCHEDULE } from '../dialect/dialect-schema.js';
export { parseDialect } from '../dialect/parse-dialect.js';
export { idCharsMax, listAlarmsMax, listPageBytesMax, listPageSizeDefault, listPagesMax } from '../limits.js';
export type { CallFailure, CallOptions } from '../port/call.js';
export { GatewayError } from '../port/call.js';
export type {
  CountReport,
  ListingSummary,
  ListOptions,
  PassListing,
  PassPage,
  PassQuery,
} from '../port/pass-listing.js';
export type { LookupReport, PassLookup, ScheduledUpdate } from '../port/pass-operations.js';
