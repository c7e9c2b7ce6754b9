import type { Pace, PaceKind } from '../domain/providers/capabilities.ts'
import type { TurnRank, UnreachableResult } from '../domain/providers/provider.ts'

/** An access token of a provider, and for how long it serves from now on, in milliseconds, before it is renewed. */
type IssuedToken = { kind: 'token'; text: string; renewInMs: number }

export type TokenOutcome = IssuedToken | UnreachableResult

export type TokenOrder = {
  /** What the provider binds a token to: where it is issued, client id and secret, certificate. Only a hash of it is stored. */
  client: readonly string[]
  /** The last token that the provider has refused: it is not given again. */
  refusedToken: string | undefined
  /** Requests a token from the provider. */
  requestToken: () => Promise<TokenOutcome>
}

/**
 * Returns the token that all processes share, or requests one for all of them. `unreachable` where there is none in time. Never throws
 * for PostgreSQL: without it each process requests its own.
 */
export type ShareToken = (order: TokenOrder) => Promise<TokenOutcome>

/**
 * Takes the next turn of a pace that all processes keep together: returns the milliseconds until it, or null where it is further off
 * than `maxWaitMs`, which takes none. `rank`: after whom, `first` where absent. Never throws for PostgreSQL: without it a turn is now.
 */
export type TakeTurn = (
  kind: PaceKind,
  pace: Pace,
  maxWaitMs: number,
  rank?: TurnRank,
) => Promise<number | null>

/**
 * Takes a place among the orders that wait for their turn of a pace, or among the items of batches (`isItem`): returns the milliseconds until that turn is expected, or null
 * where that is further off than `maxWaitMs`, which takes none. Never throws for PostgreSQL: without it the place is one interval away.
 */
export type TakePlace = (
  kind: PaceKind,
  pace: Pace,
  maxWaitMs: number,
  isItem?: boolean,
) => Promise<number | null>

/** A provider account whose token and turns are shared. */
export type SharedAccount = {
  providerAccountUuid: string
  /** Pace of its requests for a token. */
  tokenPace: Pace | undefined
  /** The longest time that a request for a token takes. */
  timeoutMs: number
}

/** What the processes of Trilho share of a provider account (src/provider-access). */
export type SharedAccess = (account: SharedAccount) => {
  shareToken: ShareToken
  takeTurn: TakeTurn
  takePlace: TakePlace
}
