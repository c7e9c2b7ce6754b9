import type { SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import type { Rail } from './rail.ts'
import type { RailEventHandler } from './rail-events.ts'
import { PAYER_BANK_ISPB } from './receipts.ts'
import type { ReturnNature } from './refunds.ts'
import type { TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfer } from './transfers.ts'

/** Money the recipient of a sending gave back. */
export type SimulatedReturn = {
  returnId: string
  accountId: string
  endToEnd: string
  cents: number
  at: string
  nature: ReturnNature
}

/** `returnId` is given where a simulated provider returns it; else the recipient's bank makes it. */
type ReturnInput = { endToEnd: string; cents: number; returnId?: string; nature?: ReturnNature }

export type SimulatedReturns = {
  listReturns(sending: Pick<SimulatedTransfer, 'endToEnd'>): SimulatedReturn[]
  /**
   * Credits what a recipient gives back; null where no settled sending covers it, or where it comes from nowhere: what a
   * simulated account received it returns by a refund of its own.
   */
  creditReturn(giving: ReturnInput): SimulatedReturn | null
}

type ReturnDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  onRailEvent: RailEventHandler
}

export function simulateReturns({
  store,
  rail,
  accounts,
  schedule: agenda,
  ids,
  now,
  onRailEvent: announce,
}: ReturnDependencies): SimulatedReturns {
  const of = ({ endToEnd }: Pick<SimulatedTransfer, 'endToEnd'>) =>
    store.all<SimulatedReturn>('SELECT * FROM returned WHERE endToEnd = ? ORDER BY rowid', endToEnd)

  const isWithin = (endToEnd: string) =>
    store.first('SELECT 1 FROM receipt WHERE endToEnd = ?', endToEnd) !== undefined

  const take = (giving: ReturnInput) =>
    store.inTransaction(() => {
      const { endToEnd, cents, nature = 'ORIGINAL' } = giving
      const sending = store.first<SimulatedTransfer>('SELECT * FROM sending WHERE endToEnd = ?', endToEnd)
      if (sending?.status !== 'settled' || cents <= 0 || cents > sending.cents - sumReturns(of(sending)))
        return null
      if (giving.returnId === undefined && isWithin(endToEnd)) return null
      const { accountId, id } = sending
      const at = now().toISOString()
      const returnId = giving.returnId ?? ids.returnId({ ispb: PAYER_BANK_ISPB, at })
      const returned = { returnId, accountId, endToEnd, cents, at, nature }
      store.insert('returned', returned)
      const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
      rail.credit({ accountId, kind: 'return', id, ...movement })
      announce({
        kind: 'transfer',
        account: accounts.find(accountId)!,
        transfer: sending,
        returns: of(sending),
      })
      return returned
    })

  agenda.registerHandler('return_sending', (giving: ReturnInput) => {
    take(giving)
    return undefined
  })
  return { listReturns: of, creditReturn: take }
}

export function sumReturns(returned: SimulatedReturn[]): number {
  return returned.reduce((cents, one) => cents + one.cents, 0)
}
