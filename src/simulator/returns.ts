import type { Accounts } from './accounts.ts'
import type { Agenda } from './agenda.ts'
import type { Announce } from './events.ts'
import type { Ids } from './ids.ts'
import type { Rail } from './rail.ts'
import { PAYER_BANK_ISPB } from './receipts.ts'
import type { Nature } from './refunds.ts'
import type { Sending } from './sendings.ts'
import type { Store } from './store.ts'

/** Money the recipient of a sending gave back. */
export type Returned = {
  returnId: string
  accountId: string
  endToEnd: string
  cents: number
  at: string
  nature: Nature
}

/** `returnId` is given where a simulated provider returns it; else the recipient's bank makes it. */
type Giving = { endToEnd: string; cents: number; returnId?: string; nature?: Nature }

export type Returns = {
  of(sending: Pick<Sending, 'endToEnd'>): Returned[]
  /**
   * Credits what a recipient gives back; null where no settled sending covers it, or where it comes from nowhere: what a
   * simulated account received it returns by a refund of its own.
   */
  take(giving: Giving): Returned | null
}

type Parts = {
  store: Store
  rail: Rail
  accounts: Accounts
  agenda: Agenda
  ids: Ids
  now: () => Date
  announce: Announce
}

export function returnsOf({ store, rail, accounts, agenda, ids, now, announce }: Parts): Returns {
  const of = ({ endToEnd }: Pick<Sending, 'endToEnd'>) =>
    store.all<Returned>('SELECT * FROM returned WHERE endToEnd = ? ORDER BY rowid', endToEnd)

  const isWithin = (endToEnd: string) =>
    store.one('SELECT 1 FROM receipt WHERE endToEnd = ?', endToEnd) !== undefined

  const take = (giving: Giving) =>
    store.atomically(() => {
      const { endToEnd, cents, nature = 'ORIGINAL' } = giving
      const sending = store.one<Sending>('SELECT * FROM sending WHERE endToEnd = ?', endToEnd)
      if (sending?.status !== 'settled' || cents <= 0 || cents > sending.cents - sumOf(of(sending)))
        return null
      if (giving.returnId === undefined && isWithin(endToEnd)) return null
      const { accountId, id } = sending
      const at = now().toISOString()
      const returnId = giving.returnId ?? ids.returnId({ ispb: PAYER_BANK_ISPB, at })
      const returned = { returnId, accountId, endToEnd, cents, at, nature }
      store.insert('returned', returned)
      const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
      rail.credit({ accountId, kind: 'return', id, ...movement })
      announce({ kind: 'transfer', account: accounts.find(accountId)!, sending, returned: of(sending) })
      return returned
    })

  agenda.does('return_sending', (giving: Giving) => {
    take(giving)
    return undefined
  })
  return { of, take }
}

export function sumOf(returned: Returned[]): number {
  return returned.reduce((cents, one) => cents + one.cents, 0)
}
