import type { ChargeWithRefunds } from '../../../db/repositories/charges.ts'
import { refundMachine } from '../../../domain/refunds/refund.ts'

/** One line of what a charge leaves to its account: the key of a phrase, and centavos that are added or subtracted. */
type NetLine = { name: string; cents: number }

/**
 * Lists what came in by a charge and what went out of it again, down to what is left to its account; null until it is paid. Refunds count
 * once they are settled.
 */
export function listNetLines({
  receivedCents,
  feeCents,
  refundedCents,
  splits,
  refunds,
}: ChargeWithRefunds): { lines: NetLine[]; netCents: number } | null {
  if (receivedCents === 0) return null
  const settled = refunds.filter(({ state }) => refundMachine.statusOf(state) === 'COMPLETED')
  const charged = { name: 'net.charged', cents: receivedCents }
  const changes = [
    { name: 'net.fee', cents: -feeCents },
    { name: 'net.splits', cents: -sum(Array.from(splits, split => split.creditedCents)) },
    { name: 'net.refunded', cents: -refundedCents },
    { name: 'net.refundedBySplits', cents: sum(settled.map(refund => refund.splitCents)) },
    { name: 'net.refundFees', cents: -sum(settled.map(refund => refund.feeCents)) },
  ].filter(({ cents }) => cents !== 0)
  const lines = [charged, ...changes]
  return { lines, netCents: sum(lines.map(({ cents }) => cents)) }
}

const sum = (amounts: number[]) => amounts.reduce((total, cents) => total + cents, 0)
