import { type CallOperation, creatingOperations } from '../http/operation.js';
import { type SpellingChoice, spellingSchema } from './spelling-schema.js';
import { answerTranslations, bodyTranslations, queryTranslations, type Translations } from './translations.js';

const nothing: Translations = {};
const plain = JSON.stringify(spellingSchema.parse({}));

/**
 * What partner-api.md does not show, as this sandbox's seed spells it: translated at the door, so that handlers and
 * schemas know one spelling. Costs nothing where the seed chooses nothing.
 */
export class Spelling {
  private readonly queries: Translations;
  private readonly bodies: Translations;
  private readonly answers: Translations;

  constructor(readonly choice: SpellingChoice) {
    const isPlain = JSON.stringify(choice) === plain;
    this.queries = isPlain ? nothing : queryTranslations(choice);
    this.bodies = isPlain ? nothing : bodyTranslations(choice);
    this.answers = isPlain ? nothing : answerTranslations(choice);
  }

  /** A query by the names in here. Throws Refusal (400) for a name that is spelled otherwise. */
  readQuery(operation: CallOperation, query: unknown): unknown {
    return this.queries[operation]?.(query) ?? query;
  }

  /** A body by the names in here. Throws Refusal (400) for a name that is spelled otherwise. */
  readBody(operation: CallOperation, body: unknown): unknown {
    return this.bodies[operation]?.(body) ?? body;
  }

  /** An answer by the names outside. */
  writeAnswer(operation: CallOperation, answer: unknown): unknown {
    return this.answers[operation]?.(answer) ?? answer;
  }

  successStatus(operation: CallOperation): number {
    return creatingOperations.has(operation) ? this.choice.createdStatus : 200;
  }

  /** What a lookup is answered with that several passes fit, the newest first. */
  several<Pass>(passes: readonly [Pass, ...Pass[]]): Pass | readonly Pass[] | { readonly data: readonly Pass[] } {
    if (passes.length === 1 || this.choice.severalMatches === 'newest') return passes[0];
    return this.choice.severalMatches === 'array' ? passes : { data: passes };
  }
}
