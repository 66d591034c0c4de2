import type { CallName, Row, Scene, Specification, Step } from './specification.js';

export type Selection = 'read' | 'write' | null;

type Work = { readonly after: readonly string[]; readonly steps: readonly Step[] };

/** The calls that leave something behind when this is run; a scene counts each time it is named. */
export function writesOf(work: Work, specification: Pick<Specification, 'calls' | 'scenes'>): CallName[] {
  const { calls, scenes } = specification;
  const inScenes = work.after.flatMap((name) => writesOf(scenes[name] ?? { after: [], steps: [] }, specification));
  const own = work.steps.flatMap(({ call, token }) =>
    calls[call].writes === null || token !== undefined ? [] : [call],
  );
  return [...inScenes, ...own];
}

/**
 * The rows that only read, or that write, or all. Where only reading is allowed, a scene that can be had of a known
 * member looks instead of writing.
 */
export function selected(specification: Specification, selection: Selection): Specification {
  if (selection === null) return specification;
  const isReading = selection === 'read';
  const scenes = isReading ? mapScenes(specification.scenes) : specification.scenes;
  const looking = { ...specification, scenes };
  const rows = specification.rows.filter((row: Row) => (writesOf(row, looking).length === 0) === isReading);
  return { ...looking, rows };
}

function mapScenes(scenes: Specification['scenes']): Record<string, Scene> {
  const entries = Object.entries(scenes).map(([name, scene]) => [
    name,
    scene.known === undefined ? scene : { ...scene, ...scene.known },
  ]);
  return Object.fromEntries(entries) as Record<string, Scene>;
}
