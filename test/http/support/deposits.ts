import { randomUUID } from 'node:crypto'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { MovementReason } from '../../../src/domain/ledger/movement.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import type { ApiFixture } from './api-fixture.ts'

/** Records a PIX of R$ 10.00 that pays no charge, to a key, and returns its uuid. */
export async function receiveDeposit(
  { orm }: Pick<ApiFixture, 'orm'>,
  connectionUuid: string,
  {
    reason = 'deposit',
    at = new Date(),
    pixKey = 'key',
  }: { reason?: MovementReason; at?: Date; pixKey?: string } = {},
): Promise<string> {
  const payment = {
    endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
    txid: '',
    cents: 1_000,
    status: 'settled',
    at: at.toISOString(),
    payer: null,
    pixKey,
  } as unknown as IncomingPix
  const { uuid } = await runInTransaction(orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason, requestId: 'r' })
  })
  return uuid
}
