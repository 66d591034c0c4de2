import type { Native } from './native.js';

export type Operator = 'and' | 'or' | '=' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | '&' | 'in';

export type Pair = readonly [key: MapNode, value: MapNode];

/** What may follow any expression. */
interface Anywhere {
  /** Characters before it in the map. */
  readonly position: number;
  /** `[...]` behind it. */
  readonly filters: readonly MapNode[];
  /** `{...}` behind it. */
  readonly group: readonly Pair[] | null;
  /** `[]` behind it: stays a list, however few there are. */
  readonly keepsList: boolean;
}

/** What we take of JSONata, with its functions found. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: null | boolean | string | number }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  /** `''` is what the expression is applied to, `'$'` the document. */
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[]; readonly isList: boolean }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: MapNode; readonly right: MapNode }
  | { readonly kind: 'negative'; readonly operand: MapNode }
  | { readonly kind: 'list'; readonly items: readonly MapNode[]; readonly isWhole: boolean }
  | { readonly kind: 'object'; readonly pairs: readonly Pair[] }
  | {
      readonly kind: 'condition';
      readonly test: MapNode;
      readonly then: MapNode;
      readonly otherwise: MapNode | null;
    }
  | { readonly kind: 'default'; readonly value: MapNode; readonly otherwise: MapNode }
  | { readonly kind: 'block'; readonly expressions: readonly MapNode[]; readonly isWhole: boolean }
  | { readonly kind: 'bind'; readonly name: string; readonly value: MapNode }
  | { readonly kind: 'function'; readonly parameters: readonly string[]; readonly body: MapNode }
  | { readonly kind: 'native'; readonly native: Native }
  | { readonly kind: 'call'; readonly callee: MapNode; readonly given: readonly MapNode[] }
  | { readonly kind: 'pattern'; readonly pattern: RegExp };

/** An expression of a map. */
export type MapNode = Anywhere & Expression;

/** A step of a path, and the `[...]` that choose among what it finds. */
export interface Step {
  readonly node: MapNode;
  readonly stages: readonly MapNode[];
}

export type NodeOf<Kind extends MapNode['kind']> = Extract<MapNode, { readonly kind: Kind }>;

/** What stands directly within an expression. */
export function partsOf(node: MapNode): readonly MapNode[] {
  return [...ownParts(node), ...node.filters, ...(node.group ?? []).flat()];
}

function ownParts(node: MapNode): readonly MapNode[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
    case 'wildcard':
    case 'variable':
    case 'native':
    case 'pattern':
      return [];
    case 'path':
      return node.steps.flatMap((step) => [step.node, ...step.stages]);
    case 'binary':
      return [node.left, node.right];
    case 'negative':
      return [node.operand];
    case 'list':
      return node.items;
    case 'object':
      return node.pairs.flat();
    case 'condition':
      return [node.test, node.then, ...(node.otherwise === null ? [] : [node.otherwise])];
    case 'default':
      return [node.value, node.otherwise];
    case 'block':
      return node.expressions;
    case 'bind':
      return [node.value];
    case 'function':
      return [node.body];
    case 'call':
      return [node.callee, ...node.given];
    default:
      return node satisfies never;
  }
}
