export {
  answeredOtherwiseCode,
  classifyOutcome,
  isUnprovenCode,
  refusalFingerprint,
} from './delivery/classify-outcome.js';
export type {
  AttemptObservation,
  AttemptOutcome,
  AttemptPhase,
  BodyKind,
  DialectFacts,
  ProofNeeded,
  ProofShown,
  RejectionCode,
  TransportErrorKind,
} from './delivery/classify-outcome.js';
export { retryAfterMsMax, retryDelayMs, retryDelayMsMax, retryDelayMsMin } from './delivery/retry-delay.js';
export { judgeIdentities } from './identity/judge-identities.js';
export type { ClaimedIdentity, IdentityPlace, IdentityVerdict, KnownIdentity } from './identity/judge-identities.js';
export { nextFindingAt, unknownInLostHistory } from './intent/decide-resolution.js';
export { nextPurchaseCheckAt, passRecheckAt } from './intent/decide-waiting.js';
export { decide } from './intent/decide.js';
export { evolve } from './intent/evolve.js';
export type {
  Decision,
  Finding,
  IgnoredCommandReason,
  IntentCommand,
  PurchaseStatus,
} from './intent/intent-command.js';
export type {
  IntentEvent,
  IntentEventType,
  ParkedLane,
  ParkedReason,
  PassBefore,
  RecordPosition,
  ResendBasis,
  WaitsFor,
} from './intent/intent-event.js';
export { initialIntentState, isSettled, isUntouched } from './intent/intent-state.js';
export type { IntentHistory, IntentState, IntentStatus, UnknownIntent } from './intent/intent-state.js';
export { holderMoveOf, isOpenAgain, passShownBy, transitionOf, TRANSITIONS } from './intent/transitions.js';
export type { HolderMove, KnownPass, Transition } from './intent/transitions.js';
export {
  afterTry,
  isDrained,
  laneDetoursMax,
  mayOvertake,
  overtakenBy,
  requeue,
  sendFirst,
  settleAhead,
  settleCurrent,
} from './lane/lane-cursor.js';
export type { LaneCursor } from './lane/lane-cursor.js';
export { rebuildLane } from './lane/rebuild-lane.js';
export type { LaneFact, LaneStart, RebuiltLane } from './lane/rebuild-lane.js';
export { answersKnownPass, factsOf, groupOf, needsPass, OPERATIONS, operationsThat, touchesPass } from './operation.js';
export type { Operation, OperationGroup, PassRole } from './operation.js';
export { inFlightMsOf, judgeThing, partnerIdOf, placedAs, planProvisioning } from './provisioning/plan-provisioning.js';
export type { Judgement, ProvisionStep } from './provisioning/plan-provisioning.js';
export { dependsOn, isInDoubt, isUnderWay, thingKeyText } from './provisioning/thing.js';
export type {
  DeclaredThing,
  RecordedThing,
  ThingAction,
  ThingContent,
  ThingKey,
  ThingKind,
  ThingState,
} from './provisioning/thing.js';
export { changeOf, decideCorrecting, decideTakingBack, evolveReceipt, sumOf } from './receipt/account.js';
export type { CorrectedSale, Receipt } from './receipt/account.js';
export {
  compareFound,
  comparePass,
  compareValues,
  differingPaths,
  expectedPass,
  wantedPass,
} from './reconciliation/compare-pass.js';
export type { SentContent } from './reconciliation/compare-pass.js';
export { begunUnread, policyOf } from './resolution/delivery-policy.js';
export type { PolicySubject } from './resolution/delivery-policy.js';
export { findingOf, shownPoints, wantedContent } from './resolution/finding.js';
export type { SeenPass } from './resolution/finding.js';
export { judgeLook, whyLookInVain } from './resolution/judge-look.js';
export type { LookProof } from './resolution/judge-look.js';
export {
  duplicateIssueCode,
  forgottenCode,
  isPastResolving,
  nextCheckAt,
  readsBefore,
  resolutionOf,
  resolutionStep,
} from './resolution/resolution.js';
export type { DeliveryPolicy, Resolution, UnknownPolicy } from './resolution/resolution.js';
export { attemptRefusedAsDuplicate, decideLookup, readLookup } from './sending/read-lookup.js';
export type { Lookup } from './sending/read-lookup.js';
export { decideAnswer, hadPass, meaningForAll, passAnswered, requeuedOutcome, stepAside } from './sending/next-step.js';
export { factorsOf, isMemberFactor, isPlaceFactor, memberFactor } from './sending/factors.js';
export type { Factor, HoldTarget } from './sending/factors.js';
export { nextStep, plannedAnewBy } from './sending/next-step.js';
export type { ComeBackStep, KnownOfPass, LookupPurpose, NextStep, OwedIntent, Sending } from './sending/next-step.js';
export {
  clearedPaths,
  consentedPaths,
  isStale,
  isWithdrawn,
  digestSign,
  isNamedByShop,
  mayBeStale,
  stillSaid,
  erasureMarks,
  enrolledAgain,
  lastEnrolment,
  markedSequenceMax,
  moveMarks,
  noMarks,
  profilePaths,
  wholeProfile,
  withConsentWithdrawn,
  withdrawals,
  withdrawnPaths,
  withoutProfilePaths,
  withProfilePathsOf,
} from './profile/profile-marks.js';
export type { EventPosition, ProfileMark, ProfileMarks } from './profile/profile-marks.js';
export {
  decideMembership,
  evolveMembership,
  hasLeft,
  isBeforeErasure,
  isErased,
  isOrdinary,
  unknownMembership,
} from './member/membership.js';
export type { MembersDue, Membership, MembershipEvent } from './member/membership.js';
export {
  cancelledForSurvivor,
  commandOfSurvivor,
  mergesFollowedMax,
  owedToSurvivor,
  campaignKeyFor,
  survivorOf,
} from './member/merging.js';
export type { Survival } from './member/merging.js';
export { defaultPriority, PRIORITIES } from './lane/priority.js';
export type { Priority } from './lane/priority.js';
export { isSomebodyElse, personFields, personSaid, spelled } from './member/person.js';
export type { PersonField, PersonSaid } from './member/person.js';
export { businessKeyText, enrolmentKeyOf } from './owed/business-key.js';
export { canonicalJson } from './owed/canonical-json.js';
export { withTotalLeft, withTotalSaid } from './owed/of-total.js';
export { smsOptOut, withUnsentOptOuts } from './owed/opt-outs.js';
export type {
  IssueCommand,
  JsonObject,
  JsonValue,
  LookupKey,
  OfTotal,
  PartnerCommand,
  PassContent,
  PassDataInput,
  PassName,
  PassNaming,
  PassReference,
  ProgramReference,
  Renewal,
  RewardCommand,
  ScheduleUpdateCommand,
  SmsSubscription,
  TotalPart,
  TransactionCommand,
  WorkflowCommand,
} from './owed/partner-command.js';
export { isExpired, PASS_FIELDS, passNameOf, PERSON_FIELDS } from './owed/partner-command.js';
export {
  addressedTo,
  changedBy,
  commandOfAmount,
  emailKeyOf,
  ignored,
  IGNORED_REASONS,
  isSoldFor,
  keyedIntent,
  nobody,
  ofAmount,
  quarantine,
  QUARANTINE_REASONS,
  routed,
} from './owed/route-result.js';
export type { EventPlanner, RecordedPlan, Revised, UnmappedIntent } from './owed/plan-anew.js';
export { onTopOf } from './owed/plan-anew.js';
export type {
  BusinessKey,
  CancelRequest,
  IgnoredReason,
  IntentFacts,
  LeftForPerson,
  MemberEffects,
  Merge,
  OwnWord,
  QuarantineReason,
  RefusedNumber,
  RoutedIntent,
  RouteResult,
  AnonymousReceipt,
  TakenBack,
} from './owed/route-result.js';
export { dangerousChanges, factsAsked } from './programs/dangerous-changes.js';
export { dangerousSourceChanges } from './programs/source-changes.js';
export type { TopicFacts } from './programs/source-changes.js';
export type { AskedFact, DangerousChange, IsThere, ProgramFact } from './programs/dangerous-changes.js';
