import type { Account, Accounts } from './accounts.ts'
import type { Agenda } from './agenda.ts'
import type { Announce, Fate } from './events.ts'
import type { Ids } from './ids.ts'
import { type Pace, WAITS } from './pace.ts'
import type { Rail } from './rail.ts'
import type { Receipts } from './receipts.ts'
import type { Store } from './store.ts'

/** A PIX an account sends. In process its money is held. */
export type Sending = {
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
export type Recipient = { key: string | null; name: string; document: string; bank?: Record<string, string> }

type SendingRequest = {
  account: Account
  id: string
  cents: number
  payerKey: string
  message: string | null
  recipient: Recipient
  fate: Fate
  comesBack: number[]
  isFromPanel?: boolean
}
export type SendingAcceptance =
  | { kind: 'accepted'; sending: Sending }
  | { kind: 'id_taken' }
  | { kind: 'no_balance' }

export type Sendings = {
  accept(request: SendingRequest): SendingAcceptance
  /** Records a sending whose id is free and that the rail refuses at once: no money is held, and no notification sent. */
  refuse(request: SendingRequest): Sending
  find(accountId: string, id: string): Sending | undefined
  ofEndToEnd(endToEnd: string): Sending | undefined
  /** Those asked for in [from, to], both ISO 8601 UTC, oldest first. */
  between(accountId: string, range: { from: string; to: string }): Sending[]
}

type Parts = {
  store: Store
  rail: Rail
  accounts: Accounts
  receipts: Receipts
  agenda: Agenda
  ids: Ids
  now: () => Date
  pace: Pace
  announce: Announce
}

export function sendingsOf(parts: Parts): Sendings {
  const { store, rail, agenda, ids, now, pace } = parts
  const find = (accountId: string, id: string) =>
    store.one<Sending>('SELECT * FROM sending WHERE accountId = ? AND id = ?', accountId, id)
  const ofEndToEnd = (endToEnd: string) =>
    store.one<Sending>('SELECT * FROM sending WHERE endToEnd = ?', endToEnd)

  agenda.does('settle_sending', ({ accountId, id }: Sending) => void finish(parts, find(accountId, id)!))

  return {
    find,
    ofEndToEnd,
    between: (accountId, { from, to }) =>
      store.all<Sending>(
        'SELECT * FROM sending WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
        accountId,
        from,
        to,
      ),
    refuse(request) {
      const at = now().toISOString()
      const endToEnd = ids.endToEnd({ ispb: request.account.ispb, at })
      const sending: Sending = { ...begun(request, { at, endToEnd }), status: 'rejected' }
      store.insert('sending', sending)
      return sending
    },
    accept: request =>
      store.atomically(() => {
        const { account, id, cents, fate } = request
        if (find(account.id, id)) return { kind: 'id_taken' }
        if (!rail.hold(account.id, cents)) return { kind: 'no_balance' }
        const at = now().toISOString()
        const sending = begun(request, { at, endToEnd: ids.endToEnd({ ispb: account.ispb, at }) })
        store.insert('sending', sending)
        const afterMs = fate.kind === 'silent' ? fate.forMs : pace(WAITS.settle)
        agenda.add({ task: 'settle_sending', subject: { accountId: account.id, id }, afterMs })
        return { kind: 'accepted', sending }
      }),
  }
}

function begun(request: SendingRequest, made: { at: string; endToEnd: string }): Sending {
  const { account, id, cents, payerKey, message, recipient, fate, comesBack } = request
  return {
    accountId: account.id,
    id,
    endToEnd: made.endToEnd,
    cents,
    status: 'in_process',
    silent: fate.kind === 'silent' ? 1 : 0,
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

function finish(parts: Parts, sending: Sending): void {
  const { store, rail, accounts, now, announce } = parts
  const { accountId, id, endToEnd, cents, fate } = sending
  const at = now().toISOString()
  if (fate === 'settled') {
    rail.debitHeld({ accountId, kind: 'transfer', id, endToEnd, originalEndToEnd: null, cents, at })
    deliver(parts, sending)
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
  announce({ kind: 'transfer', account, sending: { ...sending, status: fate, settledAt }, returned: [] })
}

/** A key of a simulated account receives; any other recipient may give some of it back. */
function deliver({ accounts, receipts, agenda, pace }: Parts, sending: Sending): void {
  const { endToEnd, cents, message } = sending
  const { key } = JSON.parse(sending.recipient) as Recipient
  const recipient = key === null ? undefined : accounts.ofKey(key)
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
    agenda.add({ task: 'return_sending', subject, afterMs: pace(WAITS.recipientReturn) })
  }
}
