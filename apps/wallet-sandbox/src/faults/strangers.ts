import { Injectable } from '@nestjs/common';
import { Database } from '#platform';
import { type Answer, jsonAnswer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { passColumns, type PassRow, toPass } from '../passes/pass-store.js';
import { activeStatus, type Pass, toWalletPass } from '../passes/pass.js';
import { Catalogue } from '../seed/catalogue.js';
import { Spelling } from '../spelling/spelling.js';
import { statement } from '../store/database.js';

/** Far above any number that the sandbox gives out, so that no other pass is ever found under an invented one. */
const inventedIdMin = 9_000_000_000;
const inventedCount = 1_000_000;

const others = `SELECT * FROM wallet_sandbox.pass
  WHERE brand_id = $1 AND program_id = $2
    AND NOT (ARRAY[unique_id, identity, serial_number, person_id, pass_id::text] && $3::text[])`;

/** From a drawn place in the program on; behind the last pass it begins anew. */
const selectStranger = statement(
  'select_stranger',
  `WITH place AS (
     SELECT min(pass_id) + floor($4::float8 * (max(pass_id) - min(pass_id) + 1)) AS pass_id
     FROM wallet_sandbox.pass WHERE brand_id = $1 AND program_id = $2
   ), found AS (
     (SELECT 1 AS turn, other.* FROM (${others} AND pass_id >= (SELECT pass_id FROM place)) other
      ORDER BY pass_id LIMIT 1)
     UNION ALL
     (SELECT 2 AS turn, other.* FROM (${others}) other ORDER BY pass_id LIMIT 1)
   )
   SELECT ${passColumns} FROM found p ORDER BY turn LIMIT 1`,
);

/** Chooses whose pass is shown to a caller who asked about another member. */
@Injectable()
export class Strangers {
  constructor(
    private readonly database: Database,
    private readonly catalogue: Catalogue,
    private readonly spelling: Spelling,
  ) {}

  /**
   * A success that shows a pass of the program which the request does not name, an invented one where there is none.
   * @param place in [0, 1): which of them
   */
  async show(call: Call, place: number): Promise<Answer> {
    const { brandId, programId, operation, origin } = call;
    const { rows } = await this.database.execute<PassRow>(selectStranger, [
      brandId,
      programId,
      call.named?.() ?? [],
      place,
    ]);
    const [row] = rows;
    const pass = row === undefined ? this.invent(call, Math.floor(place * inventedCount)) : toPass(row);
    const shown = this.spelling.writeAnswer(operation, toWalletPass(pass, origin));
    return jsonAnswer(this.spelling.successStatus(operation), shown);
  }

  private invent(call: Call, index: number): Pass {
    const program = this.catalogue.find(call);
    const passId = inventedIdMin + index;
    const uniqueId = `stranger-${index}`;
    const key = program?.uniqueIdentifier.key ?? 'memberId';
    return {
      passId,
      brandId: call.brandId,
      programId: call.programId,
      uniqueId,
      identity: uniqueId,
      personId: `P${passId}`,
      serialNumber: `WS-${passId}`,
      templateId: program?.templates[0]?.id ?? 0,
      templateTierId: null,
      groupId: null,
      currentMessage: null,
      smsSubscription: null,
      ipAddress: null,
      passdata: { points: 0, metaData: { [key]: uniqueId } },
      ...activeStatus,
      createdAt: call.arrivedAt,
      updatedAt: call.arrivedAt,
    };
  }
}
