import type { SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import { DEFAULT_RECIPIENT_DOCUMENT, DEFAULT_RECIPIENT_NAME } from './magic-recipients.ts'
import { PANEL_MOVEMENTS, type PanelMovement, type Rail } from './rail.ts'
import type { Receipts } from './receipts.ts'
import type { SimulatedRefunds } from './refunds.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

/** Kinds of movements that the provider or the account's holder makes without the API, PIX of the panel included. */
export const PANEL_KINDS = [...PANEL_MOVEMENTS, 'return', 'send'] as const
type PanelKind = (typeof PANEL_KINDS)[number]

type PanelOrder = {
  accountId: string
  kind: PanelKind
  cents: number
  /** Of a return: the received PIX. Of a tariff or block: the PIX that it is about, if any. */
  endToEnd?: string
}
export type PanelOutcome =
  | { kind: 'moved'; id: string; endToEnd: string | null }
  | { kind: 'no_balance' }
  | { kind: 'no_such_receipt' }
  | { kind: 'over_the_receipt' }
  | { kind: 'too_late' }

/** Moves an account's money without its API. Each call moves it once and sends no notification. */
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

export function simulatePanel(dependencies: PanelDependencies): Panel {
  return {
    move: order =>
      dependencies.store.inTransaction(() => {
        const { kind } = order
        if (kind === 'return') return returnInPanel(dependencies, order)
        if (kind === 'send') return sendInPanel(dependencies, order)
        return moveEntry(dependencies, { ...order, kind })
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

/** Returns a received PIX; the provider generates the id, because no API call orders it. */
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
    case 'id_in_use':
      throw new Error('the generated id of a return exists already')
    default:
      return accepted
  }
}

function sendInPanel(
  { transfers, accounts, ids }: PanelDependencies,
  { accountId, cents }: PanelOrder,
): PanelOutcome {
  const id = ids.panelId()
  const accepted = transfers.accept({
    account: accounts.find(accountId)!,
    id,
    cents,
    message: null,
    returnedCents: [],
    payerKey: accounts.listKeys(accountId)[0] ?? '',
    recipient: { key: null, name: DEFAULT_RECIPIENT_NAME, document: DEFAULT_RECIPIENT_DOCUMENT, bank: {} },
    outcome: SILENT_OUTCOME,
    isFromPanel: true,
  })
  return accepted.kind === 'accepted'
    ? { kind: 'moved', id, endToEnd: accepted.transfer.endToEnd }
    : { kind: 'no_balance' }
}

/** Settles at once without a notification, because no API call ordered it. */
const SILENT_OUTCOME = { kind: 'silent', forMs: 0 } as const
