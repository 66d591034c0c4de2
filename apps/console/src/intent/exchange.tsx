import { type ReactNode } from 'react';

import { CopyButton } from '../components/copy-button.js';
import { JsonView } from '../components/json-view.js';
import { MaskedValue } from '../components/masked-value.js';
import styles from './exchange.module.css';
import { partnerCurl } from './partner-curl.js';

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** Texts that hold JSON, such as bodies, are shown as what they hold. */
function readable(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const withReadableBody = (value: unknown): unknown => {
  const members = membersOf(value);
  return 'body' in members ? { ...members, body: readable(members.body) } : value;
};

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');

function requestLine(request: unknown): string {
  const { method, path } = membersOf(request);
  return [textOf(method), textOf(path)].filter((part) => part !== '').join(' ');
}

interface FoldProps {
  readonly name: string;
  /** Seen without opening it. */
  readonly line?: string;
  readonly value: unknown;
  /** What is copied, such as `the request`. */
  readonly what: string;
  /** More about it, once it is open. */
  readonly children?: ReactNode;
}

/** A document that opens. */
export function Fold({ name, line = '', value, what, children }: FoldProps): ReactNode {
  return (
    <details className={styles.fold}>
      <summary className={styles.summary}>
        <span className={styles.name}>{name}</span>
        <code className={styles.line}>
          <MaskedValue text={line} />
        </code>
      </summary>
      <JsonView value={readable(value)} what={what} />
      {children}
    </details>
  );
}

/** As the partner's support would try it. */
function AsCurl({ request }: { readonly request: unknown }): ReactNode {
  const curl = partnerCurl(request);
  if (curl === null) return null;
  return (
    <p className={styles.curl}>
      <CopyButton text={curl.text} what="the request to the partner as curl" /> As curl, to the partner
      {curl.isMasked ? ': fill in what is masked, or unmask this intent first' : ''}
    </p>
  );
}

interface ExchangeProps {
  readonly request: unknown;
  readonly response: unknown;
}

/** What was sent and what came back; what there is not is said. */
export function Exchange({ request, response }: ExchangeProps): ReactNode {
  const { status } = membersOf(response);
  return (
    <>
      {request === null ? null : (
        <Fold name="Request" line={requestLine(request)} value={withReadableBody(request)} what="the request">
          <AsCurl request={request} />
        </Fold>
      )}
      {response === null ? null : (
        <Fold name="Answer" line={textOf(status)} value={withReadableBody(response)} what="the answer" />
      )}
    </>
  );
}

interface EvidenceProps {
  readonly evidence: unknown;
}

/** What was kept with an event: a call is shown as one, anything else as it is. */
export function Evidence({ evidence }: EvidenceProps): ReactNode {
  if (evidence === null || evidence === undefined) return null;
  const { request = null, response = null } = membersOf(evidence);
  if (request !== null || response !== null) return <Exchange request={request} response={response} />;
  return <Fold name="Evidence" value={evidence} what="the evidence" />;
}

interface PreviewProps {
  /** When that would be. */
  readonly name: string;
  readonly preview: {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    readonly problems: readonly string[];
  } | null;
}

/** What would be sent now, or why nothing can be made of it. */
export function Preview({ name, preview }: PreviewProps): ReactNode {
  if (preview === null) return null;
  const { method, path, body, problems } = preview;
  if (problems.length > 0) {
    return <p className={styles.problem}>No request can be made of it: {problems.join('; ')}.</p>;
  }
  const request = { method, path, body: readable(body ?? null) };
  return <Fold name={name} line={`${method} ${path}`} value={request} what="what would be sent" />;
}
