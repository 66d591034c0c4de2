import { Controller, HttpCode, Inject, Injectable, type OnApplicationBootstrap, Post } from '@nestjs/common';
import type { Database } from '#platform';
import { chooseWording, type Wording } from '../contract/wordings.js';
import type { IssueEffect } from '../effects/effect.js';
import { loadState, lockCounter, saveState } from '../effects/state-store.js';
import type { WorkingSet } from '../effects/working-set.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { applyIssue } from '../passes/change-pass.js';
import type { PassStatus } from '../passes/pass.js';
import { handleOf, requireUniqueId } from '../passes/unique-id.js';
import { DATABASE, statement } from '../store/database.js';
import { firstCounter } from '../store/schema.js';
import { Catalogue } from './catalogue.js';
import type { PresetPass, Seed } from './seed.js';

/** The statuses that the seed's passes are given. */
export function presetStatuses(seed: Seed): PassStatus[] {
  return seed.brands.flatMap(({ programs }) =>
    programs.flatMap(({ passes }) => passes.map(({ status: passStatus }) => passStatus)),
  );
}

/** Injection token of the seed. */
export const SEED = Symbol('seed');

/** What the ledger gives as the request of a pass that nobody asked for. */
const seedRequestId = 'seed';

interface PresetIssue {
  readonly preset: PresetPass;
  readonly effect: IssueEffect;
}

/** The seed's passes: issued before anybody calls and after a reset, and let alone where they are there already. */
@Injectable()
export class PresetPasses implements OnApplicationBootstrap {
  private readonly wording: Wording;

  constructor(
    @Inject(SEED) private readonly seed: Seed,
    @Inject(DATABASE) private readonly database: Database,
    private readonly catalogue: Catalogue,
  ) {
    this.wording = chooseWording(seed.wording);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.issueMissing();
  }

  /** Forgets everything that has happened, and issues them anew. */
  async reset(): Promise<void> {
    await resetState(this.database, this.catalogue);
    await this.issueMissing();
  }

  /** Issues what is missing, each with its entry in the ledger. */
  private async issueMissing(): Promise<void> {
    const presets = this.presetIssues();
    if (presets.length === 0) return;
    await this.database.transaction('sandbox_presets', async (session) => {
      const effects = presets.map(({ effect }) => effect);
      const state = await loadState(session, this.catalogue, effects);
      for (const preset of presets) issuePreset(state, preset, Date.now());
      await saveState(session, state);
    });
  }

  private presetIssues(): PresetIssue[] {
    return this.seed.brands.flatMap((brand) =>
      brand.programs.flatMap(({ id, passes }) =>
        passes.map((preset) => ({ preset, effect: this.issueOf(preset, brand.id, id) })),
      ),
    );
  }

  private issueOf({ content }: PresetPass, brandId: string, programId: string): IssueEffect {
    const program = this.catalogue.program({ brandId, programId });
    const { wording } = this;
    const path = { brandId, programId, targetId: '' };
    const source = { requestId: seedRequestId, arrivedAt: Date.now(), origin: '' };
    return {
      operation: 'issue',
      call: { ...path, ...source, operation: 'issue', wording, enforceUnique: true },
      program,
      identity: requireUniqueId(program.uniqueIdentifier, content, wording),
      content,
      body: content,
    };
  }
}

/** A refusal is no problem: the pass is there, or the catalogue has been changed since the seed was judged by it. */
function issuePreset(state: WorkingSet, { preset, effect }: PresetIssue, nowMs: number): void {
  if (applyIssue(state, effect, nowMs).kind === 'refused') return;
  const pass = state.findPass(effect.program, handleOf(effect.program, effect.identity));
  const since = preset.updatedAt ?? nowMs;
  if (pass !== null) state.putPass({ ...pass, ...preset.status, createdAt: since, updatedAt: since });
}

const truncateState = statement(
  'truncate_state',
  `TRUNCATE wallet_sandbox.person, wallet_sandbox.pass, wallet_sandbox.transaction, wallet_sandbox.unique_value,
     wallet_sandbox.meta_data_value, wallet_sandbox.catalogue_change, wallet_sandbox.schedule,
     wallet_sandbox.ledger`,
);
const resetCounter = statement(
  'reset_counter',
  `UPDATE wallet_sandbox.counter SET last_id = $1, last_seq = $2, catalogue_version = catalogue_version + 1`,
);

/** Forgets every person, pass, schedule, transaction, ledger entry and change of the catalogue; numbers start anew. */
async function resetState(database: Database, catalogue: Catalogue): Promise<void> {
  const version = await database.transaction('sandbox_reset', async (session) => {
    const { catalogueVersion } = await lockCounter(session);
    await session.query(truncateState);
    await session.query(resetCounter, [firstCounter.lastId, firstCounter.lastSeq]);
    return catalogueVersion + 1;
  });
  catalogue.restore([], version);
}

/**
 * Back to the seed: its catalogue, its passes and no others, no schedules, no faults. No token of the partner is
 * needed, and tokens stay good.
 */
@Controller('__reset')
export class ResetController {
  constructor(
    private readonly faults: FaultInjector,
    private readonly presets: PresetPasses,
  ) {}

  @Post()
  @HttpCode(200)
  async reset(): Promise<{ readonly message: string }> {
    this.faults.reset();
    await this.presets.reset();
    return { message: 'The sandbox is as its seed left it' };
  }
}
