/**
 * Status that a charge or a transfer shows (api-document.txt). As a filter, `UNDEFINED` finds charges that are being
 * issued, and no transfer.
 */
export const PAYMENT_STATUSES = [
  'UNDEFINED',
  'PENDING',
  'PAID',
  'FAILED',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CANCELLED',
  'EXPIRED',
  'PROCESSING',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]
