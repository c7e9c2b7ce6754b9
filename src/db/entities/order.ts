import { p } from '@mikro-orm/core'
import { centsColumn, orderAuthorColumns, requestedRowColumns } from './columns.ts'
import { Movement } from './movement.ts'

/** An order of money: a charge, a transfer or a refund. `movement`: the PIX that executed it. */
export const orderColumns = () => ({
  ...requestedRowColumns(),
  valueCents: centsColumn(),
  feeCents: centsColumn().default(0),
  movement: () => p.manyToOne(Movement).nullable(),
  endToEnd: p.text().nullable(),
  /** Counts its events, so that a receiver can order them. */
  sequence: p.integer().default(0),
  ...orderAuthorColumns(),
  /** Digest of the request that created it: a repeat has the same. */
  fingerprint: p.text(),
})
