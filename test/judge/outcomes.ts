import { type Absorbers, absorbersIn, isOfAbsorbed } from './absorbed.js';
import { type JsonObject } from './case.js';
import { causeOf, outcomeKind, type Evidence } from './evidence.js';
import { type Told } from './read-records.js';
import { type Posted } from './transactions.js';
import { objectOf, textOf } from './values.js';

interface Context {
  readonly byPlace: ReadonlyMap<string, Told>;
  readonly posted: Posted;
  readonly evidence: Evidence;
}

interface IntentContext extends Context {
  readonly absorbers: Absorbers;
}

/** Was anything told to the shop that is not so; was everything told. */
export function judgeOutcomes(events: readonly Told[], context: Context): void {
  const { evidence } = context;
  const { outcomes } = evidence.given;
  if (!outcomes) return;
  const absorbers = absorbersIn(events);
  for (const outcome of outcomes) {
    evidence.judged.outcomes += 1;
    const kind = outcomeKind(outcome);
    const data = objectOf(outcome['data']);
    if (kind === 'pass.issued') judgePassIssued(data, evidence);
    if (kind === 'intent.delivered' || kind === 'intent.parked') judgeIntent(kind, outcome, { ...context, absorbers });
  }
  for (const event of events) judgeSilence(event, context);
}

function judgeSilence(event: Told, { posted, evidence }: Context): void {
  if (!posted.has(event.place) || evidence.isTold(event.place)) return;
  if (evidence.undone(event.place).length > 0 || evidence.isErased(event)) return;
  evidence.find('not-told', event, event.kind, event.place);
}

const aboutOf = (data: JsonObject): { program: string; member: string } => ({
  program: textOf(data['program']) ?? '',
  member: textOf(data['memberId']) ?? '',
});

function judgePassIssued(data: JsonObject, evidence: Evidence): void {
  const about = aboutOf(data);
  const terms = evidence.given.programs.programs[about.program];
  const passId = textOf(data['passId']);
  if (!terms || passId === undefined) return;
  const pass = evidence.pass(passId);
  if (!pass) {
    // What the partner has lost since was there when it was told.
    const wasThere = evidence.ledgerOf(passId).some(({ operation }) => operation.startsWith('issue'));
    if (!wasThere) evidence.find('told-untrue', about, `pass ${passId}, which never existed`);
    return;
  }
  const owner = evidence.ownerOf(passId, terms);
  const serial = textOf(data['serialNumber']);
  if (owner !== about.member) evidence.find('told-other-pass', about, `pass ${passId} of ${owner ?? 'nobody'}`);
  else if (serial !== undefined && pass.serialNumber !== undefined && serial !== pass.serialNumber) {
    evidence.find('told-other-pass', about, `serial number ${serial}`);
  }
}

function judgeIntent(kind: 'intent.delivered' | 'intent.parked', outcome: JsonObject, context: IntentContext): void {
  const { byPlace, posted, evidence, absorbers } = context;
  const [place, data] = [causeOf(outcome), objectOf(outcome['data'])];
  const event = byPlace.get(place);
  const confusion = confusionOf(data, event, absorbers);
  if (confusion !== undefined) evidence.find('told-untrue', aboutOf(data), `${kind} of ${confusion}`, place);
  if (!event || confusion !== undefined || evidence.isDecided(place) || evidence.isErased(event)) return;
  if (hasEffect(event, posted, evidence) || evidence.isExplained(evidence.firstOf(place))) return;
  if (kind === 'intent.delivered') evidence.find('told-untrue', event, `${event.kind} is not there`, place);
  else if (evidence.undone(evidence.firstOf(place)).length === 0) {
    evidence.find('told-untrue', event, 'told as parked, and in no list', place);
  }
}

/** What an outcome is told of, where that is not the record that it names as its cause. */
function confusionOf(data: JsonObject, event: Told | undefined, absorbers: Absorbers): string | undefined {
  if (!event) return 'a record that nobody sent';
  const { program, member } = aboutOf(data);
  const isOfThem = event.member === member || isOfAbsorbed(event, member, absorbers);
  if (!isOfThem || event.program !== program) return `a record of ${event.member}`;
  const purchase = textOf(data['purchaseId']);
  return purchase === undefined || purchase === textOf(event.data['purchaseId']) ? undefined : `purchase ${purchase}`;
}

/** Of what is told of a member only that there is a card; what it holds is judged by itself. */
function hasEffect(event: Told, posted: Posted, evidence: Evidence): boolean {
  if (!event.kind.startsWith('member.')) return posted.has(evidence.firstOf(event.place));
  return evidence.hasPass(event.terms, event.member);
}
