import type { DynamicModule, InjectionToken } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Test } from '@nestjs/testing';

import { DialectRegistry } from '#gateway';
import { IngestKeys, MemberKeys, PauseRepository, ProcessRepository } from '#intents';
import { Clock, Database, Random } from '#platform';

import { AccessSettings } from '../access/access-settings.js';
import { OperationsObserver } from '../access/operations-observer.js';
import { ConsoleSettings } from '../console/console-settings.js';
import { PublishedTopics } from '../contracts/contracts.controller.js';
import { Doctor } from '../doctor/doctor.controller.js';
import { SourceTopics } from '../events/event-service.js';
import { JobRepository } from '../jobs/job-repository.js';
import { TopicRules } from '../jobs/kinds/reread-topic/topic-reader.js';
import { OperationsModule } from '../operations.module.js';
import { NoticeSettings } from '../notices/notice-settings.js';
import { AskedPartner } from '../partner-reading/partner-questions.js';
import { Intake } from '../quarantine/quarantine-service.js';
import { ProbeSource } from '../probes/probes.controller.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { OverviewRepository } from '../stats/overview.js';

/** A file that maps nothing. */
export const noPrograms: ProgramsControl = {
  processId: '00000000-0000-4000-8000-00000000000a',
  file: () => ({ unknownProgram: 'quarantine', programs: {} }),
  inForce: () => ({ hash: '', since: 0 }),
  reload: () => Promise.reject(new Error('there is no file to be read again')),
};

const quiet: OperationsObserver = { written: () => undefined, jobItems: () => undefined };

/** Where a test gives none, there is nothing behind a port. */
const absent = new Map<InjectionToken, unknown>([
  ...[AccessSettings, AskedPartner, Clock, ConsoleSettings, Database, Doctor, IngestKeys, Intake, MemberKeys].map(
    (port) => [port, {}] as const,
  ),
  ...[ProbeSource, PublishedTopics, Random, SourceTopics].map((port) => [port, {}] as const),
  [ProgramsControl, noPrograms],
  [DialectRegistry, new DialectRegistry()],
  [NoticeSettings, { current: () => null }],
  [OperationsObserver, quiet],
  [TopicRules, { isReadable: false, knownSince: () => 0, sourceOf: () => null }],
]);

/** Ports by their tokens. */
export type Ports = readonly (readonly [InjectionToken, unknown])[];

@Module({})
class PortsModule {}

/** What the operations API is given in a test. */
export function portsModule(ports: Ports): DynamicModule {
  const providers = [...new Map([...absent, ...ports])].map(([provide, useValue]) => ({ provide, useValue }));
  return { module: PortsModule, global: true, providers, exports: providers };
}

/** The services of the operations API over these ports, without a server: `.get(JobService)`. */
export async function servicesOver(ports: Ports): Promise<TestingModule> {
  return Test.createTestingModule({ imports: [OperationsModule.forRoot([portsModule(ports)])] }).compile();
}

/** The overview's repository, with those that it reads from. */
export function overviewsOf(database: Database): OverviewRepository {
  const pauses = new PauseRepository(database);
  return new OverviewRepository(database, pauses, new ProcessRepository(database), new JobRepository(database));
}
