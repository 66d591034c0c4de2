import { Global, Injectable, Module } from '@nestjs/common';

import type { EncryptionKey, Environment } from '#contracts';
import { inspectInstallation, MemberKeys, sampleMemberKeys } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop, Keyring, KeyServiceAwayError, KeyServiceRefusedError } from '#platform';

import { FollowerLoops } from '../lifecycle/loops.js';
import { registerFileMetrics } from '../metrics/process-metrics.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { Configuration } from './configuration.module.js';
import type { KeyProvider } from './key-provider.js';
import type { FileGuard, FileNews, LiveEnvironment } from './live-environment.js';
import { followMs, NotUsableYetError } from './live-environment.js';

const postgresPort = '5432';

/** The database's address: its settings without the login. */
function placeOf({ database }: Pick<Environment, 'database'>): string | null {
  const url = URL.parse(database?.url.value ?? '');
  return url === null ? null : `${url.hostname}:${url.port || postgresPort}${url.pathname}${url.search}`;
}

/** A pool on two databases would write half of what belongs together to each. */
export function samePlace(live: Pick<LiveEnvironment, 'current'>): FileGuard {
  const place = placeOf(live.current);
  return (next) =>
    Promise.resolve(placeOf(next) === place ? null : 'it names another server or database: that needs a restart');
}

/** @throws {NotUsableYetError} a key service may come back, or be set right, while the file stays as it is */
async function openListed(provider: KeyProvider, keys: readonly EncryptionKey[]): Promise<readonly Uint8Array[]> {
  try {
    return await provider.open(keys);
  } catch (error) {
    throw error instanceof KeyServiceAwayError || error instanceof KeyServiceRefusedError
      ? new NotUsableYetError(error.message)
      : error;
  }
}

/** Takes over a list of keys only if it opens the stored keys. */
export function opensAll({
  database,
  random,
  keyProvider,
}: Pick<Storage, 'database' | 'random' | 'keyProvider'>): FileGuard {
  return async ({ encryptionKeys }) => {
    const keyring = new Keyring(await openListed(keyProvider, encryptionKeys ?? []));
    const installation = await inspectInstallation(database, keyring);
    if (installation?.keys === null) return 'none of these keys opens this database';
    const { unopened } = await sampleMemberKeys(database, new MemberKeys(keyring, random));
    return unopened === 0
      ? null
      : 'a key is missing that members’ keys are wrapped by: run `loyaltyd rotate-keys` first';
  };
}

function logNews({ changed, broken }: FileNews, logger: Logger): void {
  if (changed.length > 0) logger.info({ files: changed }, 'files of secrets and certificates read again');
  if (broken.size > 0) {
    logger.error(
      { problems: [...broken].map(([name, problem]) => `${name}: ${problem}`) },
      'the last good value of a file stays in force',
    );
  }
  if (changed.length === 0 && broken.size === 0) logger.info({}, 'the files are as they were');
}

function secretsLoop({ live }: Configuration, storage: Storage, { metrics, logger }: Platform): BackgroundLoop {
  const { clock, random, masterKeys, keyProvider } = storage;
  live.guard('DATABASE_URL_FILE', samePlace(live));
  live.guard('LOYALTYD_ENCRYPTION_KEY_FILE', opensAll(storage));
  registerFileMetrics(metrics.registry, live);
  return new BackgroundLoop({
    workOnce: async () => {
      const news = await live.look();
      if (news !== null) logNews(news, logger);
      const listed = live.current.encryptionKeys ?? [];
      // Whoever took the list over has had its keys opened: the key service is not asked.
      masterKeys.follow(await keyProvider.open(listed));
      keyProvider.forgetAllBut(listed);
      return followMs;
    },
    close: () => Promise.resolve(),
    failureMessage: 'what files hold could not be checked',
    ...{ clock, random, logger },
  });
}

/** Follows the files of secrets and certificates: their values change while the process runs. */
@Injectable()
class Secrets extends FollowerLoops {
  constructor(configuration: Configuration, storage: Storage, platform: Platform) {
    super([secretsLoop(configuration, storage, platform)]);
  }
}

/** The files of secrets and certificates. Connections of the last work may need what has just been renewed. */
@Global()
@Module({ providers: [Secrets] })
export class SecretsModule {}
