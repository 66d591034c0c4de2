import type { NoticesEnvironment } from '#contracts';

/** To whom notices go, as it is in force now. */
export abstract class NoticeSettings {
  /** Null: nobody is told. */
  abstract current(): NoticesEnvironment | null;
}

export type Channel = 'webhook' | 'mail';

/** The channels that are set up. */
export function channelsOf(settings: NoticesEnvironment | null): readonly Channel[] {
  const channels: readonly Channel[] = ['webhook', 'mail'];
  return channels.filter((channel) => settings !== null && settings[channel] !== null);
}
