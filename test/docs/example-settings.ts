import { Module } from '@nestjs/common';

/** Stands for what an application knows of its own: the example of docs/partner-client.md takes it from there. */
export class Settings {
  readonly partnerUrl: string = 'http://127.0.0.1:4010';
  readonly clientId: string = 'sandbox';
  readonly clientSecret: string = 'sandbox';
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}
