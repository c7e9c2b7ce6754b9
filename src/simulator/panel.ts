import type { SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import { DEFAULT_RECIPIENT_DOCUMENT, DEFAULT_RECIPIENT_NAME } from './magic-recipients.ts'
import { PANEL_MOVEMENTS, type PanelMovement, type Rail } from './rail.ts'
import type { Receipts } from './receipts.ts'
import type { SimulatedRefunds } from './refunds.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

/** Movements that the provider or the account's holder makes without the API: no PIX, or a PIX of the panel. */
export const PANEL_KINDS = [...PANEL_MOVEMENTS, 'return', 'send'] as const
type PanelKind = (typeof PANEL_KINDS)[number]

type PanelOrder = {
  accountId: string
  kind: PanelKind
  cents: number
  /** Of a return: the received PIX. Of a tariff or block: the PIX that it is about, where there is one. */
  endToEnd?: string
}
export type PanelOutcome =
  | { kind: 'moved'; id: string; endToEnd: string | null }
  | { kind: 'no_balance' }
  | { kind: 'no_such_receipt' }
  | { kind: 'over_the_receipt' }
  | { kind: 'too_late' }

/** What moves an account's money without its API. Each call moves money once and sends no notification. */
export type Panel = { move(order: PanelOrder): PanelOutcome }

type PanelDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  transfers: SimulatedTransfers
  ids: IdGenerator
  now: () => Date
}

export function simulatePanel(parts: PanelDependencies): Panel {
  return {
    move: order =>
      parts.store.inTransaction(() => {
        const { kind } = order
        if (kind === 'return') return returnInPanel(parts, order)
        if (kind === 'send') return sendInPanel(parts, order)
        return moveEntry(parts, { ...order, kind })
      }),
  }
}

function moveEntry(
  { rail, ids, now }: PanelDependencies,
  order: PanelOrder & { kind: PanelMovement },
): PanelOutcome {
  const { accountId, kind, cents, endToEnd: originalEndToEnd = null } = order
  const id = ids.panelId()
  const at = now().toISOString()
  const isCovered = rail.moveEntry({ accountId, kind, id, endToEnd: null, originalEndToEnd, cents, at })
  return isCovered ? { kind: 'moved', id, endToEnd: null } : { kind: 'no_balance' }
}

/** The provider makes the id of a return that no API call orders. */
function returnInPanel(
  { refunds, accounts, ids }: PanelDependencies,
  { accountId, cents, endToEnd }: PanelOrder,
): PanelOutcome {
  if (endToEnd === undefined) return { kind: 'no_such_receipt' }
  if (accounts.find(accountId)!.balanceCents < cents) return { kind: 'no_balance' }
  const id = ids.panelId()
  const accepted = refunds.accept({ accountId, endToEnd, id, cents, outcome: SILENT_OUTCOME })
  switch (accepted.kind) {
    case 'accepted':
      return { kind: 'moved', id, endToEnd: accepted.refund.returnId }
    case 'id_taken':
      throw new Error('the provider made an id twice')
    default:
      return accepted
  }
}

function sendInPanel(
  { transfers: sendings, accounts, ids }: PanelDependencies,
  { accountId, cents }: PanelOrder,
): PanelOutcome {
  const id = ids.panelId()
  const accepted = sendings.accept({
    ...{ account: accounts.find(accountId)!, id, cents, message: null, returnedCents: [] },
    payerKey: accounts.listKeys(accountId)[0] ?? '',
    recipient: { key: null, name: DEFAULT_RECIPIENT_NAME, document: DEFAULT_RECIPIENT_DOCUMENT, bank: {} },
    outcome: SILENT_OUTCOME,
    isFromPanel: true,
  })
  return accepted.kind === 'accepted'
    ? { kind: 'moved', id, endToEnd: accepted.sending.endToEnd }
    : { kind: 'no_balance' }
}

/** Settles at once, without a notification: nothing was ordered through the API. */
const SILENT_OUTCOME = { kind: 'silent', forMs: 0 } as const
