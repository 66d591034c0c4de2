import type { Environment } from '#contracts';
import type { Gateway, Partner } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import type { Clock, Logger, Random } from '#platform';

import { gatewayOptions } from '../partner/gateway-options.js';
import type { ReadPrograms } from './check-programs.js';
import type { Examination, Step } from './examination.js';
import { skipped } from './finding.js';
import { checkAddress } from './partner/check-address.js';
import { checkListings } from './partner/check-listings.js';
import { checkLookups } from './partner/check-lookups.js';
import { checkToken } from './partner/check-token.js';

export interface PartnerTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What is opened to ask the partner, and closed when nobody asks any more. */
class OpenedPartner {
  private readonly dialects = new DialectRegistry();
  private gateway: Gateway | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly tools: PartnerTools,
  ) {}

  open(): Partner {
    this.gateway ??= createGateway(gatewayOptions({ current: this.environment }, this.dialects, this.tools));
    return this.gateway.partner;
  }

  /** From here on it is spoken to in the programs' own dialects. */
  async speaking(
    ready: Promise<readonly [Partner, ReadPrograms] | null>,
  ): Promise<readonly [Partner, ReadPrograms] | null> {
    const both = await ready;
    if (both !== null) this.dialects.replace(both[1].layers);
    return both;
  }

  async close(): Promise<void> {
    await this.gateway?.close();
  }
}

/** Address, token, and two harmless calls for each program. @returns what closes the connections */
export function examinePartner(
  examination: Examination,
  programs: Step<ReadPrograms>,
  { environment, tools }: { readonly environment: Environment; readonly tools: PartnerTools },
): () => Promise<void> {
  const { wallet, process: settings } = environment;
  if (wallet === null) {
    examination.tell(skipped('partner.address', 'no usable partner settings in this process'));
    return () => Promise.resolve();
  }
  const opened = new OpenedPartner(environment, tools);
  const address = checkAddress(examination, wallet, { clock: tools.clock, httpsProxy: settings.httpsProxy });
  const token = checkToken(examination, address, () => opened.open());
  const { name, value } = examination.both(token, programs);
  const ready = { name, value: opened.speaking(value) };
  checkLookups(examination, ready, tools);
  checkListings(examination, ready);
  return () => opened.close();
}
