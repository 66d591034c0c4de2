import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';
import { useMe } from '../session/session-store.js';
import { AppearancePanel } from './appearance-panel.js';
import { ContractsPanel } from './contracts-panel.js';
import { DialectPanel } from './dialect-panel.js';
import { PartnerPanel } from './partner-panel.js';
import { ProgramsPanel } from './programs-panel.js';
import { SessionPanel } from './session-panel.js';

/** How this daemon is set up and whether that works, and how you look at it. */
export function SettingsScreen(): ReactNode {
  const { limitedTo } = useMe();
  const { data } = useQuery(apiQuery('/console', {}));
  return (
    <>
      <PageHeader
        title="Settings"
        {...(data === undefined
          ? {}
          : {
              about: `loyaltyd ${data.version}. Settings of the daemon are its variables and files: here they are read.`,
            })}
      />
      <AppearancePanel />
      <SessionPanel />
      {limitedTo === null ? (
        <>
          <ProgramsPanel />
          <DialectPanel />
        </>
      ) : (
        <EmptyState title="Programs file and processes are not shown">
          They are of all programs; your token is limited to {limitedTo.join(', ')}.
        </EmptyState>
      )}
      <PartnerPanel />
      <ContractsPanel />
    </>
  );
}
