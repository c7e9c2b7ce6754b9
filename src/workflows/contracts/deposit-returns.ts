import type { OrderAuthor } from './order-author.ts'

/** The order of an account that returns a deposit to its payer; `fingerprint` is of the request that asked for it. */
export type DepositReturnInput = OrderAuthor & {
  uuid: string
  depositUuid: string
  accountUuid: string
  /** The connection that received the PIX. */
  connectionUuid: string
  requestId: string
  fingerprint: string
  /** Acceptance deadline, as of a refund. */
  acceptBefore?: string
  timeScale: number
}
