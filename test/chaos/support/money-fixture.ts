import { randomUUID } from 'node:crypto'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { ChargeSplit } from '../../../src/domain/charges/split.ts'
import type { MovementReason } from '../../../src/domain/ledger/movement.ts'
import type { IncomingPix, IssuedCharge, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from './activity-fixture.ts'

type ActivityFixture = Awaited<ReturnType<typeof openActivityFixture>>
export type FixtureMerchant = Awaited<ReturnType<ActivityFixture['createMerchant']>>

/**
 * Rows with money: a paid charge and its PIX, a paid transfer and one in progress, an unmatched PIX. Statements name
 * them by `:charge`, `:pix`, `:paid`, `:settling`, `:unmatched` and `:other`, an account.
 */
export async function openMoneyFixture() {
  const books = await openActivityFixture()
  const charge = await createPaidCharge(books, await books.createMerchant(0))
  const [row] = await books.sql<{ pix: string }>('select movement_uuid as pix from charge where uuid = ?', [
    charge,
  ])
  const merchant = await books.createMerchant(5_000)
  const names: Record<string, string> = {
    charge,
    pix: row!.pix,
    other: merchant.accountUuid,
    paid: await createTransfer(books, merchant, 'settled'),
    settling: await createTransfer(books, merchant, 'in_process'),
    unmatched: await createUnmatchedPayment(books, merchant),
  }
  return {
    ...books,
    /** Runs statements, checks, and rolls back. */
    async inUndoneTransaction<T>(statements: string, look: (em: EntityManager) => Promise<T>): Promise<T> {
      const sql = statements.replace(
        /:(charge|pix|paid|settling|unmatched|other)\b/g,
        (_, name) => `'${names[name]}'`,
      )
      let seen: T
      const undone = runInTransaction(books.orm, async em => {
        await em.execute(sql)
        await em.execute('set constraints all immediate')
        seen = await look(em)
        throw ROLLBACK_ERROR
      })
      await undone.catch(error => {
        if (error !== ROLLBACK_ERROR) throw error
      })
      return seen!
    },
  }
}
const ROLLBACK_ERROR = new Error('undone')

/** A charge, of R$ 10.00 by default, that its payer has paid. */
export async function createPaidCharge(
  books: ActivityFixture,
  { accountUuid, connectionUuid }: FixtureMerchant,
  splits: ChargeSplit[] = [],
  valueCents = 1_000,
): Promise<string> {
  const uuid = randomUUID()
  const issued = buildIssuedCharge(uuid)
  books.scriptProvider({
    issueCharge: async () => ({ kind: 'accepted', charge: issued }),
    findCharge: async () => ({
      kind: 'found',
      status: 'completed',
      charge: issued,
      payments: [{ ...incomingPix(), txid: issued.txid, cents: valueCents }],
    }),
  })
  await books.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents,
    expiresInSeconds: 60,
    details: books.seal.seal({ splits, fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  await books.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
  return uuid
}

/** The answer of a provider to the issuing of a charge, whose payload expires in a minute. */
export function buildIssuedCharge(uuid: string): IssuedCharge {
  return {
    txid: uuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: null,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  } as unknown as IssuedCharge
}

async function createTransfer(
  books: ActivityFixture,
  merchant: FixtureMerchant,
  status: 'settled' | 'in_process',
): Promise<string> {
  const { connectionUuid } = merchant
  const order = books.transferInput(merchant)
  const sending: ProviderPayout = {
    status,
    cents: order.valueCents,
    endToEnd: newEndToEndId(),
    at: new Date().toISOString(),
  }
  books.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: sending }) })
  await books.records.storeTransfer(order)
  await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  return order.uuid
}

/** A PIX of R$ 10.00 that no charge explains; by default it is to be returned to its payer. */
export async function createUnmatchedPayment(
  books: ActivityFixture,
  { connectionUuid }: FixtureMerchant,
  reason: MovementReason = 'second_payment',
): Promise<string> {
  const { uuid } = await runInTransaction(books.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, {
      connection,
      payment: incomingPix(),
      reason,
      requestId: 'r',
    })
  })
  return uuid
}

function incomingPix(): IncomingPix {
  const at = new Date().toISOString()
  return { endToEnd: newEndToEndId(), txid: '', cents: 1_000, status: 'settled', at } as IncomingPix
}

export function newEndToEndId(): string {
  return `E${randomUUID().replaceAll('-', '').slice(1)}`
}
