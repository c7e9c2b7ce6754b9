/** Who has ordered an operation, stored with its row: one of them, and neither where a provider reported it. */
export type OrderAuthor = {
  /** Number of the API token whose request ordered it. */
  tokenNumber?: number
  /** The user of the dashboard. */
  userUuid?: string
}
