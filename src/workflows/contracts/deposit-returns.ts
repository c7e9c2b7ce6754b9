/** The order of an account that returns a deposit to its payer; `fingerprint` is of the request that asked for it. */
export type DepositReturnInput = {
  uuid: string
  depositUuid: string
  accountUuid: string
  /** The connection that received the PIX. */
  connectionUuid: string
  requestId: string
  /** Of the API token whose request ordered it; absent for a user of the dashboard. */
  tokenNumber?: number
  fingerprint: string
  /** Acceptance deadline, as of a refund. */
  acceptBefore?: string
  timeScale: number
}
