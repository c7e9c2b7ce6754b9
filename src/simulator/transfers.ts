import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { Rail } from './rail.ts'
import { isSilentOutcome, type RailEventHandler, type ScriptedOutcome } from './rail-events.ts'
import type { Receipts } from './receipts.ts'
import type { TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'

/** A PIX an account sends. In process its money is held. */
export type SimulatedTransfer = {
  accountId: string
  /** The caller's. */
  id: string
  endToEnd: string
  cents: number
  status: 'in_process' | 'settled' | 'rejected'
  /** Settles without a notice. */
  silent: 0 | 1
  /** What it will come to. */
  fate: 'settled' | 'rejected'
  /** The rail's code of a rejection. */
  code: string | null
  payerKey: string
  message: string | null
  /** `Recipient` as JSON. */
  recipient: string
  /** Centavos the recipient gives back once it settled, a JSON list. */
  comesBack: string
  requestedAt: string
  settledAt: string | null
  /** Sent in the provider's panel, and not through its API. */
  isFromPanel: 0 | 1
}

/** Whom a sending is for: a key, or an account as the dialect was told it. */
export type SimulatedRecipient = {
  key: string | null
  name: string
  document: string
  bank?: Record<string, string>
}

type SimulatedTransferRequest = {
  account: SimulatedAccount
  id: string
  cents: number
  payerKey: string
  message: string | null
  recipient: SimulatedRecipient
  outcome: ScriptedOutcome
  returnedCents: number[]
  isFromPanel?: boolean
}
export type TransferAcceptance =
  | { kind: 'accepted'; sending: SimulatedTransfer }
  | { kind: 'id_taken' }
  | { kind: 'no_balance' }

export type SimulatedTransfers = {
  accept(request: SimulatedTransferRequest): TransferAcceptance
  /** Records a sending whose id is free and that the rail refuses at once: no money is held, and no notification sent. */
  recordRejected(request: SimulatedTransferRequest): SimulatedTransfer
  find(accountId: string, id: string): SimulatedTransfer | undefined
  findByEndToEnd(endToEnd: string): SimulatedTransfer | undefined
  /** Those asked for in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedTransfer[]
}

type TransferDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: RailEventHandler
}

export function simulateTransfers(parts: TransferDependencies): SimulatedTransfers {
  const { store, rail, schedule: agenda, ids, now, scaleWaitMs: pace, onRailEvent: announce } = parts
  const find = (accountId: string, id: string) =>
    store.first<SimulatedTransfer>('SELECT * FROM sending WHERE accountId = ? AND id = ?', accountId, id)
  const ofEndToEnd = (endToEnd: string) =>
    store.first<SimulatedTransfer>('SELECT * FROM sending WHERE endToEnd = ?', endToEnd)

  agenda.registerHandler(
    'settle_sending',
    ({ accountId, id }: SimulatedTransfer) => void finishTransfer(parts, find(accountId, id)!),
  )

  return {
    find,
    findByEndToEnd: ofEndToEnd,
    listBetween: (accountId, { from, to }) =>
      store.all<SimulatedTransfer>(
        'SELECT * FROM sending WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
        accountId,
        from,
        to,
      ),
    recordRejected(request) {
      const at = now().toISOString()
      const endToEnd = ids.endToEnd({ ispb: request.account.ispb, at })
      const sending: SimulatedTransfer = { ...buildTransfer(request, { at, endToEnd }), status: 'rejected' }
      store.insert('sending', sending)
      return sending
    },
    accept: request =>
      store.inTransaction(() => {
        const { account, id, cents, outcome: fate } = request
        if (find(account.id, id)) return { kind: 'id_taken' }
        if (!rail.hold(account.id, cents)) return { kind: 'no_balance' }
        const at = now().toISOString()
        const sending = buildTransfer(request, { at, endToEnd: ids.endToEnd({ ispb: account.ispb, at }) })
        store.insert('sending', sending)
        const afterMs = isSilentOutcome(fate) ? fate.forMs : pace(SIMULATOR_WAITS_MS.settle)
        agenda.add({ task: 'settle_sending', subject: { accountId: account.id, id }, afterMs })
        if (fate.kind === 'told_removed') announce({ kind: 'order_removed', account, id })
        return { kind: 'accepted', sending: sending }
      }),
  }
}

function buildTransfer(
  request: SimulatedTransferRequest,
  made: { at: string; endToEnd: string },
): SimulatedTransfer {
  const {
    account,
    id,
    cents,
    payerKey,
    message,
    recipient,
    outcome: fate,
    returnedCents: comesBack,
  } = request
  return {
    accountId: account.id,
    id,
    endToEnd: made.endToEnd,
    cents,
    status: 'in_process',
    silent: isSilentOutcome(fate) ? 1 : 0,
    fate: fate.kind === 'rejected' ? 'rejected' : 'settled',
    code: fate.kind === 'rejected' ? fate.code : null,
    payerKey,
    message,
    recipient: JSON.stringify(recipient),
    comesBack: JSON.stringify(comesBack),
    requestedAt: made.at,
    settledAt: null,
    isFromPanel: request.isFromPanel ? 1 : 0,
  }
}

function finishTransfer(parts: TransferDependencies, sending: SimulatedTransfer): void {
  const { store, rail, accounts, now, onRailEvent: announce } = parts
  const { accountId, id, endToEnd, cents, fate } = sending
  const at = now().toISOString()
  if (fate === 'settled') {
    rail.debitHeld({ accountId, kind: 'transfer', id, endToEnd, originalEndToEnd: null, cents, at })
    creditRecipient(parts, sending)
  } else {
    rail.release(accountId, cents)
  }
  const settledAt = fate === 'settled' ? at : null
  store.run(
    'UPDATE sending SET status = ?, settledAt = ? WHERE accountId = ? AND id = ?',
    fate,
    settledAt,
    accountId,
    id,
  )
  if (sending.silent) return
  const account = accounts.find(accountId)!
  announce({ kind: 'transfer', account, transfer: { ...sending, status: fate, settledAt }, returns: [] })
}

/** A key of a simulated account receives; any other recipient may give some of it back. */
function creditRecipient(
  { accounts, receipts, schedule: agenda, scaleWaitMs: pace }: TransferDependencies,
  sending: SimulatedTransfer,
): void {
  const { endToEnd, cents, message } = sending
  const { key } = JSON.parse(sending.recipient) as SimulatedRecipient
  const recipient = key === null ? undefined : accounts.findByKey(key)
  if (key !== null && recipient) {
    const { holderName: name, holderDocument: document, ispb } = accounts.find(sending.accountId)!
    receipts.receive({
      accountId: recipient.id,
      key,
      cents,
      payer: { name, document, ispb },
      message,
      endToEnd,
    })
  }
  for (const back of JSON.parse(sending.comesBack) as number[]) {
    const subject = { endToEnd, cents: back }
    agenda.add({ task: 'return_sending', subject, afterMs: pace(SIMULATOR_WAITS_MS.recipientReturn) })
  }
}
