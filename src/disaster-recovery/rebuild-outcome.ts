/** What a rebuild did to a workflow whose row, or whose history, is ahead of the other. */
export type RebuildOutcome =
  | { outcome: 'rebuilt'; row: 'missing' | 'behind' }
  /** No provider was called: it continues as ordered. */
  | { outcome: 'waits'; row: 'missing' | 'behind' }
  /** Its row was set to the result that its history proves. */
  | { outcome: 'restored' }
  /** Its workflow's history is ahead of its row: the provider is polled. */
  | { outcome: 'asked' }
  /** Rebuilt before; it is still polling. */
  | { outcome: 'under_way' }
  /** Its workflow had only its row to continue from, which is missing. */
  | { outcome: 'ended' }
  | { outcome: 'impossible'; why: string }
