import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import type { Rail } from './rail.ts'
import { PAYER_BANK_ISPB } from './receipts.ts'
import type { TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfer } from './transfers.ts'

/** A return of a transfer by its recipient. */
export type SimulatedReturn = {
  returnId: string
  accountId: string
  endToEnd: string
  cents: number
  at: string
  nature: ReturnNature
}
/**
 * The rail's nature of a return of a common PIX, as the Central Bank's API lists them (DevolucaoNatureza): ordered by the recipient, or
 * made after a dispute, for fraud or for an operational flaw. RETIRADA is of withdrawals, MED_PIX_AUTOMATICO of recurrences.
 */
export type ReturnNature = 'ORIGINAL' | 'MED_FRAUDE' | 'MED_OPERACIONAL'
export type DisputeReturnNature = Exclude<ReturnNature, 'ORIGINAL'>

/** The recipient returned an amount of a transfer. `returns`: all returns of the transfer, the new one last. */
export type ReturnRailEvent = {
  kind: 'return'
  account: SimulatedAccount
  transfer: SimulatedTransfer
  returns: SimulatedReturn[]
}

/**
 * A return to credit; `returnId` is that of a simulated account's refund; absent: the recipient's bank generates it.
 */
type ReturnInput = { endToEnd: string; cents: number; returnId?: string; nature?: ReturnNature }

export type SimulatedReturns = {
  listReturns(transfer: Pick<SimulatedTransfer, 'endToEnd'>): SimulatedReturn[]
  /**
   * Credits a return to the sender. Null if no settled transfer covers the amount, or if the recipient is a simulated
   * account and there is no `returnId`: such an account returns by a refund.
   */
  creditReturn(input: ReturnInput): SimulatedReturn | null
}

type ReturnDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  onRailEvent: (event: ReturnRailEvent) => void
}

export function simulateReturns({
  store,
  rail,
  accounts,
  schedule,
  ids,
  now,
  onRailEvent,
}: ReturnDependencies): SimulatedReturns {
  const listReturns = ({ endToEnd }: Pick<SimulatedTransfer, 'endToEnd'>) =>
    store.all<SimulatedReturn>('SELECT * FROM transferReturn WHERE endToEnd = ? ORDER BY rowid', endToEnd)

  const isSimulatedReceipt = (endToEnd: string) =>
    store.first('SELECT 1 FROM receipt WHERE endToEnd = ?', endToEnd) !== undefined

  const creditReturn = (input: ReturnInput) =>
    store.inTransaction(() => {
      const { endToEnd, cents, nature = 'ORIGINAL' } = input
      const transfer = store.first<SimulatedTransfer>('SELECT * FROM transfer WHERE endToEnd = ?', endToEnd)
      if (transfer?.status !== 'settled') return null
      if (cents <= 0 || cents > transfer.cents - sumReturns(listReturns(transfer))) return null
      if (input.returnId === undefined && isSimulatedReceipt(endToEnd)) return null
      const { accountId, id } = transfer
      const at = now().toISOString()
      const returnId = input.returnId ?? ids.returnId({ ispb: PAYER_BANK_ISPB, at })
      const credited = { returnId, accountId, endToEnd, cents, at, nature }
      store.insert('transferReturn', credited)
      const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
      rail.credit({ accountId, kind: 'return', id, ...movement })
      const account = accounts.find(accountId)!
      onRailEvent({ kind: 'return', account, transfer, returns: listReturns(transfer) })
      return credited
    })

  schedule.registerHandler('return_transfer', (input: ReturnInput) => {
    creditReturn(input)
    return undefined
  })
  return { listReturns, creditReturn }
}

export function sumReturns(returns: SimulatedReturn[]): number {
  return returns.reduce((sum, { cents }) => sum + cents, 0)
}
