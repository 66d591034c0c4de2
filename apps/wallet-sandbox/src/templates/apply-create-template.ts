import type { TemplateAnswer } from '../contract/administration-bodies.js';
import type { CreateTemplateEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';

/** 4.12: a further template of the program; a card may be issued with it from now on. Names may repeat. */
export function applyCreateTemplate(state: WorkingSet, effect: CreateTemplateEffect, nowMs: number): EffectResult {
  const { brandId, programId } = effect.program;
  const template = { ...effect.template, id: state.nextId() };
  state.changeCatalogue({ kind: 'template-created', brandId, programId, template });
  recordEffect(state, { effect, targetId: String(template.id), nowMs });
  return applied({ templateId: template.id, name: template.name } satisfies TemplateAnswer);
}
