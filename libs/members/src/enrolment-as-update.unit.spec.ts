import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { Program } from '#contracts';

import { renewalOfAnswered, renewalOfFound } from './enrolment-as-update.js';
import type { PartnerCommand } from '#intents/core';

function exampleProgram(change: Partial<Program> = {}): Program {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  const program = parsed.ok ? parsed.value.programs['coffee-club'] : undefined;
  if (program === undefined) throw new Error('the example must be valid');
  return { ...program, update: { via: 'workflow', workflowId: '78' }, ...change };
}

const content = { person: { firstName: 'Ada' }, tierId: 2, passdata: { points: 0, metaData: { memberId: 'm' } } };
const reference = { brandId: '101', programId: '2001', uniqueId: 'm', uniqueIdKey: 'memberId' };
const issue: PartnerCommand = { ...reference, operation: 'issue', content };
const viaWorkflow: PartnerCommand = { ...reference, operation: 'issue-via-workflow', workflowId: '77', content };

const ours = { templateTierId: 2, passdata: { points: 40, metaData: { memberId: 'm' } } };
const older = { ...ours, templateTierId: 1 };
const bare = { passdata: { metaData: { memberId: 'm' } } };

function shown(pass: object, change: { readonly command?: PartnerCommand; readonly program?: Partial<Program> } = {}) {
  return { command: change.command ?? issue, pass, program: exampleProgram(change.program), scheduledName: 's' };
}

const none = { via: 'none' } as const;

describe('an enrolment that finds a pass', () => {
  it('is told to it, without the points, where only the refusal was in doubt', () => {
    const { command } = renewalOfFound(shown(ours), { doubts: [2] }, 2) ?? {};
    expect(command).toMatchObject({ operation: 'update-via-workflow', workflowId: '78', content: { tierId: 2 } });
    expect(command?.content.passdata).toEqual({ metaData: { memberId: 'm' } });
  });

  it('is told with its points where the program wants them overwritten', () => {
    const program = { existingPass: { points: 'overwrite' } } as const;
    expect(renewalOfFound(shown(older, { program }), { doubts: [1] }, 1)?.command?.content.passdata).toMatchObject({
      points: 0,
    });
  });

  it.each([
    ['says no template without a tier, where that follows the tier', { gold: 12 }, undefined, undefined],
    ['says it with its tier', { gold: 12 }, 2, 11],
    ['says it where all tiers have one', undefined, undefined, 11],
  ] as const)('regression: %s', (_name, tierTemplates, tierId, templateId) => {
    const { tierId: _tier, ...untiered } = content;
    const said = { ...untiered, templateId: 11, ...(tierId === undefined ? {} : { tierId }) };
    const program = tierTemplates === undefined ? {} : { tierTemplates };
    const { command } =
      renewalOfFound(shown(older, { command: { ...issue, content: said }, program }), { doubts: [1] }, 1) ?? {};
    expect(command?.content.templateId).toBe(templateId);
  });

  it('is a matter for a person where the program has no way to update', () => {
    expect(renewalOfFound(shown(ours, { program: { update: none } }), { doubts: [1] }, 1)).toEqual({ command: null });
  });

  it.each([
    ['shows all of it: our own attempt has made it', ours, {}, false],
    ['shows something else: it was there before', older, {}, true],
    ['does not tell', bare, {}, true],
    ['shows something else, and nobody can update it', older, { update: none }, true],
    ['does not tell, and nobody can update it', bare, { update: none }, true],
  ])('after an attempt in doubt the pass %s', (_name, pass, program, isTold) => {
    expect(renewalOfFound(shown(pass, { program }), { doubts: [1] }, null) !== null).toBe(isTold);
    expect(renewalOfFound(shown(pass, { program }), { doubts: [1, 2] }, 2) !== null).toBe(isTold);
  });

  it('asks no person about consent alone, which no pass shows', () => {
    const consent = { command: { ...issue, content: { ...content, smsSubscription: 200 } } as const };
    expect(renewalOfFound(shown(ours, consent), { doubts: [1] }, null)).not.toBeNull();
    expect(renewalOfFound(shown(ours, { ...consent, program: { update: none } }), { doubts: [1] }, null)).toBeNull();
  });

  it.each([
    ['another pass than was told', viaWorkflow, older, [true, true]],
    ['what was told', viaWorkflow, ours, [false, false]],
    ['not all of it', viaWorkflow, bare, [false, true]],
    ['another pass, but issued it', issue, older, [false, false]],
  ])('is told to the pass that a workflow answers with: %s (new, known)', (_name, command, pass, told) => {
    expect([false, true].map((isKnown) => renewalOfAnswered(shown(pass, { command }), isKnown) !== null)).toEqual(told);
  });
});
