import { randomUUID } from 'node:crypto'
import { setAside } from '../../../src/activities/unmatched.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../../../src/db/orm.ts'
import type { IncomingPix, IssuedCharge, Sending } from '../../../src/domain/provider.ts'
import { openBooks } from './books.ts'

type Books = Awaited<ReturnType<typeof openBooks>>
type Merchant = Awaited<ReturnType<Books['merchant']>>

/**
 * Books in which money stands: a paid charge and its PIX, a paid transfer and one on its way, a PIX that is nobody’s. By
 * `:charge`, `:pix`, `:paid`, `:settling`, `:unmatched` and `:other`, an account, statements name them.
 */
export async function openStanding() {
  const books = await openBooks()
  const charge = await paidCharge(books, await books.merchant(0))
  const [row] = await books.sql<{ pix: string }>('select movement_uuid as pix from charge where uuid = ?', [
    charge,
  ])
  const merchant = await books.merchant(5_000)
  const names: Record<string, string> = {
    ...{ charge, pix: row!.pix, other: merchant.accountUuid },
    paid: await sent(books, merchant, 'settled'),
    settling: await sent(books, merchant, 'in_process'),
    unmatched: await unmatched(books, merchant),
  }
  return {
    ...books,
    /** Does it, looks, and undoes it. */
    async after<T>(statements: string, look: (em: EntityManager) => Promise<T>): Promise<T> {
      const sql = statements.replace(
        /:(charge|pix|paid|settling|unmatched|other)\b/g,
        (_, name) => `'${names[name]}'`,
      )
      let seen: T
      const undone = inTransaction(books.orm, async em => {
        await em.execute(sql)
        await em.execute('set constraints all immediate')
        seen = await look(em)
        throw UNDONE
      })
      await undone.catch(error => {
        if (error !== UNDONE) throw error
      })
      return seen!
    },
  }
}
const UNDONE = new Error('undone')

/** A charge of R$ 10.00 that its payer has paid. */
export async function paidCharge(books: Books, { accountUuid, connectionUuid }: Merchant): Promise<string> {
  const uuid = randomUUID()
  const issued = {
    ...{ txid: uuid.replaceAll('-', ''), payload: 'payload', pixKey: 'key' },
    ...{ receiver: null, expiresAt: new Date(Date.now() + 60_000).toISOString() },
  } as unknown as IssuedCharge
  books.provider({
    issueCharge: async () => ({ kind: 'accepted', charge: issued }),
    findCharge: async () => ({
      ...{ kind: 'found', status: 'completed', charge: issued },
      payments: [{ ...received(), txid: issued.txid }],
    }),
  })
  await books.providers.issueCharge({
    ...{ uuid, accountUuid, candidates: [connectionUuid], valueCents: 1_000, expiresInSeconds: 60 },
    ...{ details: books.seal.seal({ splits: [], fingerprint: 'f' }), requestId: 'r', timeScale: 1 },
  })
  await books.providers.followCharge({ chargeUuid: uuid, closing: false })
  return uuid
}

async function sent(books: Books, merchant: Merchant, status: 'settled' | 'in_process'): Promise<string> {
  const { connectionUuid } = merchant
  const order = books.transferOrder(merchant)
  const sending = { status, endToEnd: endToEnd(), at: new Date().toISOString() } as Sending
  books.provider({ sendTransfer: async () => ({ kind: 'accepted', sending }) })
  await books.records.storeTransfer(order)
  await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false })
  return order.uuid
}

/** A PIX of R$ 10.00 that is to go back to its payer. */
export async function unmatched(books: Books, { connectionUuid }: Merchant): Promise<string> {
  const { uuid } = await inTransaction(books.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return setAside(em, { connection, payment: received(), reason: 'second_payment', requestId: 'r' })
  })
  return uuid
}

function received(): IncomingPix {
  const at = new Date().toISOString()
  return { endToEnd: endToEnd(), txid: '', cents: 1_000, status: 'settled', at } as IncomingPix
}

export function endToEnd(): string {
  return `E${randomUUID().replaceAll('-', '').slice(1)}`
}
