import { randomUUID } from 'node:crypto'

/** Books of one account at a bank of the tests: what has really happened, whatever the bank answered about it. */
export type Books = ReturnType<typeof openBooks>

export type BankCharge = {
  reference: string
  cents: number
  state: 'open' | 'paid' | 'removed'
  createdAt: string
  expiresInS: number
  number: number
}
/** A PIX to the account. */
export type ReceivedPix = { endToEnd: string; reference: string | null; cents: number; at: string }
export type BankPayout = {
  id: string
  endToEnd: string
  cents: number
  state: 'processing' | 'settled' | 'failed'
  orderedAt: string
  settledAt: string | null
}
/** A PIX from the account, ordered by the customer's id. */
export type SentPix = BankPayout & { pixKey: string }
/** The return of a received PIX; `endToEnd` is the rail's id of the return. */
export type BankRefund = BankPayout & { returnOf: string }
export type BankDispute = {
  id: string
  endToEnd: string
  cents: number
  state: 'open' | 'defended' | 'rejected'
  openedAt: string
}
export type BookedEvent =
  | { kind: 'received'; pix: ReceivedPix }
  | { kind: 'sent'; payout: SentPix }
  | { kind: 'refunded'; payout: BankRefund }

const BANK_ISPB = '09089356'
/** A PIX to such a key is refused by the receiver's bank. */
const REFUSED_KEY_PREFIX = 'recusada-'
/** How long the rail needs for a payout. */
const SETTLEMENT_MS = 250

export function openBooks({ openingCents, key }: { openingCents: number; key: string }) {
  const charges = new Map<string, BankCharge>()
  const received = new Map<string, ReceivedPix>()
  const sent = new Map<string, SentPix>()
  const refunds = new Map<string, BankRefund>()
  const disputes = new Map<string, BankDispute>()
  const keys = new Set([key])
  const listeners: ((event: BookedEvent) => void)[] = []
  const now = () => new Date().toISOString()
  const book = (event: BookedEvent) => {
    for (const listener of listeners) listener(event)
  }

  function receive(cents: number, reference: string | null): ReceivedPix {
    const pix = { endToEnd: createRailId('E'), reference, cents, at: now() }
    received.set(pix.endToEnd, pix)
    book({ kind: 'received', pix })
    return pix
  }

  function settleLater<Payout extends BankPayout>(payout: Payout, finish: (payout: Payout) => void) {
    setTimeout(() => {
      payout.state = 'pixKey' in payout && isRefusedKey(String(payout.pixKey)) ? 'failed' : 'settled'
      payout.settledAt = now()
      finish(payout)
    }, SETTLEMENT_MS)
    return payout
  }

  return {
    key,
    charges,
    received,
    sent,
    refunds,
    disputes,
    keys,
    onEvent: (listener: (event: BookedEvent) => void) => void listeners.push(listener),

    openCharge(order: Pick<BankCharge, 'reference' | 'cents' | 'expiresInS'>): BankCharge {
      const charge = { ...order, state: 'open' as const, createdAt: now(), number: charges.size + 1 }
      charges.set(order.reference, charge)
      return charge
    },
    /** A payer pays the charge if the bank still has it open. */
    pay(reference: string): ReceivedPix | null {
      const charge = charges.get(reference)
      if (charge?.state !== 'open') return null
      charge.state = 'paid'
      return receive(charge.cents, reference)
    },
    /** Somebody pays the account's key without a charge. */
    deposit: (cents: number) => receive(cents, null),

    send(order: Pick<SentPix, 'id' | 'cents' | 'pixKey'>): SentPix {
      const payout = { ...order, ...createPayout('E') }
      sent.set(order.id, payout)
      return settleLater(payout, settled => book({ kind: 'sent', payout: settled }))
    },
    refund(order: Pick<BankRefund, 'id' | 'cents' | 'returnOf'>): BankRefund {
      const payout = { ...order, ...createPayout('D') }
      refunds.set(order.id, payout)
      return settleLater(payout, settled => book({ kind: 'refunded', payout: settled }))
    },
    /** What of a received PIX has not been returned yet. */
    countReturnableCents(endToEnd: string): number {
      const returned = [...refunds.values()].filter(({ returnOf }) => returnOf === endToEnd)
      return (received.get(endToEnd)?.cents ?? 0) - sumCents(returned)
    },
    openDispute({ endToEnd, cents }: ReceivedPix): BankDispute {
      const dispute = { id: randomUUID(), endToEnd, cents, state: 'open' as const, openedAt: now() }
      disputes.set(dispute.id, dispute)
      return dispute
    },
    /** What the account holds; a payout leaves it when it is ordered, and comes back when it fails. */
    get balanceCents(): number {
      const isOut = ({ state }: BankPayout) => state !== 'failed'
      return (
        openingCents +
        sumCents([...received.values()]) -
        sumCents([...sent.values()].filter(isOut)) -
        sumCents([...refunds.values()].filter(isOut))
      )
    },
  }
}

const isRefusedKey = (pixKey: string) => pixKey.startsWith(REFUSED_KEY_PREFIX)

export function sumCents(rows: { cents: number }[]): number {
  return rows.reduce((sum, { cents }) => sum + cents, 0)
}

function createPayout(kind: 'E' | 'D') {
  const endToEnd = createRailId(kind)
  return { endToEnd, state: 'processing' as const, orderedAt: new Date().toISOString(), settledAt: null }
}

/** An id as the rail builds them: kind, ISPB, minute, eleven characters. */
function createRailId(kind: 'E' | 'D'): string {
  const minute = new Date().toISOString().replace(/\D/g, '').slice(0, 12)
  return `${kind}${BANK_ISPB}${minute}${randomUUID().replaceAll('-', '').slice(0, 11)}`
}
