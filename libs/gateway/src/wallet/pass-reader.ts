import { type PageNumbers, pageNumbers } from '../listing/page-numbers.js';
import { PagedPasses } from '../listing/paged-passes.js';
import { planLookup } from '../operations/find-pass.js';
import { type PageOrCount, planList, type ReadPage, readPage } from '../operations/list-passes.js';
import { readCount } from '../operations/read-count.js';
import { readLookup } from '../operations/read-lookup.js';
import { type CallEvidence, type CallOptions, GatewayError } from '../port/call.js';
import type { CountReport, ListOptions, PassListing, PassListings, PassQuery } from '../port/pass-listing.js';
import type { LookupReport, PassLookup, PassOperations } from '../port/pass-operations.js';
import { answerFailure, callFailure, INVALID_REQUEST } from './call-failure.js';
import { type Caller, type Exchange, NO_REQUEST } from './caller.js';
import { InvalidRequest } from './invalid-request.js';
import { observeAnswer, plainReading } from './observe-answer.js';

const NOTHING_SENT: CallEvidence = { request: NO_REQUEST, response: null, durationMs: 0 };
const REFUSED_INPUT = { kind: 'failed', ...INVALID_REQUEST, evidence: NOTHING_SENT } as const;

/** The calls that only read passes (partner-api.md 4.1 and 4.5). */
export class PassReader implements Pick<PassOperations, 'findPass'>, PassListings {
  constructor(private readonly caller: Caller) {}

  async findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport> {
    const made = await this.caller.exchange(lookup, () => planLookup(lookup), options);
    return made instanceof InvalidRequest ? REFUSED_INPUT : readLookup({ lookup, ...made });
  }

  async countPasses(query: PassQuery, options: CallOptions): Promise<CountReport> {
    const made = await this.list(query, 'count', options);
    return made instanceof InvalidRequest ? REFUSED_INPUT : readCount(made);
  }

  listPasses(query: PassQuery, options: ListOptions): PassListing {
    const numbers = this.numbersOf(query, options);
    const fetchPage = async (pageNumber: number): Promise<ReadPage> => {
      if (numbers instanceof InvalidRequest) throw refusedInput(numbers);
      const { pageSize } = numbers;
      const made = await this.list(query, { pageNumber, pageSize }, options);
      if (made instanceof InvalidRequest) throw refusedInput(made);
      return pageOf(made);
    };
    return new PagedPasses({ fetchPage, numbers: numbers instanceof InvalidRequest ? ONE_PAGE : numbers });
  }

  private list(query: PassQuery, wanted: PageOrCount, options: CallOptions): Promise<Exchange | InvalidRequest> {
    return this.caller.exchange(query, (dialect) => planList(query, wanted, dialect), options);
  }

  /** Refused numbers are told when iteration begins, like everything else about a listing. */
  private numbersOf(query: PassQuery, options: ListOptions): PageNumbers | InvalidRequest {
    try {
      return pageNumbers(options, this.caller.dialectOf(query));
    } catch (error) {
      if (error instanceof InvalidRequest) return error;
      throw error;
    }
  }
}

const ONE_PAGE: PageNumbers = { pageSize: 1, startPage: 1, pagesMax: 1, rowsBefore: 0 };

/** @throws GatewayError */
function pageOf({ trace, compiled }: Exchange): ReadPage {
  const observed = observeAnswer(trace, plainReading(compiled));
  const failure = callFailure(observed);
  if (failure !== null) throw new GatewayError(failure);
  const page = readPage(observed.body?.json, compiled.dialect);
  if (page === null) throw new GatewayError(answerFailure('not-a-page'));
  return page;
}

function refusedInput(refusal: InvalidRequest): GatewayError {
  return new GatewayError(INVALID_REQUEST, refusal.texts);
}
