import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { MaskedValue } from '../components/masked-value.js';
import { Panel } from '../components/panel.js';
import { isMoving, type Job } from './job-kinds.js';
import { isOfStranger, isOfThing, kindWords, type Line, restText, textOf } from './job-line-words.js';

function About({ line, program }: { readonly line: Line; readonly program: string | null }): ReactNode {
  const intent = textOf(line.intent);
  const memberId = textOf(line.memberId);
  const ofProgram = program ?? textOf(line.program);
  if (intent !== '') {
    return (
      <Link to="/intents/$id" params={{ id: intent }}>
        {intent}
      </Link>
    );
  }
  if (memberId === '') return isOfThing(line) ? textOf(line.name) : '–';
  if (ofProgram === '' || isOfStranger(line)) return <span title={memberId}>{memberId}</span>;
  return (
    <Link to="/members/$program/$memberId" params={{ program: ofProgram, memberId }}>
      {memberId}
    </Link>
  );
}

function Kind({ line }: { readonly line: Line }): ReactNode {
  const kind = textOf(line.kind ?? line.line);
  return <span title={kind}>{kindWords[kind] ?? kind}</span>;
}

const columnsOf = (program: string | null): readonly Column<Line>[] => [
  { id: 'kind', header: 'Kind', width: '120px', cell: (line) => <Kind line={line} /> },
  {
    id: 'about',
    header: 'About',
    width: 'minmax(88px, 1fr)',
    cell: (line) => <About line={line} program={program} />,
  },
  {
    id: 'rest',
    header: 'What',
    width: 'minmax(80px, 3fr)',
    cell: (line) => (
      <span title={restText(line)}>
        <MaskedValue text={restText(line)} />
      </span>
    ),
  },
];

/** Lines have no id of their own: each is known by being itself. */
class LineIds {
  private readonly ids = new WeakMap<object, string>();
  private count = 0;

  of(line: object): string {
    const known = this.ids.get(line);
    if (known !== undefined) return known;
    this.count += 1;
    this.ids.set(line, String(this.count));
    return String(this.count);
  }
}

function Lines({ job }: { readonly job: Job }): ReactNode {
  const { id, program } = job;
  const [columns] = useState(() => columnsOf(program));
  const [ids] = useState(() => new LineIds());
  const list = usePages('/jobs/{id}/lines', { params: { id } });
  return (
    <>
      <DataTable
        label="What it found"
        columns={columns}
        list={list}
        rowId={(line) => ids.of(line)}
        empty={() => <EmptyState title="It has found nothing yet" />}
      />
      {isMoving(job) ? (
        <p>
          <button type="button" onClick={list.refresh}>
            Read them again
          </button>
        </p>
      ) : null}
    </>
  );
}

/** What a job has found, line by line; read when somebody wants it. */
export function JobLines({ job }: { readonly job: Job }): ReactNode {
  const [isShown, setShown] = useState(false);
  const { kind, lines, request } = job;
  const isPersonal = kind === 'export' && request.includePersonal === true;
  if (lines === 0) return null;
  return (
    <Panel
      title={`${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`}
      {...(isPersonal ? { about: 'With everything personal: the audit keeps each page that you read.' } : {})}
      actions={
        isShown ? null : (
          <button type="button" onClick={() => setShown(true)}>
            Read them
          </button>
        )
      }
    >
      {isShown ? <Lines job={job} /> : null}
      {kind === 'export' ? (
        <p>
          Into a file: <code>loyaltyd export</code>, or the lines as text (docs/operations/export.md).
        </p>
      ) : null}
    </Panel>
  );
}
